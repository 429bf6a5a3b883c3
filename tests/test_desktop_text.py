"""Desktop: screens and scripts are read, changed and written back to the last character."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.domains import domain
from worldline.domains.base import ActionError
from worldline.domains.desktop import rows, xmltree
from worldline.domains.desktop.actions import Script, parse_action, render_action
from worldline.domains.desktop.dialects.forms import TSV_TREE, XML_TREE
from worldline.domains.desktop.observations import Observation
from worldline.trajectory import SystemPrompt, Trajectory, Turn
from worldline.trees import TEXT, Node, Tree, apply, diff, view

HEADER = "tag\tname\ttext\tclass\tdescription\tposition (top-left x&y)\tsize (w&h)"
FRAME = '<desktop-frame name="main" cp:screencoord="(0, 0)" cp:size="(1280, 720)">'
END = "</desktop-frame>"


def row(tag: str, name: str, text: str, x: int = 1, y: int = 2, w: int = 3, h: int = 4) -> str:
    return f"{tag}\t{name}\t{text}\t\t\t({x}, {y})\t({w}, {h})"


def screen(*lines: str) -> str:
    return "\n".join([HEADER, *lines])


def terminal(*lines: str, rows: int = 24, width: int = 722) -> str:
    used = sum(max(1, -(-len(line) // ((width - 2) // 9))) for line in lines)
    text = "\n".join([*lines, *[""] * (rows - used), ""])
    return row("terminal", "Terminal", text, 120, 124, width, 434)


def tree_of(text: str) -> Tree:
    tree = rows.parse(text)
    assert tree is not None and rows.render(tree) == text
    return tree


def reloaded(parsed, kind):
    return msgspec.convert(jsonl.loads(jsonl.dumps(msgspec.to_builtins(parsed))), kind)


# the table


def test_a_row_is_a_node_and_says_only_what_is_not_usual():
    tree = tree_of(
        screen(
            row("push-button", "Save", "Save"),
            row("static", "Save", "Save"),
            row("entry", "Search", '""'),
            row("entry", "Search", "rye"),
            row("section", "", "Bread"),
            row("section", "", '""'),
        )
    )
    box = (("at", (1, 2)), ("size", (3, 4)))
    assert [(node.kind, node.attrs) for node in tree.nodes] == [
        ("push-button", (("name", "Save"), *box)),
        ("static", (("same", None), *box)),
        ("entry", (("name", "Search"), ("empty", None), *box)),
        ("entry", (("name", "Search"), ("text", "rye"), *box)),
        ("section", (("text", "Bread"), *box)),
        ("section", box),
    ]


def test_text_over_several_lines_is_a_node_a_line():
    tree = tree_of(screen(row("text", "", "one\n\ttwo\n\nthree\n\n"), row("label", "a", "a")))
    assert [node.get("name") for node in tree.nodes if node.kind == TEXT] == [
        "one",
        "\ttwo",
        None,
        "three",
    ]
    assert tree.nodes[0].get("blank") == 2


def test_a_terminal_says_how_many_rows_its_window_has():
    tree = tree_of(screen(terminal("$ ls", "x" * 200, "$ ")))
    assert tree.nodes[0].get("rows") == 24
    assert len(tree.nodes) == 4


def test_quotes_tabs_and_hidden_characters_come_back():
    for text in ('a "b" c', '"', '""""', "x\ty\tz", "a\u200bb", "\u2028", "\r", "\ud800", '"a'):
        for name in ("", "n", text.replace("\t", " ")):
            tree_of(screen(row("label", name, rows.quoted(text)), row("label", name, text)))


def test_what_is_no_row_stays_as_it_is():
    text = screen(row("label", "a", "a"), "", "loose", "push-button\tcut of")
    assert [node.kind for node in tree_of(text).nodes] == ["label", "raw", "raw", "raw"]
    assert rows.parse("Error: no screen") is None
    assert rows.parse(screen(row("label", "a", "a"))[1:]) is None


def test_a_cut_row_does_not_swallow_the_next_one():
    tree = tree_of(screen("label\tcut of here", row("label", "b", "b")))
    assert [node.kind for node in tree.nodes] == ["raw", "label"]


PIECES = [
    "label",
    "terminal",
    "raw",
    "\t",
    "\n",
    '"',
    '""',
    "(1, 2)",
    "(3, 4)",
    "(01, 2)",
    "(-0, 1)",
]
PIECES += ["\t\t\t(1, 2)\t(722, 434)", "a", " ", "\u200b", "\r", "\ud800", "é", "[...]"]
PIECES += [row("label", "a", "a"), row("static", "a", "a"), row("menu", "b", '""'), ":", "$ ls"]
bodies = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=14).map("".join)


