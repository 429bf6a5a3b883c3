"""Pages of a shop for kites in each dialect of the web, and moments of sessions with them."""

import json

from worldline.domains.web.dialects import browsergym
from worldline.trajectory import SystemPrompt, Trajectory, Turn
from worldline.verify.measure import Moment
from worldline.verify.moments import moments

HOME = "http://kites.example/"


def page(*lines: str, error: str = "", tabs=(("Kites", HOME, True),)) -> str:
    title, url, _ = next(tab for tab in tabs if tab[2])
    tree = "\n".join([f"RootWebArea {title!r}, url={url!r}", *(f"\t{x}" for x in lines)])
    return browsergym.state_text(list(tabs), tree, error)


def shop(
    line: str = "12", size: str = "Small", gift: str = "false", more: tuple[str, ...] = (), **form
) -> str:
    return page(
        "[3] heading 'Kites'",
        f"[4] textbox 'Line in metres' value={line!r}",
        f"[5] combobox 'Size' value={size!r}, hasPopup='menu', expanded=False",
        f"\t[6] option 'Small', selected={size == 'Small'}",
        f"\t[7] option 'Large', selected={size == 'Large'}",
        f"[8] checkbox 'Gift', checked={gift!r}",
        "[9] button 'Order'",
        "[a] Iframe 'Wind'",
        "\tRootWebArea 'Wind', url='http://kites.example/wind'",
        "\t\t[a2] link 'More', url='http://kites.example/more'",
        *more,
        **form,
    )


def moment(
    action: str, truth: str, *past: tuple[str, str], start=None, dialect="browsergym"
) -> Moment:
    """The session just before an action."""
    turns = [Turn(action=a, observation=o) for a, o in (*past, (action, truth))]
    one = Trajectory(
        id="1",
        domain="web",
        dialect=dialect,
        system=SystemPrompt(initial_state=shop() if start is None else start),
        turns=tuple(turns),
    )
    *_, last = moments(one)
    return last


def snapshot(name: str = "Order", *, ran: str = "", text: str = "", more: str = "") -> str:
    code = f"### Ran Playwright code\n```js\n{ran}\n```\n" if ran else ""
    held = f": {text}" if text else ""
    return (
        f"{code}### Page\n- Page URL: {HOME}\n- Page Title: Kites\n### Snapshot\n```yaml\n"
        f'- textbox "Line" [ref=e2]{held}\n- button "{name}" [ref=e3]{more}\n```'
    )


def call(name: str, **arguments: str) -> str:
    return json.dumps({"name": f"browser_{name}", "arguments": arguments})
