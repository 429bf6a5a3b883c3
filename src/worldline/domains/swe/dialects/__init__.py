"""The text forms of the swe domain, by id."""

from worldline.domains.swe.dialects.aci import Aci
from worldline.domains.swe.dialects.bash_returncode import BashReturncode
from worldline.domains.swe.dialects.claude_code import ClaudeCode
from worldline.domains.swe.dialects.hermes import Hermes
from worldline.domains.swe.dialects.opencode import OpenCode
from worldline.domains.swe.dialects.pi import Pi
from worldline.domains.swe.dialects.qwen_cli import QwenCli
from worldline.domains.terminal.dialects.form import Form

FORMS: dict[str, Form] = {
    form.id: form
    for form in (
        BashReturncode(),
        ClaudeCode(),
        Aci(),
        Hermes(),
        OpenCode(),
        Pi(),
        QwenCli(),
    )
}
"""One object per dialect."""
