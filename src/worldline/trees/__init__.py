"""States that are trees, and edits of them as text.

`node` says what a tree is, `line` how one node is written on one line, `patch` what an edit script
looks like, `script` makes one (`diff`), `edit` carries one out (`apply`), `past` does both with
earlier states that come back, `view` shows a state with the handles that a script names. A dialect
brings its own `TreeForm`; the rest is shared. `grammar` holds an engine to scripts of a state.
"""

from worldline.trees.edit import apply
from worldline.trees.grammar import grammar
from worldline.trees.node import TEXT, Node, Tree, TreeForm, Value, by_number, by_ref, parsed
from worldline.trees.past import apply_past, diff_past
from worldline.trees.patch import PatchError
from worldline.trees.script import diff
from worldline.trees.view import moved, same_nodes, view

__all__ = [
    "TEXT",
    "Node",
    "PatchError",
    "Tree",
    "TreeForm",
    "Value",
    "apply",
    "apply_past",
    "by_number",
    "by_ref",
    "diff",
    "diff_past",
    "grammar",
    "moved",
    "parsed",
    "same_nodes",
    "view",
]
