"""The search explorer: the same episode for the same seed, led on by what it sees."""

import random

import pytest
from harbour import PAPERS

from worldline.collect.explorers import explorer
from worldline.domains.search import DOMAIN
from worldline.environments.process import environment
from worldline.trajectory import Turn


def episode(family, seed):
    """The trajectory of one episode on the pages of the tests, and the moves' intents."""
    agent = explorer("search")(family, random.Random(seed))
    intents, last = [], None
    with environment("search", **{**agent.options(), "folder": str(PAPERS)}) as real:
        real.reset(seed)
        agent.begin(real.opening)
        while (move := agent.act(last)) is not None:
            last = real.step(move.action)
            assert last.outcome == "ok", last.reason
            intents.append(move.intent)
        return real.trajectory("e"), intents


def test_about_one_family_in_five_is_held_out():
    families = explorer("search").families
    held_out = [name for name, one in families.items() if one.held_out]
    assert len(families) >= 10 and 0.15 <= len(held_out) / len(families) <= 0.3


def test_the_same_seed_gives_the_same_episode_and_another_another():
    one, same, other = episode("town", 1), episode("town", 1), episode("town", 2)
    assert one[1] == same[1]
    pairs = [(turn.action, turn.observation) for turn in one[0].turns]
    assert pairs == [(turn.action, turn.observation) for turn in same[0].turns]
    assert pairs != [(turn.action, turn.observation) for turn in other[0].turns]


@pytest.mark.parametrize("seed", range(6))
def test_an_episode_is_long_varied_and_the_ledger_is_never_wrong(seed):
    families = list(explorer("search").families)
    told, intents = episode(families[seed % len(families)], seed)
    assert 20 <= len(told.turns) <= 30 and len(set(intents)) >= 5
    assert len({turn.action for turn in told.turns}) > len(told.turns) // 2
    ledger = DOMAIN.open(told)
    for turn in told.turns:
        known = DOMAIN.protocol(ledger, turn.action) or DOMAIN.known(ledger, turn.action)
        assert known is None or known.observation == turn.observation, turn.action
        errors = [one for one in DOMAIN.checks(ledger, turn.action, turn.observation)
                  if one.severity == "error"]  # fmt: skip
        assert not errors
        plain = Turn(action=turn.action, observation=turn.observation)
        ledger = DOMAIN.track(ledger, plain, "real")
