"""Templates in reference actions: filled from what was observed, whatever that is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.errors import DataError
from worldline.tasks.patterns import compiled, group
from worldline.tasks.template import NoMatch, emptied, filled, templates


def seen(*observations):
    return dict(enumerate(observations)).get


@pytest.mark.parametrize(
    ("action", "made"),
    [
        ("no template", "no template"),
        (r"cat {{1:\S+\.txt}}", "cat notes.txt"),
        (r"echo {{1:size (\d+)}} {{0:^\w+}}", "echo 12 hello"),
        (r'{"n": {{1:size (\d+)}}}', '{"n": 12}'),
        (r"id {{2:[0-9a-f]{4}}}!", "id beef!"),
        (r"{{2:\{(.*?)\}}}", "x"),
        (r"{{2:[}{]}}", "{"),
        (r"{{2:[]}]}}", "}"),
        ("{{ not: one }} {{x}}", "{{ not: one }} {{x}}"),
        (r'{"q": "{{1:size (\\d+)}}"}', '{"q": "12"}'),
        (r'{"q": "{{3:.+}}"}', r'{"q": "say \"hi\"\\n"}'),
        (r'<call>{"q": "{{3:.+}}"}</call> {{1:s}}', r'<call>{"q": "say \"hi\"\\n"}</call> s'),
        (r'{"q": "{{2:\\{(.*?)\\}}}"}', '{"q": "x"}'),
    ],
)
def test_templates_are_filled(action, made):
    texts = seen("hello world", "notes.txt size 12", "beef {x} ]", 'say "hi"\\n')
    assert filled(action, texts) == made


def test_a_template_is_empty_for_who_sees_nothing():
    assert emptied(r'{"q": "{{1:x}}", "n": {{2:\d+}}}') == '{"q": "", "n": }'


def test_a_template_that_finds_nothing_says_where():
    with pytest.raises(NoMatch, match="turn 2 does not show it"):
        filled(r"{{2:\d+}}", seen("", "1", "none"))
    with pytest.raises(NoMatch, match="turn 3 had no observation"):
        filled(r"{{3:\d+}}", seen("", "1", "none"))
    with pytest.raises(NoMatch):
        filled(r"{{1:(a)|b}}", seen("", "b"))


@pytest.mark.parametrize("action", ["{{1:abc", "{{1:a{{b}}", "{{1:(}}", "{{1:(?=x)}}"])
def test_a_broken_template_is_named(action):
    with pytest.raises(DataError):
        templates(action)


@given(st.text(), st.integers(0, 99), st.text(min_size=1), st.text())
def test_any_value_fills_in_as_it_stands(before, turn, value, after):
    before, after = before.replace("{", "("), after.replace("{", "(").replace("}", ")")
    action = f"{before}{{{{{turn}:(?s).*}}}}{after}"
    assert filled(action, {turn: value}.get) == before + value + after


@given(st.text())
def test_any_value_fills_into_json_as_a_string(value):
    action = r'{"name": "note", "arguments": {"text": "see {{1:(?s).*}}!"}}'
    made = jsonl.loads(filled(action, {1: value}.get))
    assert made["arguments"]["text"] == f"see {value}!"


@given(st.text(alphabet='{}[]0123456789:\\"^(a)*\ud800 '))
def test_any_text_is_templates_or_a_named_error(action):
    try:
        found = templates(action)
    except DataError:
        return
    places = [place for one in found for place in (one.start, one.end)]
    assert places == sorted(places)
    for one in found:
        compiled(one.pattern)


@given(st.text(), st.text())
def test_what_a_pattern_finds_stands_in_the_text_as_it_was(before, after):
    text = f"{before}\ud800mark{after}"
    assert group(r"(?s)^.*mark", text) == text[: text.rfind("mark") + 4]
