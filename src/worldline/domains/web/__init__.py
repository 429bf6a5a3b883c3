"""The web: pages as trees of elements, a browser's answers to an agent's actions."""

from worldline.domains.web.domain import Web

DOMAIN = Web()
__all__ = ["DOMAIN", "Web"]
