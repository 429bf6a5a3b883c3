"""Screens and actions of a phone keep every character, and come apart into elements and deeds."""

import contextlib
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.collect.importers.common import read_common
from worldline.domains.android import DOMAIN
from worldline.domains.android.dialects import FORMS
from worldline.domains.android.observations import Message
from worldline.domains.base import ActionError
from worldline.trees import PatchError, apply, diff, view
from worldline.trees.line import read, write

ROWS = Path(__file__).parents[1] / "benchmarks" / "show" / "rows" / "android.jsonl"
SESSIONS = {session.id: session for session in read_common(ROWS)}
DIALECTS = sorted(DOMAIN.dialects)
SCREENS = {
    name: [
        text
        for session in SESSIONS.values()
        if session.dialect == name
        for text in (session.system.initial_state, *(turn.observation for turn in session.turns))
        if text
    ]
    for name in DIALECTS
}
LINES = sorted({line for texts in SCREENS.values() for text in texts for line in text.split("\n")})
ODD = st.text() | st.text(st.characters(categories=["Cs", "Cc", "L", "P"]))
PIECES = st.sampled_from(
    [
        'UI element 0: {"class_name": "X"}',
        'UI element 00: {"class_name": "X"}',
        "UI element 0: {}",
        "[0] a.B bounds=[1,2][3,4]",
        "      [1] a.B bounds=[1,2][3,4] (clickable clickable)",
        "[  0] | a.B | bounds=[1,2][3,4]",
        '[  1] | a.B | text="x | res="y" | bounds=[1,2][3,4] | clickable, checked',
        '1. B: "a", "b", "c" - (1,2,3,4)',
        "2. B: - (1,2,3,4)",
        "1. : - (1,2,3,4)",
        "**Current Phone State:**",
        "Accessibility Tree:",
        '        - B text="x" bounds=1,2,3,4',
        "- B flags=a,,b bounds=1,2,3,4",
        "foreground_activity: a/b",
        "• **App:** a (b.c)",
        "• **App:** ",
        "\r",
        "\u2028",
        "\ud800",
        "\0",
    ]
)
TEXTS = st.lists(st.sampled_from(LINES) | PIECES | ODD, max_size=14).map("\n".join)


def through(dialect, kind, text):
    """Parse, write as JSON, read back, render."""
    parsed = getattr(dialect, f"parse_{kind}")(text)
    data = jsonl.dumps(msgspec.to_builtins(parsed))
    back = msgspec.convert(jsonl.loads(data), getattr(dialect, kind))
    return parsed, getattr(dialect, f"render_{kind}")(back)


@pytest.mark.parametrize("session", SESSIONS.values(), ids=SESSIONS)
def test_sessions_are_recognised_and_read_exactly(session):
    dialect = DOMAIN.dialect(session.dialect)
    assert session.id.split("-")[1] in (session.dialect, session.dialect.removeprefix("ui-"))
    for turn in session.turns:
        assert through(dialect, "observation", turn.observation)[1] == turn.observation
        assert through(dialect, "action", turn.action)[1] == turn.action


@pytest.mark.parametrize("name", DIALECTS)
@given(text=TEXTS)
def test_any_observation_comes_back_exactly(name, text):
    assert through(DOMAIN.dialect(name), "observation", text)[1] == text


@pytest.mark.parametrize("name", DIALECTS)
@given(text=ODD | st.sampled_from([t.action for s in SESSIONS.values() for t in s.turns]))
def test_any_action_comes_back_exactly_or_is_refused(name, text):
    with contextlib.suppress(ActionError):
        assert through(DOMAIN.dialect(name), "action", text)[1] == text


@pytest.mark.parametrize("name", DIALECTS)
@given(before=TEXTS, after=TEXTS)
def test_an_edit_gives_the_next_screen_exactly(name, before, after):
    tree = DOMAIN.dialect(name).tree
    assert apply(tree, diff(tree, before, after), before) == after