@given(bodies)
def test_any_table_comes_back_exactly(body):
    text = f"{HEADER}\n{body}"
    tree = reloaded(rows.parse(text), Tree)
    assert rows.render(tree) == text


@given(bodies, bodies)
def test_any_table_follows_any_other_by_an_edit(one, other):
    before, after = f"{HEADER}\n{one}", f"{HEADER}\n{other}"
    assert apply(TSV_TREE, diff(TSV_TREE, before, after), before) == after


def test_huge_texts_are_read_in_one_pass():
    long = "x" * 200_000
    for text in ("\n" * 100_000, "label\t" * 50_000, "(1, 2)\t" * 50_000, '"' * 100_001, long):
        tree_of(screen(row("terminal", "T", text)))
        tree_of(screen(text))


# edits of a table


def test_what_a_command_prints_is_added_and_the_window_scrolls_by_itself():
    lines = ["$ seq 1 23", *map(str, range(1, 24)), "$ "]
    before = screen(terminal(*lines[1:]))
    long = "total " + "9" * 90
    after = screen(terminal(*lines[5:-1], "$ ls -l", long, "apple", "$ "))
    script = diff(TSV_TREE, before, after)
    assert script == f"= keep\n+ <24 : $ ls -l\n: {long}\n: apple"
    assert apply(TSV_TREE, script, before) == after


def test_a_long_line_leaves_the_window_row_by_row():
    before = screen(terminal("a" * 80 + "b" * 80 + "tail", *["x"] * 20, "$ "))
    after = screen(terminal("b" * 80 + "tail", *["x"] * 20, "$ id", "$ "))
    script = diff(TSV_TREE, before, after)
    assert script == "= keep\n+ <22 : $ id"
    assert apply(TSV_TREE, script, before) == after


def test_a_terminal_that_was_cleared_is_told_as_what_went():
    rest = [row("label", f"icon {n}", f"icon {n}") for n in range(20)]
    before = screen(terminal(*[f"line {n}" for n in range(20)], "$ "), *rest)
    after = screen(terminal("$ "), *rest)
    script = diff(TSV_TREE, before, after)
    assert script == "= keep\n- 1..20"
    assert apply(TSV_TREE, script, before) == after


@given(
    st.lists(st.text("ab$ ", max_size=200), max_size=30),
    st.lists(st.text("ab$ ", max_size=200), max_size=30),
    st.sampled_from([722, 992, 700]),
)
def test_whatever_a_terminal_prints_the_next_screen_is_exact(old, new, width):
    before = screen(terminal(*old[-8:], width=width))
    after = screen(terminal(*[*old, *new][-8:], width=width))
    assert apply(TSV_TREE, diff(TSV_TREE, before, after), before) == after


def test_a_raised_window_and_a_scrolled_page_are_a_line_each():
    mail = [row("push-button", f"Mail {n}", '""', 10, 10 * n) for n in range(8)]
    page = [row("link", f"Link {n}", f"Link {n}", 500, 20 * n, 80, 16) for n in range(12)]
    down = [row("link", f"Link {n}", f"Link {n}", 500, 20 * n - 60, 80, 16) for n in range(12)]
    dock = [row("push-button", "Files", '""', 0, 900)]
    script = diff(TSV_TREE, screen(*mail, *page, *dock), screen(*page, *mail, *dock))
    assert script == "= keep\n> 0..7 <20"
    script = diff(TSV_TREE, screen(*mail, *page, *dock), screen(*mail, *down, *dock))
    assert script == "= keep\n~ 8..19 at+=0,-60"


def test_the_view_is_cut_around_the_element_that_is_clicked():
    state = screen(*(row("push-button", f"B{n}", f"B{n}", 100, 20 * n, 80, 20) for n in range(300)))
    shown, missing = view(TSV_TREE, state, action="pyautogui.click(120, 4010)", budget=600)
    assert '200 push-button "B200" at=100,4000 size=80,20' in shown
    assert missing > 200


# XML


def nested(text: str) -> Tree:
    tree = xmltree.parse(text)
    assert tree is not None and xmltree.render(reloaded(tree, Tree)) == text
    return tree


