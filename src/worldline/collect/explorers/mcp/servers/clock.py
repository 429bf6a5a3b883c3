"""Goals at the time server."""

from worldline.collect.explorers.mcp.hand import Goal, Hand

ZONES = (
    "UTC", "Europe/Berlin", "Europe/London", "Europe/Lisbon", "Europe/Athens", "Europe/Istanbul",
    "Europe/Moscow", "Africa/Cairo", "Africa/Lagos", "Africa/Nairobi", "Africa/Johannesburg",
    "Asia/Tokyo", "Asia/Shanghai", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Dubai",
    "Asia/Singapore", "Asia/Seoul", "Asia/Tehran", "Asia/Kabul", "Asia/Jakarta",
    "Australia/Sydney", "Australia/Perth", "Australia/Adelaide", "Pacific/Auckland",
    "Pacific/Chatham", "Pacific/Honolulu", "Pacific/Apia", "America/New_York", "America/Chicago",
    "America/Denver", "America/Phoenix", "America/Los_Angeles", "America/Anchorage",
    "America/Halifax", "America/St_Johns", "America/Sao_Paulo", "America/Bogota", "America/Lima",
    "America/Caracas", "America/Mexico_City", "Atlantic/Reykjavik", "Atlantic/Azores",
    "Indian/Maldives", "Etc/GMT+7",
)  # fmt: skip


def _zone(hand: Hand) -> str:
    if hand.chance(0.9):
        return hand.rng.choice(ZONES)
    wrong = (f"Europe/{hand.words.one('city')}", "CET+1", "local", hand.words.one("city"), "GMT+25")
    return hand.rng.choice(wrong)


def convert(hand: Hand) -> Goal:
    """A time of day in another place."""
    draw = hand.rng.random()
    time = f"{hand.rng.randint(0, 23):02}:{hand.rng.randint(0, 59):02}"
    if draw > 0.9:
        time = hand.rng.choice(
            (f"{hand.rng.randint(24, 40)}:00", "9:5", "noon", "7 pm", time + ":30")
        )
    args = {"source_timezone": _zone(hand), "time": time, "target_timezone": _zone(hand)}
    yield hand.call("convert_time", "convert", **args)


def now(hand: Hand) -> Goal:
    """What time it is somewhere."""
    yield hand.call("get_current_time", "ask", timezone=_zone(hand))


GOALS = ((4.0, convert), (1.0, now))
