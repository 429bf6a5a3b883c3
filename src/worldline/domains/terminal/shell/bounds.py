"""Bounds on what a command may do: `Footprint`, and arguments as far as they are known."""

import fnmatch
from collections.abc import Sequence

import msgspec

Arg = str | None
"""An argument, or `None` where its text is not known."""


class GlobArg(str):
    """An argument that matches file names, by its pattern."""

    __slots__ = ()

    def may_be(self, word: str) -> bool:
        """Whether a file of that name would turn into this word of the command."""
        return fnmatch.fnmatchcase(word, self)


class Footprint(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds on what may happen.

    `paths` may be written (and what is below them), `links` become other names of something;
    `everything`: anything may change. `settling`: the answer holds blocks on disk, which are only
    the same again where nothing was written lately. `cwd`, `variables`
    and `shell`: the current directory, the shell's variables, or how it reads commands (options,
    aliases, functions) may change. `nested`: on a terminal another shell may read from then on.
    `background`: something may go on after it has returned.
    """

    paths: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    everything: bool = False
    settling: bool = False
    cwd: bool = False
    variables: bool = False
    shell: bool = False
    nested: bool = False
    background: bool = False
    repeatable: bool = True

    def __add__(self, other: "Footprint") -> "Footprint":
        return Footprint(
            paths=self.paths + other.paths,
            links=self.links + other.links,
            settling=self.settling or other.settling,
            everything=self.everything or other.everything,
            cwd=self.cwd or other.cwd,
            variables=self.variables or other.variables,
            shell=self.shell or other.shell,
            nested=self.nested or other.nested,
            background=self.background or other.background,
            repeatable=self.repeatable and other.repeatable,
        )

    @property
    def writes(self) -> bool:
        """Whether any file may change."""
        return self.everything or bool(self.paths or self.links)


PURE = Footprint()
ONCE = Footprint(repeatable=False)
EVERYTHING = Footprint(everything=True, repeatable=False)
SHELL = Footprint(shell=True, repeatable=False)
VARIABLES = Footprint(variables=True, repeatable=False)
SETTLING = Footprint(settling=True)
ANYTHING = Footprint(everything=True, cwd=True, variables=True, shell=True, repeatable=False)
"""What text may do that is not understood at all."""

LOST = "/\0"
"""A current directory that the script itself may have left for another."""
FILE = "./\0"
"""Stands for names of files that are not known one by one (``{}`` of find, input of xargs)."""


def options_hidden(args: Sequence[Arg]) -> bool:
    """Whether an argument that is not known may turn out to be an option."""
    return any(
        arg is None or (isinstance(arg, GlobArg) and arg.startswith(("*", "?", "[")))
        for arg in args
    )