def test_elements_nest_and_say_their_states():
    tree = nested(
        f'{FRAME}<frame name="A &amp; B" st:active="true" st:busy="false" cp:size="(9, 8)">'
        f'<label name="x">text &lt;</label><image/><p></p></frame>{END}'
    )
    assert [(node.kind, node.depth) for node in tree.nodes] == [
        ("desktop-frame", 0),
        ("frame", 1),
        ("label", 2),
        ("image", 2),
        ("p", 2),
    ]
    assert tree.nodes[1].attrs == (
        ("name", "A &amp; B"),
        ("st:active", None),
        ("st:busy", False),
        ("size", (9, 8)),
    )
    assert tree.nodes[2].get("text") == "text &lt;"


def test_indentation_a_first_line_and_texts_of_several_lines_come_back():
    indented = '<?xml version="1.0"?>\n<a>\n  <b name="x">\n    <c>hi</c>\n  </b>\n  <d/>\n</a>\n'
    assert [node.depth for node in nested(indented).nodes] == [0, 0, 1, 2, 1]
    tree = nested(f'{FRAME}<terminal cp:size="(722, 434)">$ ls\na b\n$ \n\n</terminal>{END}')
    assert tree.nodes[1].get("rows") == 4
    assert [node.get("name") for node in tree.nodes[2:]] == ["$ ls", "a b", "$ "]


