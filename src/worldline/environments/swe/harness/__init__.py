"""How each dialect's harness carries out an action, and how it answers."""

from worldline.environments.swe.harness.aci import Aci
from worldline.environments.swe.harness.base import Harness
from worldline.environments.swe.harness.claude_code import ClaudeCode
from worldline.environments.swe.harness.opencode import OpenCode
from worldline.environments.swe.harness.pi import Pi
from worldline.environments.swe.harness.returncode import Returncode

HARNESSES: dict[str, type[Harness]] = {
    one.id: one for one in (Returncode, ClaudeCode, Aci, OpenCode, Pi)
}
"""Those a session can have, by dialect."""

__all__ = ["HARNESSES", "Harness"]