@pytest.mark.parametrize("name", DIALECTS)
@given(text=TEXTS)
def test_handles_name_each_node_once_and_lines_read_back(name, text):
    form = DOMAIN.dialect(name).tree
    tree = form.parse(text)
    if tree is None:
        return
    handles = form.handles(tree)
    assert len(set(handles)) == len(tree.nodes)
    deepest = -1
    for node in tree.nodes:
        assert node.depth <= deepest + 1
        deepest = node.depth
        line = write(node, form.main)
        assert write(read(line, form.main, form.order, node.depth), form.main) == line


@pytest.mark.parametrize("name", DIALECTS)
def test_most_of_our_screens_are_elements_and_not_loose_lines(name):
    form = DOMAIN.dialect(name).tree
    for text in SCREENS[name]:
        kinds = [node.kind for node in form.parse(text).nodes]
        assert kinds.count("line") <= 4


def test_an_element_is_short_and_unusual_flags_are_said():
    fields = {
        "text": "Save",
        "content_description": "Save",
        "class_name": "android.widget.Button",
        "bbox_pixels": {"x_min": 1, "x_max": 3, "y_min": 2, "y_max": 4},
        "is_clickable": True,
        "is_enabled": True,
        "is_focusable": True,
        "is_visible": True,
        "package_name": "com.example.larder",
        "resource_name": "com.example.larder:id/save",
    }
    shown = view(DOMAIN.dialect("ui-elements").tree, f"UI element 0: {json.dumps(fields)}")[0]
    assert (
        shown
        == '@1 app "com.example.larder"\n 0 Button "Save" desc id="save" box=1,2,3,4 clickable'
    )
    del fields["is_enabled"], fields["is_focusable"], fields["package_name"]
    shown = view(DOMAIN.dialect("ui-elements").tree, f"UI element 0: {json.dumps(fields)}")[0]
    assert 'id="com.example.larder:id/save"' in shown
    assert shown.endswith("clickable unfocusable disabled")


def test_one_changed_switch_is_one_short_edit():
    session = SESSIONS["show-json-1"]
    tree = DOMAIN.dialect("json").tree
    script = diff(tree, session.system.initial_state, session.turns[0].observation)
    assert script == '= keep\n~ 2 "On" checked'


def test_a_model_can_change_the_activity_add_and_remove_views():
    session = SESSIONS["show-droidbot-1"]
    tree, state = DOMAIN.dialect("droidbot").tree, session.system.initial_state
    script = (
        '= keep\n~ @1 "org.example.boats/.ui.All"\n- 7\n+ 4 TextView "Yawl" id="row" box=0,1,2,3'
    )
    after = apply(tree, script, state).split("\n")
    assert after[0] == "foreground_activity: org.example.boats/.ui.All"
    assert after[-1] == (
        '      [7] android.widget.TextView text="Yawl" resource-id="org.example.boats:id/row" '
        "bounds=[0,1][2,3]"
    )
    with pytest.raises(PatchError):
        apply(tree, "= keep\n- 99", state)


def test_a_text_of_several_lines_is_a_node_a_line():
    tree = DOMAIN.dialect("phone").tree
    state = SESSIONS["show-phone-1"].system.initial_state
    assert '4 TextView "a \\"b\\""' in view(tree, state)[0]
    assert "@8 : c" in view(tree, state)[0]
    assert apply(tree, "= keep\n~ @8 : : d\n~ 3 checked", state) == state.replace(
        "\nc", "\nd"
    ).replace("isChecked=False", "isChecked=True")


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("text", ["", "Error: no device", "[]", "{}"])
def test_text_that_is_no_screen_stays_text(name, text):
    assert DOMAIN.dialect(name).parse_observation(text).body == Message(text)


def test_numbers_that_do_not_follow_are_kept_and_named():
    text = "\n".join(f"[  {number}] | a.B | bounds=[1,2][3,4]" for number in (0, 5, 6))
    tree = DOMAIN.dialect("json").tree
    assert through(DOMAIN.dialect("json"), "observation", text)[1] == text
    assert tree.handles(tree.parse(text)) == ("@1", "0", "5", "6")


