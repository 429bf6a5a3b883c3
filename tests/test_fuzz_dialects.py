"""What fuzzing found in dialects since their own tests were written."""

import pytest

from worldline.domains import domain


@pytest.mark.parametrize("dialect", ["qwen-cli", "claude-code", "opencode", "hermes", "pi", "aci"])
@pytest.mark.parametrize(
    "text", ["L8\u0661: hay", "  8\u0661\thay", "  8\u0661→hay", "8\u0661: hay"]
)
def test_digits_of_other_scripts_are_no_line_numbers(dialect, text):
    form = domain("swe").dialect(dialect)
    assert form.render_observation(form.parse_observation(text)) == text
