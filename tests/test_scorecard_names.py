"""Answers that only look like the truth, by another name, score less than 1.00."""

import json

import pytest
from test_guard_reality_mcp import PAGE, call, last

from worldline.verify.measure import score

READ = call("read_query", query="SELECT 1")
MAIL = call("get_mail", id=1)
FAILED = "Error from previous action:\nError: no such element\n\n"
UNEQUAL = {
    "column": ("mcp", "json", READ, "[{'affected_rows': 3}]", "[{'zebra': 3}]"),
    "fields": ("mcp", "json", MAIL, '[{"from": "Ana", "to": "Bo"}]', '[{"a": "Ana", "b": "Bo"}]'),
    "name of a list": (
        "mcp",
        "json",
        MAIL,
        '{"result": {"colour": ["teal", "red"]}}',
        '{"zebra": {"colour": ["teal", "red"]}}',
    ),
    "inner list": ("mcp", "json", MAIL, '{"a": [["x", "y"]]}', '{"b": [["x", "y"]]}'),
    "list below a list": ("mcp", "json", MAIL, '[{"a": [{"b": 1}]}]', '[{"a": [{"c": 1}]}]'),
    "list of a named": (
        "mcp",
        "json",
        MAIL,
        '[{"id": "k1", "tags": ["x"]}, {"id": "k2", "tags": ["y"]}]',
        '[{"id": "k1", "hues": ["x"]}, {"id": "k2", "hues": ["y"]}]',
    ),
    "text of lines": ("mcp", "json", MAIL, '{"body": "one\\ntwo"}', '{"head": "one\\ntwo"}'),
    "no notes": ("search", "awb", call("dict_memory", operation="retrieve_all"), "{}", '""'),
    "no notes, nothing": ("search", "awb", call("dict_memory", operation="retrieve_all"), "{}", ""),
    "no notes in json": ("search", "json", call("dict_memory", operation="retrieve_all"), "{}", ""),
    "heading again": (
        "web",
        "browsergym",
        "click('9')",
        FAILED + PAGE,
        FAILED.replace("\n", "\nError from previous action:\n", 1) + PAGE,
    ),
    "error heading again": (
        "web",
        "playwright",
        call("browser_click", ref="e1"),
        "### Error\nError: no\n### Page state\n- Page URL: http://harbour.example/\n",
        "### Error\n### Error\nError: no\n### Page state\n- Page URL: http://harbour.example/\n",
    ),
}


@pytest.mark.parametrize("case", UNEQUAL)
def test_what_is_not_the_truth_scores_less_than_one(case):
    domain, dialect, action, truth, given = UNEQUAL[case]
    now = last(domain, dialect, (action, truth))
    assert score(now, truth).true.score == 1
    assert score(now, given).true.score < 1
    parts = now.domain.parts(now.ledger, action, truth)
    assert all(one.span is None or truth[slice(*one.span)] == one.text for one in parts)


def test_a_renamed_field_costs_format_once_however_many_rows_have_it():
    rows = [{"hue": hue, "n": n} for n, hue in enumerate(("teal", "red", "umber"), 2)]
    now = last("mcp", "json", (READ, json.dumps(rows)))
    renamed = score(now, json.dumps([{"dye": r["hue"], "n": r["n"]} for r in rows]))
    assert renamed.true.format < 1 and renamed.lies == 0
    assert renamed.true.factuality == renamed.true.quality == renamed.true.consistency == 1
    assert score(now, json.dumps(rows[:2])).true.format == 1
