"""What the desktop shows: a screen that is a tree, or any other text."""

from collections.abc import Callable

import msgspec

from worldline.trees import Tree


class Observation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A screen, or the lines of a text that is none."""

    tree: Tree | None = None
    lines: tuple[str, ...] = ()


def observe(parse: Callable[[str], Tree | None]) -> Callable[[str], Observation]:
    """The parser of observations of a dialect whose screens `parse` reads."""

    def parse_observation(text: str) -> Observation:
        tree = parse(text)
        return Observation(tree) if tree is not None else Observation(None, tuple(text.split("\n")))

    return parse_observation


def show(render: Callable[[Tree], str]) -> Callable[[Observation], str]:
    """The inverse of `observe`."""

    def render_observation(seen: Observation) -> str:
        return "\n".join(seen.lines) if seen.tree is None else render(seen.tree)

    return render_observation
