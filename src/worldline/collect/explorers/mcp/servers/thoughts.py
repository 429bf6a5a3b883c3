"""Goals at the sequential-thinking server: a line of thought, revised and branched."""

from worldline.collect.explorers.mcp.hand import Goal, Hand


def think(hand: Hand) -> Goal:
    """A few thoughts in order; at times one is revised, a branch is taken, more are needed."""
    total = hand.rng.randint(3, 9)
    number = 0
    while number < total:
        number += 1
        more: dict[str, object] = {}
        draw = hand.rng.random()
        if draw < 0.15 and number > 1:
            more = {"isRevision": True, "revisesThought": hand.rng.randint(1, number - 1)}
        elif draw < 0.3 and number > 1:
            branch = hand.known("branches", lambda: hand.words.slug("-"))
            if hand.chance(0.5):
                branch = hand.keep("branches", hand.words.slug("-"))
            more = {"branchFromThought": hand.rng.randint(1, number - 1), "branchId": branch}
        elif draw < 0.4:
            total += hand.rng.randint(1, 3)
            more = {"needsMoreThoughts": True}
        yield hand.call(
            "sequentialthinking",
            "think",
            thought=hand.text(),
            nextThoughtNeeded=number < total,
            thoughtNumber=number,
            totalThoughts=total,
            **more,
        )


def slip(hand: Hand) -> Goal:
    """A thought with odd numbers."""
    args = {
        "thoughtNumber": hand.rng.choice((0, -1, 7, 50)),
        "totalThoughts": hand.rng.choice((0, 1, 5)),
    }
    thought = hand.words.sentence()
    yield hand.call("sequentialthinking", "slip", thought=thought, nextThoughtNeeded=True, **args)


GOALS = ((3.0, think), (0.5, slip))
