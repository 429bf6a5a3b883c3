"""What each kind of environment looks like as text: a package a domain, five parts in each."""

from worldline.domains.registry import domain, names

__all__ = ["domain", "names"]
