"""Edits of many nodes at once: moved blocks, shifted numbers, parts of texts, lines of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.trees import (
    TEXT,
    Node,
    PatchError,
    Tree,
    TreeForm,
    Value,
    apply,
    by_number,
    diff,
)
from worldline.trees.line import LineError, read, write
from worldline.trees.splice import find_splices, spliced

ORDER = ("text", "url", "at", "size")


def parse(text: str) -> Tree:
    found = []
    for line in text.split("\n") if text else []:
        body = line.lstrip("\t")
        found.append(read(body, "text", ORDER, len(line) - len(body)))
    return Tree(tuple(found))


def render(tree: Tree) -> str:
    return "\n".join("\t" * node.depth + write(node, "text") for node in tree.nodes)


FORM = TreeForm(
    parse=parse,
    render=render,
    order=ORDER,
    handles=by_number(),
    key=lambda node: (node.kind, node.get("text")),
)


def page(*lines: str) -> str:
    return "\n".join(lines)


def window(name: str, count: int, x: int = 0) -> list[str]:
    rows = [f'\tbutton "{name} {n}" at={x + 10 * n},{x + 100}' for n in range(count)]
    return [f'window "{name}" size=400,300', *rows]


def rebuilt(before: str, after: str) -> str:
    script = diff(FORM, before, after)
    assert apply(FORM, script, before) == after
    return script


# moves


def test_a_window_that_is_raised_is_one_line():
    mail, shop, clock = window("Mail", 6), window("Shop", 9), window("Clock", 4)
    script = rebuilt(page(*mail, *shop, *clock), page(*shop, *mail, *clock))
    assert script == "= keep\n> 0 <17"


def test_a_block_of_a_flat_list_moves_from_its_first_to_its_last():
    rows = [f'item "number {n}"' for n in range(12)]
    script = rebuilt(page(*rows), page(*rows[4:], *rows[:4]))
    assert script == "= keep\n> 0..3 ."


def test_what_changes_in_a_moved_window_is_named_by_the_handles_it_had():
    mail, shop = window("Mail", 6), window("Shop", 9)
    raised = [*mail[:3], '\tbutton "new" at=1,1', *mail[3:5], mail[6]]
    raised[1] = raised[1].replace("at=0,100", "at=7,100")
    script = rebuilt(page(*mail, *shop), page(*shop, *raised))
    assert script.split("\n")[1:] == [
        "> 0 .",
        "~ 1 at=7,100",
        "- 5",
        '+ <3 button "new" at=1,1',
    ]


def test_moves_are_carried_out_first_wherever_they_stand():
    before = page(*(f'p "{name}"' for name in "abcd"))
    expected = page('p "c"', 'p "x"', 'p "d"', 'p "new"')
    for lines in (
        ["> 0..1 .", '~ 0 "x"', "> 0 <3", "- 1", '+ . p "new"'],
        ['~ 0 "x"', "- 1", '+ . p "new"', "> 0..1 .", "> 0 <3"],
    ):
        assert apply(FORM, page("= keep", *lines), before) == expected


def test_a_moved_node_takes_the_depth_of_its_new_place():
    before = page('list "a"', '\titem "1"', 'list "b"', '\titem "2"')
    assert apply(FORM, "= keep\n> 1 2", before) == page(
        'list "a"', 'list "b"', '\titem "2"', '\titem "1"'
    )
    assert apply(FORM, "= keep\n> 1 >0", before) == page(
        'list "a"', 'item "1"', 'list "b"', '\titem "2"'
    )


def test_nothing_moves_into_itself_or_to_a_place_that_is_not_there():
    before = page('list "a"', '\titem "1"', '\titem "2"', 'list "b"')
    for line, message in (
        ("> 0 1", "into itself"),
        ("> 0 <2", "into itself"),
        ("> 0 <9", "no node '9'"),
        ("> 9 <0", "no node '9'"),
        ("> 2..1 .", "stands before"),
        ("> 1", "no edit"),
        ("> 1 <3 now", "no edit"),
    ):
        with pytest.raises(PatchError, match=message):
            apply(FORM, f"= keep\n{line}", before)


kinds = st.sampled_from(["p", "button", TEXT])
names = st.text(st.sampled_from('ab "\\\n:|>.é'), max_size=4)


@st.composite
def states(draw) -> list[Node]:
    made, depth = [], 0
    for _ in range(draw(st.integers(0, 14))):
        depth = draw(st.integers(0, depth + 1)) if made else 0
        attrs: list[tuple[str, Value]] = []
        if name := draw(names):
            attrs.append(("text", name))
        kind = draw(kinds)
        if kind != TEXT and draw(st.booleans()):
            attrs.append(("at", draw(st.tuples(st.integers(-9, 9), st.integers(-9, 9)))))
        made.append(Node(kind, tuple(attrs), depth))
    return made


@given(states(), st.data())
def test_whatever_is_moved_shifted_and_changed_the_next_state_is_exact(nodes, data):
    before = render(Tree(tuple(nodes)))
    shuffled = list(nodes)
    if len(nodes) > 1:
        first = data.draw(st.integers(0, len(nodes) - 1))
        stop = data.draw(st.integers(first + 1, len(nodes)))
        block = shuffled[first:stop]
        del shuffled[first:stop]
        at = data.draw(st.integers(0, len(shuffled)))
        shuffled[at:at] = block
    by = data.draw(st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
    moved = []
    for node in shuffled:
        at = node.get("at")
        depth = min(node.depth, moved[-1].depth + 1 if moved else 0)
        spot = tuple(a + b for a, b in zip(at, by, strict=True)) if isinstance(at, tuple) else None
        attrs = tuple((name, spot if name == "at" else value) for name, value in node.attrs)
        moved.append(Node(node.kind, attrs, depth))
    rebuilt(before, render(Tree(tuple(moved))))


@given(states(), states())
def test_any_state_follows_any_other(one, other):
    rebuilt(render(Tree(tuple(one))), render(Tree(tuple(other))))


EDITS = ("> 0 .", "> 1..2 <0", "> 2 >0", "> 0 3", "~ 0..3 at+=1,-1", '~ 1 "a" -> "b"', "- 1..2")
EDITS += ("+ 0 : line", ": more", ": ", '|: "x', "~ 2 at+=5", "~ 1 : : a text", "- 0 only")
edits = st.lists(st.sampled_from(EDITS), max_size=6)


@given(states(), edits)
def test_any_edits_are_carried_out_or_refused(nodes, lines):
    try:
        after = apply(FORM, page("= keep", *lines), render(Tree(tuple(nodes))))
    except PatchError as error:
        assert str(error)
    else:
        assert isinstance(after, str)


def test_many_moved_blocks_are_found_without_comparing_all_with_all():
    rows = [f'p "row {n}"' for n in range(3_000)]
    blocks = [rows[n : n + 10] for n in range(0, len(rows), 10)]
    after = [row for n in range(0, len(blocks) - 1, 2) for row in [*blocks[n + 1], *blocks[n]]]
    rebuilt(page(*rows), page(*after))


def test_a_script_of_very_many_moves_or_shifts_is_refused():
    before = page(*(f'p "row {n}" at=1,2' for n in range(50)))
    for line in ("> 0 .", "~ 0..49 at+=1,1"):
        assert apply(FORM, page("= keep", *[line] * 200), before)
        with pytest.raises(PatchError, match="over 200"):
            apply(FORM, page("= keep", *[line] * 201), before)


# shifts


def test_a_scrolled_page_is_one_line():
    rows = [f'p "line {n}" at=40,{100 + 20 * n} size=300,18' for n in range(30)]
    down = [f'p "line {n}" at=40,{60 + 20 * n} size=300,18' for n in range(30)]
    bar = 'bar "Top" at=0,0'
    assert rebuilt(page(bar, *rows), page(bar, *down)) == "= keep\n~ 1..30 at+=0,-40"


def test_a_shift_leaves_nodes_without_such_numbers_alone():
    before = page('p "a" at=1,2', 'p "b"', 'p "c" at=3', 'p "d" at=5,6 url="x"')
    assert apply(FORM, "= keep\n~ 0..3 at+=10,0", before) == page(
        'p "a" at=11,2', 'p "b"', 'p "c" at=3', 'p "d" at=15,6 url="x"'
    )


def test_an_attribute_whose_name_ends_in_plus_is_no_shift():
    before, after = page('p "a" "at+"=1,2'), page('p "a" "at+"=3,4')
    assert apply(FORM, diff(FORM, before, after), before) == after


# parts of texts


def test_of_a_long_text_only_the_part_that_changed_is_said():
    url = "https://shop.example/catalogue/{}?sort=price&page={}&session=5f1c9a7e20b84d"
    before = page(f'entry "Address" url="{url.format("bread", 1)}"', 'p "text"')
    after = page(f'entry "Address" url="{url.format("cake", 2)}"', 'p "text"')
    script = rebuilt(before, after)
    assert '"bread" -> "cake"' in script
    assert len(script) < 80


def test_a_part_must_stand_in_the_text_exactly_once():
    before = page('p "one two one"')
    assert apply(FORM, '= keep\n~ 0 "two" -> "three"', before) == 'p "one three one"'
    for part in ("one", "four", ""):
        with pytest.raises(PatchError, match="does not stand once"):
            apply(FORM, f'= keep\n~ 0 "{part}" -> "x"', before)
    with pytest.raises(PatchError, match="does not stand once in 'url'"):
        apply(FORM, '= keep\n~ 0 url "a" -> "x"', before)


@given(
    st.text(st.sampled_from("ab/=&%"), max_size=90), st.text(st.sampled_from("ab/=&%"), max_size=90)
)
def test_parts_of_a_text_make_the_other(old, new):
    text = old
    for part in find_splices("url", old, new):
        after = spliced(text, part)
        assert after is not None
        text = after
    assert text in (old, new)


def test_very_long_texts_are_not_searched_for_parts():
    for old, new in (("ab" * 100_000, "ab" * 100_001), ("a" * 3_000, "a" * 2_000 + "b")):
        before, after = page(f'p "{old}"', 'p "end"'), page(f'p "{new}"', 'p "end"')
        rebuilt(before, after)


# lines of text


@given(st.text())
def test_a_line_of_text_is_written_as_it_is_and_read_back(text):
    node = Node(TEXT, (("text", text),) if text else (), 2)
    line = write(node, "text")
    assert "\n" not in line and line == line.rstrip()
    assert read(line, "text", ORDER, 2) == node


def test_lines_of_text_need_no_quotes():
    assert write(Node(TEXT, (("text", '  x = "a"'),)), "text") == ':   x = "a"'
    assert write(Node(TEXT, (("text", "$ "),)), "text") == ': "$ "'
    with pytest.raises(LineError, match="nothing behind"):
        read(': "a" b', "text")


def test_new_lines_of_text_stand_under_each_other():
    before = page("terminal", '\t: "$ "', 'p "end"')
    after = page("terminal", "\t: $ ls", "\t: a.txt", "\t:", '\t: "$ "', 'p "end"')
    script = rebuilt(before, after)
    assert script == "= keep\n+ <1 : $ ls\n: a.txt\n:"
    with pytest.raises(PatchError, match="below no"):
        apply(FORM, "= keep\n: text", before)
