"""The text forms of the terminal domain, by id."""

from worldline.domains.terminal.dialects.aci import EditorForm
from worldline.domains.terminal.dialects.command import CommandForm
from worldline.domains.terminal.dialects.form import Form
from worldline.domains.terminal.dialects.terminus2 import TerminusForm
from worldline.domains.terminal.dialects.tools import ToolForm

FORMS: dict[str, Form] = {
    form.id: form for form in (TerminusForm(), CommandForm(), ToolForm(), EditorForm())
}
"""One object per dialect."""
