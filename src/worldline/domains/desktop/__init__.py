"""The desktop domain (``os``): screens as accessibility trees, actions as Python.

The five parts: `actions` and `observations` (with `rows`, `lines`, `xmltree` and `dialects/`) read
and write the text, `prompt` is what a model is told, `ledger` and `telling` what it is told of the
session, `checks` what no screen can be. `screen` answers what is where.
"""

from worldline.domains.desktop.domain import Desktop

DOMAIN = Desktop()
__all__ = ["DOMAIN", "Desktop"]
