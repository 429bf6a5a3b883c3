"""The shell on paper: command lines read, bounded and followed on what is known, never run.

`lexer` and `grammar` read text, `footprint` bounds what it may touch, `machine` follows it with the
programs of `reads`, `filters`, `utilities` and `changes` on the facts of `files`.
"""
