"""Judging with the official prompts: in our way, or exactly as the official script does.

Both satisfy `worldline.bench.judge.ask.Prompts`. `Official` takes the prompts and the template of a
checkout; what it judges and how it reads verdicts is ours. `Compatible` sends what the script
sends, byte for byte, and reads and records as it does, so that its figures are those of the script.
"""

import hashlib
import re
from typing import Any

import msgspec

from worldline.bench.judge.ask import Asked, Room, exchanges, first_kept
from worldline.bench.judge.diagnostics import diagnostics
from worldline.bench.judge.given import Given
from worldline.bench.judge.judged import Judgement, usual_keys
from worldline.bench.judge.verdict import TAG, Verdict, verdict_of
from worldline.bench.official import COMMIT, replies
from worldline.bench.official.checkout import Checkout
from worldline.errors import UsageError
from worldline.messages import Message
from worldline.reply import Reply

DIAGNOSTICS = "World Model Output Diagnostics"
"""What prompts for screens call the figures on a whole reply that they ask for."""

_CONTEXT = "# Context (Historical Interactions):\n\n"
_BACKTICKS = re.compile("`+")


class Official:
    """The official prompts and template; our reading of predictions and verdicts.

    The fences around prediction and truth are longer than any run of backticks in them, so that no
    text can close its own; the figures that prompts for screens ask for are sent; where the whole
    session does not fit, its oldest turns go.
    """

    compat: str | None = None

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout
        self.name = checkout.name

    def given(self, given: Given) -> Given:
        """Unchanged.

        Raises:
            UsageError: there is no official prompt for its domain.
        """
        if given.row.domain not in self.checkout.systems:
            raise _no_domain(self.checkout, given.row.domain)
        return given

    def asked(self, given: Given, room: Room) -> Asked:
        """The filled template under the domain's prompt."""
        system = self.checkout.systems[given.row.domain]
        extra = _diagnosed(given) if DIAGNOSTICS in system else ""
        parts = (given.action, given.observation or "", given.truth, extra)
        history = exchanges(given)
        bare = _filled(self.checkout, [], *parts)
        first = first_kept(history, [system, bare, _CONTEXT], room)
        user = _filled(self.checkout, history[first:], *parts)
        return Asked((Message("system", system), Message("user", user)), first)

    def sha(self, domain: str) -> str:
        """SHA-256 of the prompts of a domain and of whose reading it is."""
        return _sha(self.checkout, domain, "ours")

    def read(self, reply: Reply) -> Verdict:
        """The verdict, by our rules."""
        return verdict_of(reply)

    def keys(self, given: Given, verdict: Verdict, known: Judgement) -> dict[str, Any]:
        """As for our own prompts."""
        return usual_keys(given.observation, verdict, known)


class Compatible:
    """What the script does at `COMMIT`, quirks included."""

    compat: str | None = COMMIT[:12]

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout
        self.name = checkout.name

    def given(self, given: Given) -> Given:
        """Its observation as the script finds it; whatever is no empty text is judged.

        Raises:
            UsageError: the domain is unknown, and so is the one that stands in for it.
        """
        if not given.gen:
            reason = given.reason or "no_prediction/empty"
            return msgspec.structs.replace(given, observation=None, reason=reason)
        tasks = self.checkout.tasks
        task = tasks.get(given.row.domain) or tasks.get("mcp")
        if task is None:
            raise _no_domain(self.checkout, given.row.domain)
        seen = replies.observation(given.gen, task.response_tag)
        return msgspec.structs.replace(given, observation=seen, reason=None)

    def asked(self, given: Given, room: Room) -> Asked:
        """The question as the script puts it, however long it is."""
        task = self.checkout.tasks.get(given.row.domain)
        marker = task.response_marker if task else ""
        seen = replies.without_marker(given.observation or "", marker)
        truth = replies.without_marker(given.row.truth, marker)
        user = _filled(self.checkout, exchanges(given), given.action, seen, truth, fence="```")
        system = self.checkout.systems.get(given.row.domain, "")
        return Asked((Message("system", system), Message("user", user)))

    def sha(self, domain: str) -> str:
        """SHA-256 of the prompts of a domain and of whose reading it is."""
        return _sha(self.checkout, domain, COMMIT)

    def read(self, reply: Reply) -> Verdict:
        """The verdict as the script reads it: from the text alone."""
        return replies.verdict(reply.content or "", TAG)

    def keys(self, given: Given, verdict: Verdict, known: Judgement) -> dict[str, Any]:
        """What the script writes, and nothing else."""
        if given.observation is None:
            return {"failed": 1.0, "error_message": "No model generation"}
        if verdict.scores is None:
            return {
                "total_score": 0,
                "failed": 1.0,
                "error_message": "Judge scoring failed",
                "extracted_output": given.observation,
            }
        return {
            "total_score": replies.total(verdict.scores),
            **verdict.scores,
            "failed": 0.0,
            "strengths": list(verdict.strengths),
            "weaknesses": list(verdict.weaknesses),
            "extracted_output": given.observation,
            "judge_raw_output": known.raw or "",
        }


def _no_domain(checkout: Checkout, domain: str) -> UsageError:
    return UsageError(
        f"has no prompt for the domain {domain!r}",
        file=checkout.path,
        field="official",
        remedy=f"It has {', '.join(checkout.tasks)}. Judge other rows without --official.",
    )


def _filled(
    checkout: Checkout,
    history: list[str],
    action: str,
    prediction: str,
    truth: str,
    extra: str = "",
    *,
    fence: str | None = None,
) -> str:
    """The user template with its places filled, each by a heading and the text."""
    fence = fence or _longer_fence(prediction, truth)
    past = "".join(f"{turn}\n\n" for turn in history)
    return checkout.user.format(
        context=f"{_CONTEXT}{past}" if past else "",
        world_model_input=f"# Current Turn:\n\n{action}",
        predicted_observation="**World Model Output (Simulated):**\n"
        f"{fence}\n{prediction}\n{fence}{extra}",
        ground_truth=f"**Ground Truth (Real Output):**\n{fence}\n{truth}\n{fence}",
    ).strip()


def _longer_fence(*texts: str) -> str:
    runs = [len(run[0]) for text in texts for run in _BACKTICKS.finditer(text)]
    return "`" * max(3, 1 + max(runs, default=0))


def _diagnosed(given: Given) -> str:
    told = [f"- {name}: {str(value).lower()}" for name, value in diagnostics(given).items()]
    return "\n".join([f"\n\n**{DIAGNOSTICS}:**", *told])


def _sha(checkout: Checkout, domain: str, reading: str) -> str:
    text = "\0".join([checkout.systems.get(domain, ""), checkout.user, reading])
    return hashlib.sha256(text.encode()).hexdigest()
