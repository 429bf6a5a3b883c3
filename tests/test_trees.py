"""States as trees: what an edit script promises, whatever the text of pages and screens holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.trees import (
    TEXT,
    Node,
    PatchError,
    Tree,
    TreeForm,
    apply,
    by_number,
    by_ref,
    diff,
    moved,
    view,
)
from worldline.trees.line import LineError, read, write

HOSTILE = ('"', "\n", "=", "|", "- ", "~ ", "+ ", "= keep", "= none\n", "[1]", "\\", "..", "\r")
HOSTILE += ("\x00", "\u2028", "\ud800", "é", " ", "\t", "<a@1", "only", ":", "null", "1,", "2f")
texts = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=4), max_size=4).map("".join)
names = st.sampled_from(["checked", "url", "at", "value", "level"]) | texts.filter(bool)
values = (
    texts
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.lists(st.integers(-(10**20), 10**20), max_size=4).map(tuple)
    | st.none()
)
ORDER = ("text", "url", "at", "checked")


@st.composite
def nodes(draw, depth: int = 0, refs=None) -> Node:
    attrs = draw(st.dictionaries(names.filter(lambda name: name != "text"), values, max_size=4))
    known = sorted((name for name in attrs if name in ORDER), key=ORDER.index)
    told = [("text", draw(texts))] if draw(st.booleans()) else []
    pairs = [*told, *((name, attrs[name]) for name in known)]
    pairs += [(name, value) for name, value in attrs.items() if name not in known]
    # A line of text is a node of a kind of its own, and always has its text.
    others = texts.filter(lambda kind: kind not in ("", TEXT))
    kind = draw(st.sampled_from(["button", "link", "p", "list item"]) | others)
    return Node(kind, tuple(pairs), depth, draw(st.none() if refs is None else refs))


@st.composite
def trees(draw) -> Tree:
    refs = st.none() | st.sampled_from(["a1", "a2", "a1+1", "b", "+1", "7", "a1+2"])
    made, depth = [], 0
    for _ in range(draw(st.integers(0, 12))):
        depth = draw(st.integers(0, depth + 1)) if made else 0
        made.append(draw(nodes(depth=depth, refs=refs)))
    return Tree(tuple(made))


def parse(text: str) -> Tree | None:
    """A form of our own: tabs, then the node's line; `None` for anything else."""
    found = []
    for line in text.split("\n") if text else []:
        body = line.lstrip("\t")
        try:
            found.append(read(body, "text", ORDER, len(line) - len(body)))
        except LineError:
            return None
    tree = Tree(tuple(found))
    return tree if render(tree) == text else None


def render(tree: Tree) -> str:
    return "\n".join("\t" * node.depth + write(node, "text") for node in tree.nodes)


FORMS = {
    "by_ref": TreeForm(parse=parse, render=render, order=ORDER),
    "by_number": TreeForm(
        parse=parse,
        render=render,
        order=ORDER,
        handles=by_number("link"),
        key=lambda node: (node.kind, node.get("text")),
        target=lambda action, tree: int(action) if int(action) < len(tree.nodes) else None,
    ),
}
forms = st.sampled_from(sorted(FORMS)).map(FORMS.__getitem__)


def page(*lines: str) -> str:
    return "\n".join(lines)


# lines


@given(nodes())
def test_a_node_survives_its_line_whatever_its_text_holds(node: Node):
    line = write(node, "text")
    assert "\n" not in line
    again = read(line, "text", ORDER)
    assert again == node
    for (_, value), (_, kept) in zip(node.attrs, again.attrs, strict=True):
        assert type(value) is type(kept) and value == kept


@given(st.text())
def test_any_line_is_a_node_or_an_error_that_says_why(line: str):
    try:
        node = read(line, "text", ORDER)
    except LineError as error:
        assert str(error)
    else:
        assert read(write(node, "text"), "text", ORDER).attrs is not None


def test_a_long_unclosed_string_is_an_error_not_a_wait():
    with pytest.raises(LineError, match="not closed"):
        read('p "' + '\\"' * 50_000, "text")


# diff and apply


@given(forms, trees(), trees())
def test_applying_the_difference_of_two_trees_gives_the_second(form, a: Tree, b: Tree):
    before, after = render(a), render(b)
    assert apply(form, diff(form, before, after), before) == after


