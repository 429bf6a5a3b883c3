"""A short edit or action never asks for a huge text: what is past a bound is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.domains.desktop import lines, rows, xmltree
from worldline.domains.desktop.dialects.forms import TSV_TREE, XML_TREE
from worldline.domains.registry import domain
from worldline.domains.swe.inplace import MOST_PUT, on_content, on_part, script_of
from worldline.domains.swe.parts import MAX_LINES, Part
from worldline.domains.web.dialects import errorlog, htmltag
from worldline.trees import PatchError, TreeForm, apply, diff

HOME = "label\tHome\tHome\t\t\t(1, 2)\t(3, 4)"
TABLE = f"{rows.HEADER}\n{HOME}"
BOX = "at=1,2 size=3,4"
FRAME = '<desktop-frame name="m">\n\t<panel name="p"/>\n</desktop-frame>'
PAGE = "RootWebArea 'x', focused\n\t[3] button 'Go'"
FAILED = f"Error from previous action:\nError: TimeoutError: late\n\n{PAGE}"
COVERED = ('|| element "input" id="q"', '|| cover "div" id="shade"')
NOTES = "org.example.notes"


def form_of(name: str, dialect: str) -> TreeForm:
    form = domain(name).dialect(dialect).tree
    assert form is not None
    return form


BROWSER = form_of("web", "browsergym")


def keep(*edits: str) -> str:
    return "\n".join(["= keep", *edits])


def label(name: str) -> str:
    """A row of the table."""
    return f"label\t{name}\t{name}\t\t\t(1, 2)\t(3, 4)"


def phone(package: str) -> str:
    fields = {
        "text": "Save",
        "class_name": "android.widget.Button",
        "bbox_pixels": {"x_min": 1, "x_max": 2, "y_min": 3, "y_max": 4},
        "is_enabled": True,
        "is_visible": True,
        "package_name": package,
        "resource_name": f"{package}:id/save",
    }
    return f"UI element 0: {json.dumps(fields)}"


# a desktop's table


def test_a_row_may_repeat_what_a_short_row_above_says():
    after = apply(TSV_TREE, keep(f"+ . label same {BOX}"), TABLE)
    assert after == f"{TABLE}\n{HOME}"
    assert f"+ . label same {BOX}" in diff(TSV_TREE, TABLE, after)


@pytest.mark.parametrize(("size", "copies"), [(rows.SAME + 1, 1), (rows.SAME, 21)])
def test_long_text_is_not_repeated_by_a_word(size, copies):
    edits = [f'+ . label "{"a" * size}" {BOX}', *[f"| label same {BOX}"] * copies]
    with pytest.raises(PatchError, match="repeats"):
        apply(TSV_TREE, keep(*edits), TABLE)


@pytest.mark.parametrize(("size", "copies"), [(rows.SAME + 1, 3), (rows.SAME, 25)])
def test_a_table_that_repeats_long_text_is_read_and_comes_back(size, copies):
    text = "\n".join([TABLE, *[label("a" * size)] * copies])
    tree = rows.parse(text)
    assert tree is not None and rows.render(tree) == text
    assert sum(node.has("same") for node in tree.nodes) == (0 if size > rows.SAME else 20)
    assert apply(TSV_TREE, diff(TSV_TREE, TABLE, text), TABLE) == text


@pytest.mark.parametrize("attribute", ["blank", "rows"])
def test_empty_lines_of_all_rows_together_are_bounded(attribute):
    few = [f'+ . terminal "x" {BOX} {attribute}=40', f'| terminal "y" {BOX} {attribute}=40']
    assert apply(TSV_TREE, keep(*few), TABLE).count("\n") in range(78, 88)
    with pytest.raises(PatchError, match="empty"):
        apply(TSV_TREE, keep(*few, *[f"| terminal {attribute}=5000"] * 41), TABLE)


@pytest.mark.parametrize("tag", ["terminal", "label"])
def test_a_screen_with_more_empty_lines_than_that_comes_back(tag):
    row = f"{tag}\tx\ta{chr(10) * 5_000}\t\t\t(1, 2)\t(3, 4)"
    text = "\n".join([rows.HEADER, *[row] * 42])
    tree = rows.parse(text)
    assert tree is not None and rows.render(tree) == text
    told = [node for node in tree.nodes if node.has("blank") or node.has("rows")]
    assert len(told) == lines.ROOM // 5_000
    document = f"<a>{''.join(f'<{tag}>a{chr(10) * 5_000}</{tag}>' for _ in range(42))}</a>"
    tree = xmltree.parse(document)
    assert tree is not None and xmltree.render(tree) == document


@given(st.lists(st.sampled_from([HOME, label("a" * 10_000), label("b"), "x"]), max_size=60))
def test_any_table_comes_back(body):
    text = "\n".join([rows.HEADER, *body])
    tree = rows.parse(text)
    assert tree is not None and rows.render(tree) == text


# a desktop's document


@pytest.mark.parametrize("indent", [" " * (xmltree.INDENT + 1), "\t" * 400, "ab", "\n"])
def test_an_indentation_is_short_and_blank(indent):
    with pytest.raises(PatchError, match="indentation"):
        apply(XML_TREE, keep(f"~ @1 indent={json.dumps(indent)}"), FRAME)
    assert apply(XML_TREE, keep('~ @1 indent="  "'), FRAME) == FRAME.replace("\t", "  ")


def test_all_indentation_together_is_bounded():
    inner = [f"{'|' * n} panel" for n in range(1, 300)]
    more = [f"{'|' * 300} panel"] * 1_000
    with pytest.raises(PatchError, match="indentation"):
        apply(XML_TREE, keep(f'~ @1 indent="{" " * 16}"', "+ 0 panel", *inner, *more), FRAME)


def test_a_document_with_a_wider_indentation_is_kept_as_it_is():
    text = FRAME.replace("\t", " " * 17)
    assert xmltree.parse(text) is None
    observation = domain("os").dialect("xml")
    assert observation.render_observation(observation.parse_observation(text)) == text


# a phone


def test_a_package_is_put_back_into_the_ids_of_its_elements():
    form = form_of("android", "ui-elements")
    assert apply(form, keep('~ @1 "org.example.mail"'), phone(NOTES)) == phone("org.example.mail")


@pytest.mark.parametrize("package", ["p" * 201, "a.b." * 100])
def test_a_long_text_is_no_package(package):
    form = form_of("android", "ui-elements")
    with pytest.raises(PatchError, match="package"):
        apply(form, keep(f'~ @1 "{package}"'), phone(NOTES))
    screen = f"{phone(NOTES)}\n{phone(package)}"
    tree = form.parse(screen)
    assert tree is not None and form.render(tree) == screen


@pytest.mark.parametrize("package", ["p" * 201, "not a package"])
def test_an_activity_that_names_no_package_is_in_no_id(package):
    form = form_of("android", "droidbot")
    view = f'[0] android.widget.Button text="New" resource-id="{NOTES}:id/new" bounds=[0,0][1,2]'
    before = f"foreground_activity: {NOTES}/.Main\n{view}"
    after = apply(form, keep(f'~ @1 "{package}/.Main"'), before)
    assert after == before.replace(f"{NOTES}/", f"{package}/").replace(f"{NOTES}:id/", "")
    odd = f"foreground_activity: {package}/.Main\n{view.replace(NOTES, package)}"
    tree = form.parse(odd)
    assert tree is not None and form.render(tree) == odd


def test_a_row_names_each_text_once_whatever_its_form_says():
    form = form_of("android", "json")
    before = '[  0] | android.widget.Button | text="New" desc="New note" | bounds=[0,0][1,2]'
    after = apply(form, keep(f'~ 0 form="{"desc " * 500}text"'), before)
    assert after == before.replace('text="New" desc="New note"', 'desc="New note" text="New"')
    flags = apply(form, keep(f'~ 0 flags_by="{" " * 500}" clickable focusable'), before)
    assert flags == f"{before} | clickable,focusable"


# the web


def test_a_long_bid_names_no_more_frames_than_a_bid_has_letters():
    assert errorlog.locator("a" * 5_000) == errorlog.locator("a" * errorlog.LONGEST)
    calls = f'+ +1 calls "click" bid="{"A" * 5_000}"'
    after = apply(BROWSER, keep(calls, *COVERED), FAILED)
    assert f'get_by_test_id("{"A" * 40}")' in after and "A" * 41 not in after


def test_an_error_tells_of_few_actions():
    one = '+ +1 calls "click" bid="12"'
    after = apply(BROWSER, keep(one, *COVERED), FAILED)
    assert "attempting click action" in after
    with pytest.raises(PatchError, match="logs"):
        apply(BROWSER, keep(one, *['| calls "click" bid="12"'] * errorlog.LOGS), FAILED)


@pytest.mark.parametrize("size", [12, 199, 200, 5_000])
def test_a_value_points_at_a_short_one_before_it(size):
    source = f'<div id="{"a" * size}" for="{"a" * size}_label"/>'.replace("/>", ">…</div>")
    node = htmltag.parse("element", source, 0)
    assert htmltag.render(node) == source
    assert node.get("for") == ("^id:_label" if size < 200 else f"{'a' * size}_label")


def test_an_element_has_few_attributes():
    many = " ".join(f'a{n}="^id:"' for n in range(htmltag.MOST + 2))
    calls = '+ +1 calls "click" bid="12"'
    with pytest.raises(PatchError, match="attributes"):
        apply(BROWSER, keep(calls, f"{COVERED[0]} {many}", COVERED[1]), FAILED)


# a file that sed changes in place


def changed(command: str, part: Part) -> Part | None:
    script = script_of(command)
    assert script is not None
    return on_part(script, part)


def test_a_range_past_the_end_changes_the_lines_that_are_there():
    file = Part({1: "a", 2: "ba"}, frozenset({1, 2}), 2)
    after = changed("sed -i '1,9999999s/a/b/' f.py", file)
    assert after is not None and (after.lines, after.total) == ({1: "b", 2: "bb"}, 2)
    after = changed("sed -i '2,9999999s/a/b/' f.py", file)
    assert after is not None and after.lines == {1: "a", 2: "bb"}
    assert changed("sed -i '9999999s/a/b/' f.py", file) == file


def test_a_long_range_that_moves_lines_is_not_followed():
    rows_ = {1: "a", 9_000: "b"}
    file = Part(rows_, frozenset(rows_), 9_000)
    assert changed(f"sed -i '1,{MAX_LINES + 1}d' f.py", file) is None
    assert changed("sed -i '1,9999999s/a/a\\nb/' f.py", file) is None
    after = changed("sed -i '8000d' f.py", file)
    assert after is not None and after.lines == {1: "a", 8_999: "b"}


def test_a_file_that_a_script_blows_up_is_not_followed():
    script = script_of(f"sed -i 's/a/{'b' * 1_000}/g' f.py")
    assert script is not None
    assert on_content(script, "a\n") == f"{'b' * 1_000}\n"
    assert on_content(script, "a" * (MOST_PUT // 1_000 + 1) + "\n") is None
