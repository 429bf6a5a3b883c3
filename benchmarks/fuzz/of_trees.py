"""The engine of trees, apart from any dialect: lines and edit scripts."""

from collections.abc import Iterator
from contextlib import suppress

from benchmarks.fuzz.targets import Broken, Make, Target, same
from worldline.trees import Node, PatchError, Tree, TreeForm, apply, diff, view
from worldline.trees.line import LineError, read, write
from worldline.trees.patch import parse

SPLIT = "\x1e"
"""Between the two texts of one input."""
STATE = """\
[a1] page "Shop" url="/"
\t[a2] list
\t\t[a3] link "One" url="/1" at=10,20
\t\t[a4] link "Two" url="/2" at=10,40
\titem "plain"
\t[a5] box checked=false size=3"""
SCRIPTS = (
    "= keep",
    "= none\n[a1] page",
    '= keep\n~ a3 "Uno" url="/uno" -at new\n~ a5 : [a5] box checked=true',
    '= keep\n- a2..a4\n+ a1 [b1] p "new"\n|| [b2] link\n| q\n+ <a5@1 r\n+ >a5 s\n- a5 only',
    "= keep\n~ a3..a4 at+=0,-10",
)


def parsed(text: str) -> Tree | None:
    """A form of our own: tabs, then the node's line."""
    nodes: list[Node] = []
    for line in text.split("\n") if text else []:
        body = line.lstrip("\t")
        try:
            nodes.append(read(body, "text", (), len(line) - len(body)))
        except LineError:
            return None
    tree = Tree(tuple(nodes))
    return tree if rendered(tree) == text else None


def rendered(tree: Tree) -> str:
    """The text of a tree in our own form."""
    return "\n".join("\t" * node.depth + write(node, "text") for node in tree.nodes)


FORM = TreeForm(parse=parsed, render=rendered)


def targets() -> Iterator[Target]:
    """Lines, scripts, apply, diff, views."""
    nodes = tuple(line.strip() for line in STATE.split("\n"))
    yield Target("trees.line.read", line, lambda: (*nodes, 'p "a b" "odd name"="x" n=1,2 f=1.5f t'))
    yield Target("trees.patch.parse", patch, lambda: SCRIPTS)
    yield Target("trees.apply", lambda script: carry(FORM, STATE, script), lambda: SCRIPTS)
    pairs = (
        STATE + SPLIT + STATE.replace("Two", "2"),
        STATE + SPLIT + STATE.replace("[a2]", "[b]"),
    )
    yield Target("trees.diff", lambda text: compare(FORM, text), lambda: pairs, more=_large_pairs)
    yield Target("trees.view", lambda text: look(FORM, text), lambda: (STATE,))


def _large_pairs() -> Iterator[tuple[str, Make]]:
    """Pairs of large states in which much has changed, flat and deep."""

    def pair(before: list[str], after: list[str]) -> str:
        return "\n".join(before) + SPLIT + "\n".join(after)

    def flat(size: int) -> list[str]:
        return [f'p "row {number}"' for number in range(size // 14)]

    def deep(size: int) -> list[str]:
        return ["\t" * number + "p" for number in range(int((2 * size) ** 0.5))]

    def gone(rows: list[str]) -> str:
        return pair(rows, [row for number, row in enumerate(rows) if number % 3])

    def moved(rows: list[str]) -> str:
        return pair(rows, rows[len(rows) // 2 :] + rows[: len(rows) // 2])

    for name, rows in (("flat", flat), ("deep", deep)):
        yield f"{name}, each third gone", lambda size, rows=rows: gone(rows(size))
        yield (
            f"{name}, all but the ends gone",
            lambda size, rows=rows: pair(
                rows(size), [*rows(size)[:3], *rows(size)[-len(rows(size)) // 3 :]]
            ),
        )
        yield (
            f"{name}, new ones between",
            lambda size, rows=rows: SPLIT.join(reversed(gone(rows(size)).split(SPLIT))),
        )
        yield f"{name}, halves swapped", lambda size, rows=rows: moved(rows(size))
        yield f"{name}, backwards", lambda size, rows=rows: pair(rows(size), rows(size)[::-1])


def line(text: str) -> None:
    """A line is a node or a `LineError`; a node's own line is read as that node."""
    try:
        node = read(text, "text")
    except LineError:
        return
    again = write(node, "text")
    same(again, write(read(again, "text"), "text"), "a node's line")


def patch(text: str) -> None:
    """A script or a `PatchError`."""
    with suppress(PatchError):
        parse(text)


def carry(form: TreeForm, state: str, script: str) -> None:
    """A script is carried out or refused."""
    with suppress(PatchError):
        apply(form, script, state)


def compare(form: TreeForm, text: str) -> None:
    """The edit script between two states gives the second."""
    before, _, after = text.partition(SPLIT)
    same(after, apply(form, diff(form, before, after), before), "apply(diff)")


def look(form: TreeForm, text: str) -> None:
    """A state renders back, has one handle a node, and its view keeps a budget."""
    tree = form.parse(text)
    if tree is not None:
        same(text, form.render(tree), "a state")
        handles = form.handles(tree)
        if not len(handles) == len(tree.nodes) == len(set(handles)):
            raise Broken(f"{len(tree.nodes)} nodes have {len(set(handles))} different handles")
    if len(view(form, text, action=text[:200], budget=500)[0]) > 500:
        raise Broken("a view is longer than its budget")