def deed(dialect, action):
    return FORMS[dialect].deed(action)


def test_the_same_deed_is_understood_in_every_dialect():
    taps = [
        deed("ui-elements", '{"action_type": "click", "index": 10}'),
        deed("json", '{"action": "click", "coordinate": [5, 6]}'),
        deed("droidbot", "touch <button id=3 bound_box=1,2,3,4>Sign in</button>"),
        deed("droidbot", '{"event_type": "touch", "view": {"bounds": [[1, 2], [3, 4]]}}'),
        deed("phone", SESSIONS["show-phone-1"].turns[0].action),
    ]
    assert [one.verb for one in taps] == ["tap"] * 5
    assert [one.index for one in taps] == [10, None, None, None, 3]
    assert taps[1].point == (5, 6)
    assert taps[2].box == taps[3].box == (1, 2, 3, 4)
    backs = [
        deed("ui-elements", '{"action_type": "navigate_back"}'),
        deed("droidbot", '{"event_type": "key", "name": "BACK"}'),
        deed("phone", SESSIONS["show-phone-1"].turns[2].action),
    ]
    assert [one.verb for one in backs] == ["back"] * 3
    typed = deed("droidbot", "set_text <input bound_box=1,2,3,4>old</input> new text")
    assert (typed.verb, typed.text, typed.view) == ("type", "new text", {"text": "old"})
    assert deed("droidbot", "intent am start org.example.boats/.Main").app == "org.example.boats"
    assert deed("phone", SESSIONS["show-phone-1"].turns[1].action).text == "rep"


@pytest.mark.parametrize(
    "dialect, action",
    [
        ("ui-elements", "click 3"),
        ("ui-elements", '["click"]'),
        ("json", '{"index": 3}'),
        ("droidbot", "press <button>"),
        ("phone", '<invoke name="phone">'),
    ],
)
def test_what_is_no_action_is_refused(dialect, action):
    with pytest.raises(ActionError):
        DOMAIN.dialect(dialect).parse_action(action)


def test_a_view_is_cut_around_what_the_action_is_aimed_at():
    session = SESSIONS["show-elements-1"]
    tree, state = DOMAIN.dialect("ui-elements").tree, session.turns[0].observation
    shown, hidden = view(tree, state, action=session.turns[1].action, budget=200)
    assert "4 CheckBox" in shown and hidden > 0
    assert tree.target('{"action_type": "click", "index": 99}', tree.parse(state)) is None
    assert tree.target("no action", tree.parse(state)) is None


@pytest.mark.parametrize(
    "name, text",
    [
        ("ui-elements", "UI element 0: {" * 40_000),
        ("ui-elements", 'UI element 0: {"a":' + "[" * 200_000 + "}"),
        ("droidbot", "[0] a" + ' text="' * 100_000),
        ("droidbot", "  " * 200_000 + "[0] a bounds=[1,2][3,4]"),
        ("json", "[  0] | a |" + ' text="a' * 100_000 + " | bounds=[1,2][3,4]"),
        ("json", "[  0] | a |" + ' res="aa.aa' * 100_000),
        ("phone", "**Current Phone State:**\n" + '1. B: "' * 100_000),
        ("droidbot", "**Current Phone State:**\nAccessibility Tree:\n" + "- B flags=a" * 100_000),
    ],
)
def test_hostile_screens_are_read_at_once(name, text):
    assert through(DOMAIN.dialect(name), "observation", text)[1] == text


@pytest.mark.parametrize(
    "name, text",
    [
        ("phone", '<invoke name="phone">' * 50_000),
        ("phone", '<invoke name="phone">' + '<parameter name="a">' * 50_000),
        ("phone", " " * 200_000 + "x"),
        ("droidbot", "touch <a" + " b='" * 100_000),
        ("droidbot", "intent am start " + "-a " * 100_000),
        ("droidbot", "touch" + " " * 300_000 + "<a>"),
    ],
)
def test_hostile_actions_are_read_at_once(name, text):
    FORMS[name].deed(text)
