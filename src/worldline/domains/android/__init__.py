"""Android: a phone driven through its accessibility tree, in four dialects.

The five parts: `actions` (with `deeds`, what they mean) and `observations` (with `nodes`, `states`
and `dialects/`) read and write the text, `prompt` is what a model is told, `ledger` (with `memo`
and `telling`) keeps what is established, `checks` finds what cannot be.
"""

from worldline.domains.android.domain import Android

DOMAIN = Android()
__all__ = ["DOMAIN", "Android"]
