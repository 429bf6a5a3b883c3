"""Where real actions run: a Debian of their own, with no network and no way out.

Bubblewrap makes the namespaces; the file system is a cached Debian root under an overlay on a
tmpfs of limited size; the agent is the user `user` without capabilities. See docs/sandbox.md.
"""

from worldline.environments.sandbox.box import Bind, Limits, Sandbox
from worldline.environments.sandbox.changes import Change
from worldline.environments.sandbox.needs import needs
from worldline.environments.sandbox.roots import Root, debian_root

__all__ = ["Bind", "Change", "Limits", "Root", "Sandbox", "debian_root", "needs"]