def test_what_is_not_well_formed_or_would_load_something_is_no_tree():
    bomb = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c SYSTEM "file:///etc/passwd">]><a>&b;&c;</a>'
    odd = ["", "<", "<a", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a x='1'/>", '<a x="1" x="2"/>']
    odd += [
        "<a><!-- c --></a>",
        "<a><![CDATA[x]]></a>",
        '<a text="1"/>',
        "<layout/>",
        "<a>x<b/>y</a>",
    ]
    for text in [bomb, *odd, "<a>" * 5_000 + "</a>" * 5_000, '<a x="' * 20_000, "<a " * 50_000]:
        assert xmltree.parse(text) is None


XML = ["<a>", "</a>", "<b/>", '<a name="x">', "text", "\n", " ", "&amp;", "<", ">", '"', "<p></p>"]
XML += ['<terminal cp:size="(722, 434)">', "</terminal>", '<c st:on="true"/>', "\u2028", "\ud800"]
xmls = st.lists(st.sampled_from(XML), max_size=12).map("".join)


@given(xmls, st.sampled_from(["", "\n", "\n  "]))
def test_any_xml_comes_back_or_is_no_tree(body, gap):
    for text in (body, f"<r>{gap}{body}{gap[:1]}</r>"):
        tree = xmltree.parse(text)
        assert tree is None or xmltree.render(reloaded(tree, Tree)) == text


@given(xmls, xmls)
def test_any_xml_follows_any_other_by_an_edit(one, other):
    before, after = f"<r><q/>{one}</r>", f"<r><q/>{other}</r>"
    assert apply(XML_TREE, diff(XML_TREE, before, after), before) == after


def test_edited_trees_render_whatever_the_edit_was():
    wild = Tree((Node("a", (("at", (1,)), ("x", 1.5))), Node(TEXT, (), 3), Node("", (), 1)))
    assert isinstance(xmltree.render(wild), str)
    assert isinstance(rows.render(wild), str)


# dialects


@pytest.mark.parametrize("name", ["a11y-tsv", "xml"])
@given(text=st.text())
def test_any_text_is_an_observation(name, text):
    dialect = domain("os").dialects[name]
    parsed = reloaded(
        dialect.parse_observation(text.encode("utf-8", "replace").decode()), Observation
    )
    assert dialect.render_observation(parsed) == text.encode("utf-8", "replace").decode()


def test_dialects_are_told_apart_by_what_is_seen():
    def detected(*states: str) -> str:
        turns = tuple(Turn(action="WAIT", observation=state) for state in states[1:])
        system = SystemPrompt(initial_state=states[0] if states else None)
        return domain("os").detect(
            Trajectory(id="t", domain="os", dialect="", system=system, turns=turns)
        )

    assert detected() == "a11y-tsv"
    assert detected(screen(row("label", "a", "<a cp:size="))) == "a11y-tsv"
    assert detected(f"{FRAME}{END}") == "xml"
    assert detected("starting ...", f"{FRAME}{END}") == "xml"


# actions


def calls(text: str):
    script = reloaded(parse_action(text), Script)
    assert render_action(script) == text
    return [(call.name, call.args, call.options, call.maybe) for call in script.calls]


def test_the_calls_of_a_script_are_read_off_its_code():
    text = (
        "import pyautogui as pg, time\nfrom pyautogui import write\n\n# open it\n"
        'pg.doubleClick(x=10, y=-20); time.sleep(0.5)\ncmd = "ls " + "-l"\n'
        "write(cmd, interval=0.02)\npg.hotkey('ctrl', 'c')\npg.hotkey(['ctrl', 'v'])\n"
        "for _ in range(3):\n    pg.press('tab')\npg.typewrite(f'{cmd}')\n"
    )
    assert calls(text) == [
        ("pyautogui.doubleClick", (), {"x": 10, "y": -20}, False),
        ("time.sleep", (0.5,), {}, False),
        ("pyautogui.write", ("ls -l",), {"interval": 0.02}, False),
        ("pyautogui.hotkey", ("ctrl", "c"), {}, False),
        ("pyautogui.hotkey", (["ctrl", "v"],), {}, False),
        ("pyautogui.press", ("tab",), {}, True),
        ("pyautogui.typewrite", (None,), {}, False),
    ]


def test_helpers_programs_and_the_three_words_are_calls():
    assert calls("CalcTools.set_cell_value('A1', 5)") == [
        ("CalcTools.set_cell_value", ("A1", 5), {}, False)
    ]
    assert calls("import subprocess\nsubprocess.run(['ls', '-l'])")[0][1] == (["ls", "-l"],)
    assert calls("BrowserTools(page).open_tab('x')")[0][0] == "BrowserTools.open_tab"
    assert calls("print('pyautogui.click(1, 2)')") == []
    for word in ("WAIT", "DONE", " FAIL\n"):
        assert calls(word) == [(word.strip(), (), {}, False)]


def test_a_value_that_changed_in_between_is_not_used():
    assert calls("a = 'x'\na = input()\npyautogui.write(a)")[0][1] == (None,)
    loop = "a = 'x'\nfor a in b:\n    pyautogui.write(a)\n"
    assert calls(loop)[0][1:] == ((None,), {}, True)


def test_fences_and_odd_line_ends_stay():
    for text in (
        "```python\npyautogui.click(1, 2)\n```",
        "```\npyautogui.click(1, 2)\n```\n",
        "import time\r\npyautogui.click(1, 2)\r\n\r\n",
        "pyautogui.click(\n  1,\n  2)  # here\n\n# end",
        "x = 1; pyautogui.click(1, 2); y = (\n3); z = 4",
    ):
        assert [name for name, *_ in calls(text)] == ["pyautogui.click"]
        assert calls(text)[0][1] == (1, 2)


def test_what_is_neither_code_nor_a_word_is_no_action():
    deep = "(" * 5_000
    for text in (
        "",
        "  \n",
        "Click the button.",
        "pyautogui.click(",
        "a\x00b",
        "x = '\ud800",
        deep,
    ):
        with pytest.raises(ActionError, match="expected Python code"):
            parse_action(text)


def test_nothing_is_run_and_numbers_stay_what_json_can_hold():
    text = (
        "import os\nos.system('touch /tmp/worldline-was-run')\npyautogui.click(1e999, 10**9, 2**70)"
    )
    assert calls(text)[1] == ("pyautogui.click", (None, None, None), {}, False)


CODE = [
    "pyautogui.click(1, 2)",
    "\n",
    ";",
    "#",
    "'a'",
    '"""',
    "if x:\n  ",
    "(",
    ")",
    "\\",
    "\r",
    "\t",
]
CODE += ["x = ", "x", "\x0c", "é", "@d\ndef f(): ", "pass", "[1, 2]", "f'{x}'", "lambda: ", "\n\n"]


@given(st.lists(st.sampled_from(CODE), max_size=10).map("".join))
def test_any_code_comes_back_or_is_refused(text):
    try:
        script = parse_action(text)
    except ActionError as error:
        assert str(error)
    else:
        assert render_action(reloaded(script, Script)) == text


@pytest.mark.parametrize(
    "body",
    ["l\t\t\t\t\t(0, 1)\t(-0, 4)", "a\t\t\t\t\t\n(8, 1)\t(8, 2)", "a\tb\n\t\t\t\t\n(1, 2)\t(3, 4)"],
)
def test_rows_that_only_look_like_rows_come_back_to_the_last_character(body):
    form = domain("os").dialect("a11y-tsv")
    text = f"tag\tname\ttext\tclass\tdescription\tposition (top-left x&y)\tsize (w&h)\n{body}"
    assert form.render_observation(form.parse_observation(text)) == text