@given(forms, trees(), st.data())
def test_applying_the_difference_to_an_edited_tree_gives_the_edited_tree(form, a: Tree, data):
    kept = list(a.nodes)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(kept)))
        new = data.draw(nodes(depth=kept[at - 1].depth if at else 0))
        kept[at : at + data.draw(st.integers(0, 2))] = [new] * data.draw(st.integers(0, 2))
    before, after = render(a), render(Tree(tuple(kept)))
    assert apply(form, diff(form, before, after), before) == after


@given(forms, st.text(), st.text())
def test_text_that_is_no_state_is_replaced_whole(form, before: str, after: str):
    assert apply(form, diff(form, before, after), before) == after


@given(forms, texts, texts)
def test_hostile_text_cannot_become_an_edit(form, said: str, then: str):
    rows = [f'p "row {number}"' for number in range(6)]
    before, after = (
        page(*rows, write(Node("p", (("text", text), ("url", text))), "text"))
        for text in (said, then)
    )
    script = diff(form, before, after)
    assert apply(form, script, before) == after
    assert len(script.split("\n")) <= 2, "one node changed: one line of script"


def test_what_is_the_same_is_kept_in_two_words():
    state = page('[a1] page "Shop"', '\t[a2] button "Buy"')
    assert diff(FORMS["by_ref"], state, state) == "= keep"


def test_a_changed_attribute_costs_one_short_line():
    rows = [f'\t[b{n}] link "Item {n}" url="/{n}"' for n in range(20)]
    before = page('[a1] page "Shop"', *rows, "\t[c1] box checked=false")
    after = before.replace("checked=false", "checked=true")
    assert diff(FORMS["by_ref"], before, after) == "= keep\n~ c1 checked=true"


def test_a_removed_subtree_costs_one_line_however_large():
    rows = [f'\t\t[b{n}] link "Item {n}"' for n in range(20)]
    rest = [f'[d{n}] p "line {n}"' for n in range(20)]
    before = page("[a1] page", "\t[a2] menu", *rows, *rest)
    assert diff(FORMS["by_ref"], before, page("[a1] page", *rest)) == "= keep\n- a2"


def test_what_goes_around_a_node_that_stays_is_named_in_few_lines():
    rest = [f'[d{n}] p "line {n}"' for n in range(20)]
    menu = [f'\t[b{n}] link "Item {n}"' for n in range(5)]
    before = page("[a1] menu", *menu, "[a2] frame", "\t[a3] button", *rest)
    after = page("\t[a3] button", *rest)
    script = diff(FORMS["by_ref"], before, after)
    assert script == "= keep\n- a1\n- a2 only"
    assert apply(FORMS["by_ref"], script, before) == after


def test_when_little_stays_the_new_text_is_given_whole():
    before = page(*(f'[a{n}] p "old {n}"' for n in range(10)))
    after = page(*(f'[b{n}] link "new {n}"' for n in range(10)))
    assert diff(FORMS["by_ref"], before, after) == f"= none\n{after}"


def test_new_nodes_stand_where_they_belong():
    form = FORMS["by_ref"]
    before = page("[a1] page", "\t[a2] list", '\t\t[a3] item "one"', "\t[a4] foot")
    script = page("= keep", '+ a2 [n1] item "two"', "|| [n2] link", "+ <a4 rule", "+ >a4 [n3] end")
    assert apply(form, script, before) == page(
        "[a1] page",
        "\t[a2] list",
        '\t\t[a3] item "one"',
        '\t\t[n1] item "two"',
        "\t\t\t[n2] link",
        "\trule",
        "\t[a4] foot",
        "\t[n3] end",
    )


def test_a_reply_with_blank_lines_and_carriage_returns_is_still_a_script():
    before = page('[a1] p "x"', '[a2] p "y"')
    assert apply(FORMS["by_ref"], "= keep\r\n\r\n- a2\r\n", before) == '[a1] p "x"'


