"""Goals at the server that shows every feature of the protocol."""

from worldline.collect.explorers.mcp.hand import Goal, Hand


def echo(hand: Hand) -> Goal:
    """A text back."""
    yield hand.call("echo", "echo", message=hand.text())


def add(hand: Hand) -> Goal:
    """Sums, of all sorts of numbers."""
    for _ in range(hand.rng.randint(1, 3)):
        a: float = hand.rng.randint(-5_000, 90_000)
        b: float = hand.rng.choice((hand.rng.randint(-99, 99), hand.words.price(), 1e21, 0.1))
        yield hand.call("get-sum", "add", a=a, b=b)


def blocks(hand: Hand) -> Goal:
    """Results that are more than text."""
    draw = hand.rng.random()
    if draw < 0.3:
        kind = hand.rng.choice(("error", "success", "debug"))
        more = {"includeImage": hand.chance(0.5)}
        yield hand.call("get-annotated-message", "annotated", messageType=kind, **more)
    elif draw < 0.5:
        yield hand.call("get-resource-links", "links", count=hand.rng.randint(1, 10))
    elif draw < 0.8:
        args = {
            "resourceType": hand.rng.choice(("Text", "Blob")),
            "resourceId": hand.rng.randint(1, 100),
        }
        yield hand.call("get-resource-reference", "resource", **args)
    else:
        yield hand.call("get-tiny-image", "image")


def structured(hand: Hand) -> Goal:
    """Structured content."""
    place = hand.rng.choice(("New York", "Chicago", "Los Angeles", hand.words.one("city")))
    yield hand.call("get-structured-content", "structured", location=place)


def slow(hand: Hand) -> Goal:
    """Something that takes a moment."""
    args = {"duration": round(hand.rng.uniform(0.05, 0.4), 2), "steps": hand.rng.randint(1, 5)}
    yield hand.call("trigger-long-running-operation", "wait", **args)


GOALS = ((2.5, echo), (2.0, add), (2.0, blocks), (1.0, structured), (0.5, slow))
