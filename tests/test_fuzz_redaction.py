"""What fuzzing found in redaction."""

import random

import pytest

from worldline.collect.scrub import redact_value
from worldline.redact import redact


@pytest.mark.parametrize("text", ["Authorization:e@m.or", "password: a@b.it", "x-api-key: q@w.de"])
def test_a_person_where_a_secret_may_stand_is_replaced_once(text):
    clean, _ = redact_value(text, salt="s")
    assert text.partition(":")[2].strip() not in clean
    assert redact_value(clean, salt="s") == (clean, {})


def test_a_secret_beside_a_pseudonym_is_still_found():
    text, found = redact(
        "postgres://person-7d31b7:pa55w0rd!x@host-00aa11/db password=hunter2hunter2"
    )
    assert "pa55w0rd" not in text and "hunter2" not in text and found["password"] == 2


def test_hundreds_of_names_are_looked_for_without_a_word_on_stderr(capfd):
    draw = random.Random(1)
    words = [
        "".join(draw.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=12)) for _ in range(900)
    ]
    text = "\n".join(f"/home/{word}/x {word}@{word[::-1]}:~$ ls" for word in words)
    clean, found = redact_value([text, " ".join(words)], salt="s")
    assert found["login"] >= 400 and not capfd.readouterr().err
    assert clean[0].count("/home/person-") == 900
