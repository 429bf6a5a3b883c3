"""When to wait, how many at once, and what an error means."""

import asyncio
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.errors import ModelError
from worldline.models.remote.limiter import Limiter
from worldline.models.remote.retry import LONGEST_WAIT, Retry, retry_after
from worldline.models.remote.trouble import plain, refused

NOON = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@given(st.integers(1, 200), st.floats(0, 1e9), st.integers())
def test_no_wait_is_longer_than_the_longest_nor_shorter_than_asked(attempt, asked, seed):
    retry = Retry(backoff=0.5)
    assert 0 <= retry.wait(attempt, None, random.Random(seed)) <= LONGEST_WAIT
    wait = retry.wait(attempt, asked, random.Random(seed))
    assert min(asked, LONGEST_WAIT) <= wait <= min(asked, LONGEST_WAIT) + 0.5


def test_waits_grow_and_are_the_same_for_the_same_seed():
    retry = Retry(backoff=1)
    waits = [[retry.wait(n, None, random.Random(s)) for s in range(200)] for n in (1, 2, 3, 4)]
    assert [max(w) > max(v) for v, w in pairwise(waits)] == [True] * 3
    assert waits[2] == [retry.wait(3, None, random.Random(s)) for s in range(200)]
    assert min(waits[3]) < 1, "full jitter: a late wait may be short"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_retry_after_in_all_its_forms(headers, seconds):
    assert retry_after(headers, NOON) == seconds


@given(st.text(max_size=60))
def test_any_retry_after_is_seconds_or_nothing(text):
    found = retry_after({"retry-after": text}, NOON)
    assert found is None or found >= 0


# the limiter


async def crowd(limiter: Limiter, outcomes: list[str | None]) -> int:
    """Run one task per outcome; returns the most that ran at once."""
    running = most = 0

    async def one(outcome) -> None:
        nonlocal running, most
        async with limiter.slot() as slot:
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            slot.outcome = outcome
            running -= 1

    await asyncio.gather(*(one(outcome) for outcome in outcomes))
    assert limiter.active == 0
    return most


def test_no_more_run_than_the_limit():
    assert asyncio.run(crowd(Limiter(5), ["ok"] * 40)) == 5


def test_a_burst_of_push_backs_halves_the_limit_once():
    limiter = Limiter(8)
    asyncio.run(crowd(limiter, ["pushed_back"] * 8))
    assert limiter.limit == 4
    asyncio.run(crowd(limiter, ["pushed_back"] * 4))
    assert limiter.limit == 2


def test_the_limit_never_falls_below_one_and_grows_back_slowly():
    limiter = Limiter(4)
    for _ in range(9):
        asyncio.run(crowd(limiter, ["pushed_back"]))
    assert limiter.limit == 1
    asyncio.run(crowd(limiter, ["ok"]))
    assert limiter.limit == 2
    asyncio.run(crowd(limiter, ["ok"] * 100))
    assert limiter.limit == 4


def test_other_failures_change_nothing():
    limiter = Limiter(4)
    asyncio.run(crowd(limiter, [None] * 20))
    assert limiter.limit == 4


def test_a_cancelled_waiter_leaves_its_turn_to_the_next():
    async def run() -> None:
        limiter = Limiter(1)
        order: list[str] = []

        async def work(name: str) -> None:
            async with limiter.slot():
                order.append(name)
                await asyncio.sleep(0.01)

        tasks = [asyncio.create_task(work(name)) for name in "abc"]
        await asyncio.sleep(0.001)
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert order == ["a", "c"] and limiter.active == 0

    asyncio.run(run())


# what errors mean


def test_the_remedy_names_the_variable_of_the_host_without_its_port():
    with pytest.raises(ModelError, match=r"WORLDLINE_KEY_A_EXAMPLE or"):
        refused(401, {}, model="m", host="a.example:8443")


@pytest.mark.parametrize(
    ("status", "body", "code", "final", "pushed_back"),
    [
        (429, {"error": {"message": "slow"}}, "rate_limited", False, True),
        (500, "boom", "server_error", False, True),
        (503, {"detail": "starting"}, "server_error", False, True),
        (504, "", "timeout", False, True),
        (408, None, "timeout", False, False),
        (409, {}, "server_error", False, False),
        (400, {"message": "bad top_p"}, "bad_request", True, False),
        (422, {"detail": [{"msg": "x"}]}, "bad_request", True, False),
        (400, {"message": "", "code": "context_length_exceeded"}, "context_too_long", True, False),
        (500, "the request exceeds the available context size", "context_too_long", True, True),
        (413, "Prompt is too long: 9 > 8", "context_too_long", True, False),
    ],
)
def test_statuses_and_shapes(status, body, code, final, pushed_back):
    trouble = refused(status, body, model="m", host="h")
    assert (trouble.code, trouble.final) == (code, final)
    assert trouble.pushed_back is pushed_back


@pytest.mark.parametrize("body", [{"code": "insufficient_quota"}, {"type": "insufficient_quota"}])
def test_an_empty_account_is_not_waited_for(body):
    with pytest.raises(ModelError, match="credit"):
        refused(429, {"error": {**body, "message": "quota"}}, model="m", host="h")


JSON = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda value: st.lists(value) | st.dictionaries(st.text(), value),
)


@given(JSON)
def test_any_error_body_is_read(body):
    for shaped in (body, {"error": body}, {"error": {"message": body, "code": body}}):
        trouble = refused(400, shaped, model="m", host="h")
        assert trouble.message and "\n" not in trouble.message


@given(st.text())
def test_foreign_text_becomes_one_short_printable_line(text):
    line = plain(f"a {text}" + "x" * 9999)
    assert line.isprintable() and len(line) <= 510
    assert "KEY" not in plain(f"{text} KEY {text}", "KEY")
