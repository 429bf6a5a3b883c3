"""Goals at the PowerPoint server, which keeps presentations by id in memory."""

from worldline.collect.explorers.mcp.hand import Goal, Hand


def _start(hand: Hand) -> Goal:
    name = hand.words.slug("-")
    more = {"id": name} if hand.chance(0.6) else {}
    got = yield hand.call("create_presentation", "create", **more)
    made = got.json
    if isinstance(made, dict) and isinstance(made.get("presentation_id"), str):
        hand.keep("presentation_id", made["presentation_id"])


def _deck(hand: Hand) -> dict[str, str]:
    """The presentation worked on, mostly the newest; at times none is named."""
    names = hand.pool.get("presentation_id")
    if not names or hand.chance(0.06):
        return {}
    return {"presentation_id": names[-1] if hand.chance(0.7) else hand.rng.choice(names)}


def _slide(hand: Hand, deck: dict[str, str]) -> dict[str, object]:
    """A slide of a presentation, at times one it has not."""
    count = len(hand.pool.get(f"slides of {deck.get('presentation_id')}", []))
    index = hand.rng.randint(0, max(count - 1, 0)) if hand.chance(0.92) else count + 3
    return {"slide_index": index, **deck}


def build(hand: Hand) -> Goal:
    """A presentation with a few slides."""
    yield from _start(hand)
    for _ in range(hand.rng.randint(1, 3)):
        args = {
            "layout_index": hand.rng.choice((0, 1, 1, 1, 2, 3, 5, 6, 1, 40)),
            "title": hand.words.title(),
        }
        deck = _deck(hand)
        got = yield hand.call("add_slide", "add", **args, **deck)
        if not got.failed:
            hand.keep(f"slides of {deck.get('presentation_id')}", hand.words.slug())
        for _ in range(hand.rng.randint(1, 2)):
            yield from fill(hand)
    yield hand.call("extract_presentation_text", "read back", **_deck(hand))


def fill(hand: Hand) -> Goal:
    """Something on a slide."""
    at, draw = _slide(hand, _deck(hand)), hand.rng.random()
    if draw < 0.3:
        points = [hand.words.sentence() for _ in range(hand.rng.randint(1, 5))]
        args = {"placeholder_idx": hand.rng.choice((1, 1, 0, 7)), "bullet_points": points}
        yield hand.call("add_bullet_points", "add", **at, **args)
    elif draw < 0.5:
        args = {"placeholder_idx": hand.rng.choice((0, 1, 12)), "text": hand.words.title()}
        yield hand.call("populate_placeholder", "add", **at, **args)
    elif draw < 0.65:
        rows, columns = hand.rng.randint(1, 5), hand.rng.randint(1, 4)
        data = [[hand.words.one("thing") for _ in range(columns)] for _ in range(rows)]
        place = {"left": 1, "top": 2, "width": 6, "height": 3}
        yield hand.call("add_table", "add", **at, rows=rows, cols=columns, data=data, **place)
    elif draw < 0.8:
        names = hand.words.some("city", 3)
        values = [[hand.rng.randint(1, 90) for _ in names] for _ in range(2)]
        args = {"chart_type": hand.rng.choice(("column", "bar", "pie", "line", "radar"))}
        args |= {
            "categories": names,
            "series_names": hand.words.some("topic", 2),
            "series_values": values,
        }
        yield hand.call("add_chart", "add", **at, **args, left=1, top=1, width=6, height=4)
    else:
        kind = hand.rng.choice(("rectangle", "oval", "star", "right_arrow", "dodecahedron"))
        args = {
            "shape_type": kind,
            "left": 1.5,
            "top": 1,
            "width": 2,
            "height": hand.rng.randint(1, 4),
        }
        yield hand.call("add_shape", "add", **at, **args, text=hand.words.one("quality"))


def look(hand: Hand) -> Goal:
    """What there is, as text or as a list of shapes."""
    deck, draw = _deck(hand), hand.rng.random()
    if draw < 0.25:
        yield hand.call("list_presentations", "list")
    elif draw < 0.5:
        yield hand.call("get_slide_info", "read", **_slide(hand, deck))
    elif draw < 0.75:
        yield hand.call("extract_slide_text", "read", **_slide(hand, deck))
    elif draw < 0.9:
        yield hand.call("get_presentation_info", "read", **deck)
    else:
        yield hand.call("list_slide_templates", "list")


def write(hand: Hand) -> Goal:
    """Text boxes and properties."""
    if hand.chance(0.5):
        args = {
            "title": hand.words.title(),
            "author": hand.words.person(),
            "keywords": hand.words.one("topic"),
        }
        yield hand.call("set_core_properties", "change", **args, **_deck(hand))
        yield hand.call("get_presentation_info", "read back", **_deck(hand))
        return
    operation = hand.rng.choice(("add", "add", "format", "validate", "twist"))
    args = {"operation": operation, "text": hand.text()[:300], "font_size": hand.rng.randint(8, 40)}
    at = _slide(hand, _deck(hand))
    yield hand.call("manage_text", "change", **at, **args)
    yield hand.call("extract_slide_text", "read back", **at)


def keep(hand: Hand) -> Goal:
    """Save it, open it, switch between."""
    path = f"/home/user/{hand.words.slug('-')}.pptx"
    got = yield hand.call("save_presentation", "save", file_path=path, **_deck(hand))
    name = hand.words.slug("-")
    wanted = path if not got.failed or hand.chance(0.5) else f"/home/user/{name}.pptx"
    got = yield hand.call("open_presentation", "open", file_path=wanted, id=name)
    if not got.failed:
        hand.keep("presentation_id", name)
    target = hand.known("presentation_id", lambda: name)
    yield hand.call("switch_presentation", "switch", presentation_id=target)


GOALS = ((2.0, build), (2.0, fill), (2.0, look), (1.0, write), (0.8, keep))
