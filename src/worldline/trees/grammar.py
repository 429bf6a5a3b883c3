"""The edit scripts of one state as a grammar, for engines that decode under one (GBNF).

A small model that would otherwise wander off can then only write a script that names nodes which
are there. What it changes is still its own choice; that it can be carried out is not left to it.
The grammar is a subset: no moves, no shifts, at most `EDITS` edits.
"""

from collections.abc import Sequence

from worldline.trees.line import name_text
from worldline.trees.node import TreeForm, parsed

BACK = 40
"""Earlier states that may come back."""
EDITS = 12
"""Edits of a script at most: what does not fit a short reply is better left out than cut off."""
NAMED = 600
"""Handles that are named one by one; in a larger state any word may be one."""

_RULES = r"""
root ::= "= keep" ("\n" edit){0,EDITS} MORE
edit ::= change | "+ " place " " node | "- " handle
change ::= "~ " handle (" " string (" " pair){0,4} | (" " pair){1,4})
place ::= [<>]? handle | "."
node ::= ref? kind (" " string)? (" " pair){0,8}
ref ::= "[" [^\x00-\x20\[\]"]{1,24} "] "
pair ::= name ("=" value)?
value ::= string | "true" | "false" | "-"? [0-9]{1,6} ("," "-"? [0-9]{1,6}){0,3}
kind ::= [A-Za-z] [A-Za-z0-9_.-]{0,40}
string ::= "\"" ([^"\\\x00-\x1f] | "\\" ["\\/bfnrt]){0,400} "\""
"""
_WHOLE = r'"= none\n" [^\x00]+'


def grammar(form: TreeForm, state: str, *, turns: Sequence[int] = (), whole: bool = True) -> str:
    """The GBNF grammar of the scripts that can follow a state.

    Args:
        turns: those whose states may come back.
        whole: whether there is room to write another state whole.
    """
    tree = parsed(form, state) if state else None
    if tree is None:
        return f"root ::= {_WHOLE}"
    handles = dict.fromkeys(form.handles(tree))
    rules = _RULES.strip().replace("EDITS", str(EDITS))
    more = [_literal(f"= turn {turn}") for turn in turns[-BACK:]] + [_WHOLE] * whole
    rules = rules.replace("MORE", "".join(f"| {one} " for one in more))
    seen = (name for node in tree.nodes for name, _ in node.attrs)
    names = [name for name in dict.fromkeys((*form.order, *seen)) if name_text(name) == name]
    return f"{rules}\nname ::= {_one_of(names or ['text'])}\n{_handles(list(handles))}"


def _handles(handles: Sequence[str]) -> str:
    if len(handles) > NAMED:
        return 'handle ::= [^\\x00-\\x20"]{1,24}'
    return f"handle ::= {_one_of(handles)}"


def _one_of(words: Sequence[str]) -> str:
    return " | ".join(map(_literal, words))


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\x{ord(c):02X}" for c in escaped) + '"'
