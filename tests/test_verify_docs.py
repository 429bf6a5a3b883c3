"""The worked example of the score: what the docs print is what comes; the page says the same."""

import contextlib
import io
import re
from pathlib import Path

from worldline.bench.verified import DIFFERENCES, Verified
from worldline.bench.verify_page import LEGEND
from worldline.verify.compare import DIMENSIONS
from worldline.verify.scorecard import FORM, Dimensions

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLE = re.compile(r"```python\n([^`]*score\(moment[^`]*)```\n\n```\n([^`]*)```")


def test_the_worked_example_prints_what_stands_below_it():
    found = EXAMPLE.search((DOCS / "verifying.md").read_text("utf-8"))
    assert found is not None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(found[1], "docs/verifying.md", "exec"), {})
    assert out.getvalue() == found[2]
    assert "score 0.84" in found[2] and "agreement 0.80" in found[2]


def test_the_page_explains_the_score_with_the_same_numbers():
    one = Dimensions(
        format=1, factuality=1, consistency=1, realism=1, quality=0.8, agreement=2 * 2 / (3 + 2)
    )
    mean = sum(getattr(one, name) for name in DIMENSIONS) / len(DIMENSIONS)
    assert f"mean is {mean:.2f}" in LEGEND and f"= {one.score:.2f}." in LEGEND
    assert f"at most {FORM} + {1 - FORM} × agreement" in LEGEND
    assert "forgives other values of the same shape" in " ".join(LEGEND.split())
    assert "form only" not in LEGEND


def test_the_formats_name_every_field_of_a_verified_row():
    told = (DOCS / "formats.md").read_text("utf-8").split("## Verified rows")[1].split("\n## ")[0]
    known = set(Verified.__struct_fields__) - {"schema"}
    assert {name for name in known if f"`{name}`" not in told} == set()
    assert f"first {DIFFERENCES} `differences`" in told and "`agreement`" in told