# errors


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("", "line 1"),
        ("keep", "line 1"),
        ("= keep\n- nobody", "line 2"),
        ('= keep\n\n~ a1 text="', "line 3"),
        ("= keep\n- a2..a1", "line 2"),
        ("= keep\n| below nothing", "line 2"),
        ("= keep\n+ a1 p\n|||| too deep", "line 3"),
        ("= keep\n* a1", "line 2"),
        ("= keep\n+ <a1@x p", "line 2"),
        ("= keep\n~ a1 : ", "line 2"),
        ("= keep\n+ a1 p x=1 x=2", "line 2"),
    ],
)
def test_a_script_that_cannot_be_carried_out_says_which_line_and_why(script: str, line: str):
    with pytest.raises(PatchError, match=line):
        apply(FORMS["by_ref"], script, page("[a1] page", '\t[a2] p "x"'))


def test_a_state_that_is_no_tree_can_only_be_replaced():
    with pytest.raises(PatchError, match="no tree"):
        apply(FORMS["by_ref"], "= keep\n- a1", 'p "')


@given(forms, trees(), st.lists(texts, max_size=5).map("\n".join))
def test_any_reply_is_carried_out_or_refused(form, tree: Tree, body: str):
    try:
        apply(form, f"= keep\n{body}", render(tree))
    except PatchError as error:
        assert str(error)


# handles


@given(forms, trees())
def test_handles_name_one_node_each(form, tree: Tree):
    handles = form.handles(tree)
    assert len(handles) == len(tree.nodes) == len(set(handles))


def test_handles_follow_the_ids_that_the_source_shows():
    tree = parse(page("page", "[a1] list", "item", "item", "[a2] list", "[a1] list"))
    assert tree and by_ref(tree) == ("+1", "a1", "a1+1", "a1+2", "a2", "a2+1")


def test_headers_are_counted_apart():
    tree = parse(page("link", "p", "link", "p"))
    assert tree and by_number("link")(tree) == ("@1", "0", "@2", "1")


def test_a_view_is_outdated_when_a_handle_names_another_node():
    form = FORMS["by_number"]
    before = page('p "one"', 'p "two"')
    assert not moved(form, before, page('p "one"', 'p "too"'))
    assert not moved(form, before, page('p "one"'))
    # The number of a new node stands in no edit.
    assert moved(form, before, page('p "one"', 'p "two"', 'p "three"'))
    assert moved(form, before, page('p "zero"', 'p "one"', 'p "two"'))
    assert not moved(FORMS["by_ref"], page("[a] p", "[b] p"), page("[c] p", "[a] p", "[b] p"))
    assert moved(FORMS["by_ref"], page("[a] p", "p", "q"), page("[a] p", "q"))


# views


@given(forms, trees(), st.integers(60, 400))
def test_a_view_keeps_its_budget_and_counts_what_is_missing(form, tree: Tree, budget: int):
    text, missing = view(form, render(tree), budget=budget)
    assert len(text) <= budget
    shown = [line for line in text.split("\n") if line and not line.startswith("... ")]
    assert len(shown) == len(tree.nodes) - missing


def test_a_view_is_cut_around_what_the_action_is_aimed_at():
    state = page(*(f'p "row {number}"' for number in range(300)))
    text, missing = view(FORMS["by_number"], state, action="200", budget=400)
    assert len(text) <= 400
    assert '200 p "row 200"' in text.split("\n")
    above, *rows, below = text.split("\n")
    assert len(rows) + missing == 300
    first = int(rows[0].split(" ")[0])
    assert above == f"... {first} above"
    assert below == f"... {300 - first - len(rows)} below"


def test_a_view_names_every_node_that_a_script_can_name():
    state = page('[a1] page "Shop"', '\tp "hello"', "\t[a2] button")
    text, missing = view(FORMS["by_ref"], state)
    assert (text, missing) == (page('a1 page "Shop"', ' a1+1 p "hello"', " a2 button"), 0)


# size


def test_deep_nesting_is_no_deeper_than_the_text():
    depth = 3_000
    rows = ["\t" * n + "p" for n in range(depth)]
    before, after = page(*rows), page(*rows[: depth // 2], "\t" * (depth // 2) + "link", *rows[1:2])
    for form in FORMS.values():
        assert apply(form, diff(form, before, after), before) == after


def test_a_very_long_list_is_compared_without_comparing_all_with_all():
    rows = [f'p "row {number}"' for number in range(40_000)]
    after = page(*rows[:20_000], "link", *rows[20_005:], 'p "end"')
    script = diff(FORMS["by_number"], page(*rows), after)
    assert apply(FORMS["by_number"], script, page(*rows)) == after
    assert len(script) < 200
