"""A tea kitchen on a phone: small screens, and sessions over them, for tests of the patch form."""

import asyncio
import json

from fakes import FakeModel

from worldline import World
from worldline.bench.cases import Plan, cases
from worldline.domains import domain
from worldline.trajectory import Source, SystemPrompt, Trajectory

ANDROID = domain("android")
TREE = ANDROID.dialect("ui-elements").tree


def element(number, text, kind="TextView"):
    x = 100 * number
    fields = {
        "text": text,
        "class_name": f"android.widget.{kind}",
        "bbox_pixels": {"x_min": 0, "x_max": 500, "y_min": x, "y_max": x + 90},
        "is_enabled": True,
        "is_visible": True,
        "package_name": "org.example.tea",
    }
    return f"UI element {number}: {json.dumps(fields)}"


def screen(*texts, kind="TextView"):
    return "\n".join(element(number, text, kind) for number, text in enumerate(texts))


KETTLE = screen("Kettle", "off", "Boil")
BOILING = screen("Kettle", "on", "Boil")
SHELF = screen(*(f"Cup {number}" for number in range(8)), kind="Button")
BOIL, WAIT = '{"action_type": "click", "index": 2}', '{"action_type": "wait"}'


def played(*replies, actions, start=KETTLE, context=None, **options):
    model = FakeModel(*replies, context=context)
    model.form, model.style = "patch", "compact"
    system = SystemPrompt(initial_state=start)
    with World.open("android", model=model, system=system, seed=1, **options).sync() as world:
        results = [world.step(action) for action in actions]
    return model, results


def recorded(*turns, kind="recorded"):
    return Trajectory(
        id="x",
        domain="android",
        dialect="ui-elements",
        system=SystemPrompt(initial_state=KETTLE),
        turns=turns,
        source=Source(kind=kind, name="somewhere"),
    )


def asked_of(trajectory, form="patch", grounded=True):
    model = FakeModel("= keep")
    model.form, model.style = form, "compact"
    for case in cases([trajectory], model, Plan(grounded=grounded)):
        asyncio.run(case.ask())
    return model.requests
