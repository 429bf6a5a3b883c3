"""Chromium's accessibility tree as text: nothing is lost on the way without being named."""

from hypothesis import given
from hypothesis import strategies as st

from worldline.domains.web import axtree
from worldline.domains.web.dialects import browsergym


def node(id, role, name=None, children=(), *, backend=None, ignored=False, value=None, **props):
    """A node as ``Accessibility.getFullAXTree`` sends it."""
    made = {
        "nodeId": id,
        "ignored": ignored,
        "role": {"type": "role", "value": role},
        "childIds": list(children),
        "properties": [
            {"name": key, "value": {"type": "boolean", "value": item}}
            for key, item in props.items()
        ],
    }
    if name is not None:
        made["name"] = {"type": "computedString", "value": name}
    if value is not None:
        made["value"] = {"type": "string", "value": value}
    if backend is not None:
        made["backendDOMNodeId"] = backend
    return made


WRAPPED = [
    node("1", "RootWebArea", "Mail", ["2"]),
    node("2", "none", None, ["3", "4"], ignored=True, backend=11),
    node("3", "button", "Save", backend=12),
    node("4", "generic", "", backend=13, focusable=True),
]


def test_ur_s32_a_skipped_wrapper_leaves_its_children():
    made = axtree.render(WRAPPED)
    assert made.text == "RootWebArea 'Mail'\n\t[12] button 'Save'\n\t[13] generic, clickable"
    assert made.drops == (axtree.Drop("2", "ignored"),)
    tree = browsergym.parse(made.text)
    assert tree is not None and browsergym.render(tree) == made.text
    assert [n.ref for n in tree.nodes] == [None, "12", "13"]


def test_ur_s32_every_node_that_went_in_comes_out_or_is_named():
    deep = [node("0", "RootWebArea", "Deep", ["1"])]
    for number in range(1, 436):
        ignored = number % 3 != 0
        role = "none" if ignored else "button"
        deep.append(node(str(number), role, f"b{number}", [str(number + 1)], ignored=ignored))
    made = axtree.render(deep)
    assert len(made.lines) + len(made.drops) == len(deep) == 436
    assert {drop.why for drop in made.drops} == {"ignored"}
    assert len(made.lines) == 1 + sum(number % 3 == 0 for number in range(1, 436))


def test_ur_s32_a_nameless_element_that_a_page_listens_on_is_kept():
    nodes = [
        node("1", "RootWebArea", "x", ["2", "3"]),
        node("2", "generic", "", backend=5),
        node("3", "generic", "", backend=6),
    ]
    made = axtree.render(nodes, clickable={6})
    assert made.text == "RootWebArea 'x'\n\t[6] generic, clickable"
    assert made.drops == (axtree.Drop("2", "plain"),)


def test_frames_have_letters_and_node_ids_of_their_own():
    page = [
        node("1", "RootWebArea", "x", ["2", "3"]),
        node("2", "Iframe", "", backend=7),
        node("3", "Iframe", "", backend=8),
    ]
    inner = [node("1", "RootWebArea", "in", ["2"]), node("2", "link", "go", backend=4)]
    nested = [node("1", "RootWebArea", "f", ["2"]), node("2", "Iframe", "", backend=9)]
    made = axtree.render(page, frames={7: inner, 8: nested, 9: inner})
    assert made.text.split("\n") == [
        "RootWebArea 'x'",
        "\t[a] Iframe ''",
        "\t\tRootWebArea 'in'",
        "\t\t\t[a4] link 'go'",
        "\t[b] Iframe ''",
        "\t\tRootWebArea 'f'",
        "\t\t\t[ba] Iframe ''",
        "\t\t\t\tRootWebArea 'in'",
        "\t\t\t\t\t[ba4] link 'go'",
    ]
    assert made.drops == ()


def test_a_closed_shadow_tree_stands_below_its_host_without_letters():
    page = [node("1", "RootWebArea", "x", ["2"]), node("2", "group", "widget", backend=7)]
    shadow = [
        node("1", "none", None, ["2"], ignored=True),
        node("2", "button", "Close", backend=21),
    ]
    made = axtree.render(page, frames={7: shadow})
    assert made.text == "RootWebArea 'x'\n\t[7] group 'widget'\n\t\t[21] button 'Close'"
    assert made.drops == (axtree.Drop("1", "ignored"),)


def test_nodes_that_nothing_reaches_are_named():
    stray = [node("1", "RootWebArea", "x", ["1", "9"]), node("2", "button", "lost")]
    made = axtree.render(stray, frames={99: [node("1", "button", "framed")]})
    assert made.text == "RootWebArea 'x'"
    assert [(drop.node, drop.why) for drop in made.drops] == [
        ("2", "unreachable"),
        ("1", "unreachable"),
    ]


def test_text_that_its_parent_says_too_may_be_left_out():
    nodes = [
        node("1", "RootWebArea", "x", ["2"]),
        node("2", "button", "Save all", ["3"], backend=3),
        node("3", "StaticText", "Save", ["4"]),
        node("4", "InlineTextBox", "Save"),
    ]
    assert len(axtree.render(nodes).lines) == 3
    made = axtree.render(nodes, repeats=False)
    assert made.text == "RootWebArea 'x'\n\t[3] button 'Save all'"
    assert [drop.why for drop in made.drops] == ["said above", "role"]


def test_values_flags_and_own_ids_are_printed_as_browsergym_does():
    box = node("2", "combobox", " Size ", value="L", focused=True, expanded=False, level=2)
    box["browsergym_id"] = "a17"
    made = axtree.render([node("1", "RootWebArea", "x", ["2"]), box])
    assert made.lines[1] == (1, "[a17] combobox 'Size' value='L', focused, expanded=False")


def test_letters_of_frames():
    assert [axtree.letters(n) for n in (0, 25, 26, 51, 52, 702)] == [
        *("a", "z", "aA", "zA", "aB", "aAA"),
    ]


ROLES = ["button", "generic", "none", "StaticText", "link", "bad role", "raw", "Iframe", ""]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(ROLES),
            st.text() | st.text(st.characters(categories=["Cs", "Cc"])),
            st.booleans(),
            st.lists(st.integers(0, 12), max_size=4),
        ),
        max_size=12,
    )
)
def test_any_graph_is_counted_in_full_and_read_back(items):
    nodes = [node("0", "RootWebArea", "x", [str(n) for n in range(13)])]
    for number, (role, name, ignored, children) in enumerate(items, 1):
        kids = [str(child) for child in children]
        nodes.append(node(str(number), role, name, kids, ignored=ignored, backend=number))
    made = axtree.render(nodes)
    assert len(made.lines) + len(made.drops) == len(nodes)
    state = browsergym.state_text([("x", "http://x.example/", True)], made.text)
    tree = browsergym.parse(state)
    assert tree is not None and browsergym.render(tree) == state
    assert all(n.kind != "raw" for n in tree.nodes)
