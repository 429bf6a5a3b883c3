"""What fuzzing found in redaction."""

import pytest

from worldline.collect.scrub import redact_value
from worldline.redact import redact


@pytest.mark.parametrize("text", ["Authorization:e@m.or", "password: a@b.it", "x-api-key: q@w.de"])
def test_a_person_where_a_secret_may_stand_is_replaced_once(text):
    clean, _ = redact_value(text, salt="s")
    assert text.partition(":")[2].strip() not in clean
    assert redact_value(clean, salt="s") == (clean, {})


def test_a_word_that_only_its_pseudonym_makes_a_secret_is_one_at_once():
    clean, found = redact_value("PASSWORD=:/home/n", salt="s")
    assert (clean, found) == ("PASSWORD=[REDACTED:password]", {"login": 1, "password": 1})
    assert redact_value(clean, salt="s") == (clean, {})


def test_a_secret_beside_a_pseudonym_is_still_found():
    text, found = redact(
        "postgres://person-7d31b7:pa55w0rd!x@host-00aa11/db password=hunter2hunter2"
    )
    assert "pa55w0rd" not in text and "hunter2" not in text and found["password"] == 2
