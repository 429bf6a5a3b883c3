"""Pages and actions of every dialect come back exactly, whatever a page holds."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.domains.base import ActionError
from worldline.domains.web import DOMAIN, pycalls
from worldline.domains.web.dialects import axline, browsergym, errorlog, htmltag, yamltext
from worldline.domains.web.observations import Sentence, State
from worldline.trajectory import SystemPrompt, Trajectory, Turn
from worldline.trees import Node, apply, diff, view

ANY = st.text() | st.text(st.characters(categories=["Cs", "Cc", "L", "Zl"]))
NAMES = ["browsergym", "labelled", "playwright"]

SHOP = """Open tabs:
- Tab 0 (active)
  - Title: Bakery
  - URL: http://bakery.example/

Accessibility tree:
RootWebArea 'Bakery', focused, url='http://bakery.example/'
\t[5] navigation ''
\t\t[6] link "Today's bread", url='http://bakery.example/bread'
\t\t\tStaticText "Today's bread"
\t[9] combobox 'Loaves' value='1', hasPopup='menu', expanded=False
\t\t[10] option '1', selected=True
\t\t[11] option '2', selected=False
\t[12] checkbox 'Sliced', checked='false'
\t[13] status '', live='polite', atomic, relevant='additions text'
\t[a] Iframe 'Map'
\t\tRootWebArea '', url='about:srcdoc'
\t\t\t[a4] button 'Zoom\\nin'"""
FAILED = "Error from previous action:\nError: ValueError: Could not find element\n\n" + SHOP
LABELS = '[0]: <button> "Menu";\t[2]: "Bread", "Bread of today";\t[3]: <input> "";'
SNAPSHOT = """### Page
- Page URL: http://bakery.example/
- Page Title: Bakery
### Snapshot
```yaml
- generic [active] [ref=e1]:
  - 'heading "Bakery: \\"today\\"" [level=1] [ref=e2]'
  - 'button "a: b" [ref=e3] [cursor=pointer]'
  - textbox "Name" [ref=e4]: "yes"
  - link "Home" [ref=e5]:
    - /url: /home
    - text: go home
  - iframe [ref=e6]:
    - button "In" [ref=f1e2] [box=1,2,30,40]
```"""


def through(name: str, kind: str, text: str):
    """Parse, write as JSON, read back, render."""
    dialect = DOMAIN.dialect(name)
    parsed = getattr(dialect, f"parse_{kind}")(text)
    data = jsonl.dumps(msgspec.to_builtins(parsed))
    back = msgspec.convert(jsonl.loads(data), getattr(dialect, kind))
    return parsed, getattr(dialect, f"render_{kind}")(back)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [SHOP, FAILED, LABELS, SNAPSHOT, "", "no page", "Open tabs:\n"])
def test_a_state_of_any_dialect_comes_back_exactly(name, text):
    assert through(name, "observation", text)[1] == text


@pytest.mark.parametrize(
    ("name", "text"), [("browsergym", SHOP), ("labelled", LABELS), ("playwright", SNAPSHOT)]
)
def test_every_line_of_a_page_is_a_node_of_its_own(name, text):
    parsed, _ = through(name, "observation", text)
    assert isinstance(parsed, State)
    odd = [node for node in parsed.tree.nodes if node.kind == "raw"]
    assert [node.get("name") for node in odd] == (
        ["### Page", "### Snapshot", "```yaml", "```"] if name == "playwright" else []
    )


@pytest.mark.parametrize("name", NAMES)
@given(text=ANY)
def test_any_text_is_an_observation(name, text):
    assert through(name, "observation", text)[1] == text


@given(lines=st.lists(ANY | st.sampled_from(FAILED.split("\n")), max_size=12))
def test_a_page_with_foreign_lines_in_it_comes_back_exactly(lines):
    text = "\n".join(["Open tabs:", *lines, "RootWebArea 'x'", *lines])
    assert through("browsergym", "observation", text)[1] == text


@given(name=ANY, value=ANY, url=ANY)
def test_hostile_attribute_text_stays_inside_its_node(name, value, url):
    line = f"[b7] textbox {name.strip()!r} value={value!r}, focused, url={url!r}"
    node = axline.parse(line, 3)
    assert node is not None and axline.render(node) == line
    assert (node.ref, node.get("value"), node.get("url")) == ("b7", value, url)
    text = f"RootWebArea 'x'\n\t{line}"
    parsed, back = through("browsergym", "observation", text)
    assert back == text and len(parsed.tree.nodes) == 2


@pytest.mark.parametrize(
    "line",
    [
        "[7] textbox 'x' value=__import__('os')",
        "[7] textbox",
        "textbox 'x', name='y'",
        "[7] option 'x', selected='unsaid'",
        "raw 'x'",
        "[7] button 'x' trailing",
        '[7] button "plain"',
        "[7] slider 'x', valuemax=1e999",
    ],
)
def test_a_line_that_is_not_written_as_a_node_is_kept_as_it_is(line):
    text = f"RootWebArea 'x'\n\t{line}\n\t[8] button 'y'"
    parsed, back = through("browsergym", "observation", text)
    assert back == text
    assert [node.kind for node in parsed.tree.nodes][-2:] == ["raw", "button"]


def test_what_nodes_say_as_a_rule_is_no_attribute_and_its_absence_is():
    usual = axline.parse("[1] option 'a', selected=False", 0)
    silent = axline.parse("[1] option 'a'", 0)
    assert usual == Node("option", (("name", "a"),), 0, "1")
    assert silent is not None and silent.get("selected") == axline.UNSAID
    assert axline.render(silent) == "[1] option 'a'"


def test_boxes_are_numbers_and_flags_are_names():
    node = axline.parse("[1] button 'a', box=\"(1,2,30,40)\", clickable, visible", 0)
    assert node is not None and node.get("box") == (1, 2, 30, 40)
    assert DOMAIN.dialect("browsergym").tree.target("mouse_click(5, 6)", _tree(node)) == 1


def _tree(node: Node):
    text = f"RootWebArea 'x'\n\t{axline.render(node)}"
    tree = browsergym.parse(text)
    assert tree is not None
    return tree


def covered(bid: str) -> str:
    """The log of a click on a covered box, written as Playwright does."""
    ready = [
        "  -   waiting for element to be visible, enabled and stable",
        "  -   element is visible, enabled and stable",
        "  -   scrolling into view if needed",
        "  -   done scrolling",
        '  -   <div id="shade" bid="3">…</div> intercepts pointer events',
    ]
    lines = [
        "Call log:",
        f"waiting for {errorlog.locator(bid)}",
        f'  -   locator resolved to <input bid="{bid}" id="long-identifier" checked '
        'name="long-identifier-box" browsergym_set_of_marks="0"/>',
        "  - attempting click action",
    ]
    for number, pause in enumerate((0, 0, 20, 100, 100, 500)):
        lines += [f"  - retrying click action, attempt #{number}"] if number else []
        lines += [f"  -   waiting {pause}ms"] if pause else []
        lines += ready if number < 5 else []
    return "\n".join(lines)


def test_the_log_of_a_covered_element_is_three_nodes():
    text = f"Error from previous action:\nError: TimeoutError: late\n{covered('bA12')}\n\n{SHOP}"
    parsed, back = through("browsergym", "observation", text)
    assert back == text
    kinds = [node.kind for node in parsed.tree.nodes[:4]]
    assert kinds == ["failure", "calls", "element", "cover"]
    assert parsed.tree.nodes[2].get("@name") == "^id:-box"
    other = text.replace("attempt #3", "attempt #7")
    assert through("browsergym", "observation", other)[1] == other


def test_a_bid_is_looked_for_through_every_frame_that_its_letters_name():
    assert errorlog.locator("12") == 'get_by_test_id("12")'
    assert errorlog.locator("abA12") == (
        'get_by_test_id("a").frame_locator(":scope").get_by_test_id("abA")'
        '.frame_locator(":scope").get_by_test_id("abA12")'
    )


@given(source=ANY | st.from_regex(r"<[a-z]{1,4}( [a-z@]{1,4}(=\"[^\"]*\")?)*(/>|>.*</[a-z]{1,4}>)"))
def test_any_element_of_a_log_comes_back_exactly(source):
    assert htmltag.render(htmltag.parse("element", source, 2)) == source


@given(text=ANY)
def test_yaml_texts_are_read_as_they_are_written(text):
    assert yamltext.read_value(yamltext.write_value(text)) == text


def test_yaml_quotes_what_yaml_would_misread():
    quoted = ["", " a", "a: b", "- a", "yes", "1.5", "0x1F", "a #b", "[x", "{", "#", "a\nb", "\x85"]
    assert all(yamltext.needs_quotes(text) for text in quoted)
    assert not any(yamltext.needs_quotes(text) for text in ["a", "a:b", "1.5.2", "12,5", "yes sir"])


CALLS = [
    "click('a51')",
    'click("a51", button="right", modifiers=["Shift"])',
    "fill( 'a' ,\"it's\",)",
    "scroll(0, -200.5)",
    "```python\nclick('1')\n\nfill('2', 'x')\n```",
    "# first\nnoop()  # wait\n",
    "select_option('c48', ['red', \"green\"], )",
    'fill("a", "say \\"hi\\" it\'s")',
    "fill('a', '''two\nlines''')",
    "fill('a', 'caf\\xe9 \\ud800')",
    "click(bid = 'a')",
    "goto('http://x.example/?a=(1)#b')",
    "mouse_move(1e2, .5)",
]


@pytest.mark.parametrize("text", CALLS)
def test_calls_come_back_exactly(text):
    assert through("browsergym", "action", text)[1] == text


@given(
    calls=st.lists(
        st.tuples(st.sampled_from(["click", "fill", "foo"]), st.lists(ANY | st.integers())),
        min_size=1,
        max_size=3,
    )
)
def test_calls_with_any_arguments_are_read_as_python_reads_them(calls):
    text = "\n".join(f"{name}({', '.join(map(repr, args))})" for name, args in calls)
    parsed, back = through("browsergym", "action", text)
    assert back == text
    assert [(call.name, call.positional) for call in parsed.calls] == calls


@pytest.mark.parametrize(
    "text",
    [
        *("", "hello", "click(a)", "f(g())", "f(*a)", "f('a' 'b')", "f(a=1, 2)", "f(1)(2)"),
        *("f('a\n')", "__import__('os').system('x')", "click('1') or 1", "f([[1]])", "f(1e999)"),
        "```\n```",
    ],
)
def test_what_is_no_call_with_literal_arguments_is_no_action(text):
    with pytest.raises(ActionError):
        pycalls.parse(text)


LABEL_ACTIONS = ["Click [6]", "Type [3]; rye; or wheat", "Scroll [WINDOW]; down", "Wait", "GoBack"]
LABEL_ACTIONS += ["Google", "ANSWER; Two [2] loaves", "Action: Click 6", "Type 3 bread", " Wait \n"]


@pytest.mark.parametrize("text", LABEL_ACTIONS)
def test_labelled_actions_come_back_exactly(text):
    assert through("labelled", "action", text)[1] == text


@pytest.mark.parametrize(
    "text", ["Click", "Click [x]", "Type [3]", "Jump [1]", "Click [1] now", ""]
)
def test_what_is_none_of_the_seven_is_no_labelled_action(text):
    with pytest.raises(ActionError):
        DOMAIN.dialect("labelled").parse_action(text)


def test_labels_follow_from_the_place():
    form = DOMAIN.dialect("labelled").tree
    after = LABELS.replace("[0]", "[1]").replace("[2]", "[3]").replace("[3]: <in", "[4]: <in")
    after = '[0]: "New";\t' + after
    assert diff(form, LABELS, after) == '= keep\n+ <0 item "New"'


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("browsergym", SHOP, SHOP.replace("value='1'", "value='2'").replace("[12]", "[77]")),
        ("browsergym", SHOP, FAILED),
        ("browsergym", FAILED, SHOP.replace("Bakery'", "Bread'")),
        ("labelled", LABELS, LABELS.replace("Menu", "Close")),
        ("playwright", SNAPSHOT, SNAPSHOT.replace("go home", "gone: home")),
        ("playwright", SNAPSHOT, SNAPSHOT.replace("    - /url: /home\n", "")),
    ],
)
def test_an_edit_script_gives_the_next_page_exactly(name, before, after):
    form = DOMAIN.dialect(name).tree
    script = diff(form, before, after)
    assert script.startswith("= keep\n") and apply(form, script, before) == after


def test_a_node_may_move_to_the_end_below_a_parent_that_is_new():
    form = DOMAIN.dialect("browsergym").tree
    link = "[5] link 'A map of all the cold seas', url='http://library.example/book/7'"
    before = f"RootWebArea 'x'\n\t[1] list ''\n\t\t{link}\n[2] note ''"
    after = f"RootWebArea 'x'\n[2] note ''\n\t[9] list ''\n\t\t{link}"
    assert apply(form, diff(form, before, after), before) == after


def test_a_filled_field_is_one_short_edit():
    form = DOMAIN.dialect("browsergym").tree
    after = SHOP.replace("'Sliced', checked='false'", "'Sliced', focused, checked='true'")
    assert diff(form, SHOP, after) == '= keep\n~ 12 focused checked="true"'


def test_a_new_title_is_said_once():
    form = DOMAIN.dialect("browsergym").tree
    after = SHOP.replace("Bakery", "Bread")
    assert diff(form, SHOP, after) == '= keep\n~ +1 "Bread"'


@pytest.mark.parametrize(
    ("name", "text", "action", "line"),
    [
        ("browsergym", SHOP, "click('a4')", '[a4] button "Zoom\\nin"'),
        ("labelled", LABELS, "Click [2]", 'item "Bread" aria="Bread of today"'),
        (
            "playwright",
            SNAPSHOT,
            json.dumps({"name": "browser_click", "arguments": {"element": "In", "ref": "f1e2"}}),
            "f1e2",
        ),
    ],
)
def test_a_cut_view_is_cut_around_what_the_action_names(name, text, action, line):
    form = DOMAIN.dialect(name).tree
    tree = form.parse(text)
    at = form.target(action, tree)
    assert at is not None
    shown, _ = view(form, text, action=action, budget=90)
    assert line.split(" ", 1)[-1] in shown


@pytest.mark.parametrize("name", NAMES)
def test_handles_are_unique(name):
    form = DOMAIN.dialect(name).tree
    for text in (SHOP, LABELS, SNAPSHOT, LABELS.replace("[2]", "[0]")):
        tree = form.parse(text)
        if tree is not None:
            handles = form.handles(tree)
            assert len(set(handles)) == len(handles) == len(tree.nodes)


@pytest.mark.parametrize(
    ("name", "state", "action"),
    [
        ("browsergym", SHOP, "click('6')"),
        ("labelled", LABELS, "Click [2]"),
        ("playwright", SNAPSHOT, '{"name": "browser_click", "arguments": {"ref": "e3"}}'),
    ],
)
def test_the_dialect_is_found_without_being_told(name, state, action):
    turns = (Turn(action=action, observation=state),)
    trajectory = Trajectory(
        id="1", domain="web", dialect="", system=SystemPrompt(initial_state=state), turns=turns
    )
    assert DOMAIN.detect(trajectory) == name


def test_a_sentence_is_no_state():
    parsed = DOMAIN.dialect("browsergym").parse_observation("The order was placed.")
    assert parsed == Sentence("The order was placed.")
