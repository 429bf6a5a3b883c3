"""The official prompts and compatibility, on a made-up checkout in our own words.

That the real script is equalled is shown by ``make show N=5 NAME=official_equal OFFICIAL=DIR``.
"""

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.stub import Stub
from tests import command
from tests.judging import predicted, read, row, verdict, write
from worldline.bench.judge.ask import Room
from worldline.bench.judge.given import given as given_of
from worldline.bench.official import COMMIT, checkout
from worldline.bench.official.prompts import Compatible, Official
from worldline.errors import DataError, UsageError
from worldline.verify.compare import DIMENSIONS

HEADING = "**Environment Observation:**"
DIAGNOSTICS = "World Model Output Diagnostics"
TAGS = ("predicted_observation", "final_evaluation")
USER = (
    "{context}\n\n{world_model_input}\n\n{predicted_observation}\n\n{ground_truth}\n\nGrade {{it}}."
)
DOMAINS = ("mcp", "terminal", "os")
HEX = "0123456789abcdef0123456789abcdef01234567"


def made(folder: Path, source: str | None = None, user: str = USER, **changes: object) -> Path:
    """A checkout: the Python file (or `source` for it), prompts, and a commit."""
    tasks = {
        name: {
            "response_marker": HEADING,
            "response_tag": TAGS[0],
            "judge_response_tag": TAGS[1],
            "judge_system_prompt_path": f"prompts/{name}/judge_system_prompt.txt",
            "unheard_of": [1],
            **changes,
        }
        for name in DOMAINS
    }
    for name in DOMAINS:
        asks = f" See {DIAGNOSTICS}." if name == "os" else ""
        path = folder / "prompts" / name / "judge_system_prompt.txt"
        path.parent.mkdir(parents=True)
        path.write_bytes(f"You grade {name}.{asks}\r\nBe fair. é\n".encode())
    lines = [
        "open('ran', 'w').write('x'); raise SystemExit(9)",
        f"TASK_CONFIGS: dict = {tasks!r}",
        f"JUDGE_USER_PROMPT = {user!r}",
        "TURING_JUDGE_USER_PROMPT = 'Which is ' 'real?'",
        "REF_ANSWER_JUDGE_USER_PROMPT = 'Which is nearer?'",
        "COMPUTED = str(1 + 1)",
    ]
    code = folder / checkout.CONFIGS
    code.parent.mkdir(parents=True)
    code.write_text("\n".join(lines) if source is None else source, "utf-8")
    git(folder, HEAD="ref: refs/heads/main", **{"refs/heads/main": HEX})
    return folder


def git(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", "utf-8")


def worldline(*words: object) -> subprocess.CompletedProcess[str]:
    return command.worldline("bench", *words)


def judged(
    folder: Path, lines: list[dict[str, object]], reply: object, *flags: str
) -> tuple[list[dict[str, object]], Stub]:
    """The judged lines of a whole run, and the stub with what it was asked."""
    source, out = write(folder / "p.jsonl", lines), folder / "j.jsonl"
    with Stub(reply) as stub:
        spec = f"openai:any@{stub.url}?temperature=0&backoff=0.01"
        given = ["--official", made(folder / "checkout"), "--coverage", "0", *flags]
        done = worldline("judge", source, "-o", out, "-m", spec, "-c", "1", *given)
    assert done.returncode == 0, done.stderr
    return read(out), stub


def asked(stub: Stub) -> list[list[str]]:
    return [[one["content"] for one in call.body["messages"]] for call in stub.requests]


# the checkout


def test_a_checkout_is_read_and_never_run(tmp_path):
    found = checkout.read(made(tmp_path / "c"))
    assert list(found.tasks) == list(found.systems) == list(DOMAINS)
    assert found.systems["mcp"] == "You grade mcp.\nBe fair. é\n"
    assert (found.user, found.turing, found.reference) == (
        USER,
        "Which is real?",
        "Which is nearer?",
    )
    assert found.commit == HEX
    assert not Path("ran").exists() and not list(tmp_path.rglob("ran"))


def test_prompts_that_are_not_those_of_the_commit_say_so_by_their_content(tmp_path):
    one, other = checkout.read(made(tmp_path / "a")), checkout.read(made(tmp_path / "b"))
    assert one.sha == other.sha and one.name == f"official:{HEX[:12]}+{one.sha[:12]}"
    assert not one.known
    path = tmp_path / "b" / "prompts" / "os" / "judge_system_prompt.txt"
    path.write_text("You are lenient.", "utf-8")
    assert checkout.read(tmp_path / "b").name != one.name


@pytest.mark.parametrize(
    ("files", "commit"),
    [
        ({"HEAD": HEX}, HEX),
        ({"HEAD": "ref: refs/heads/new"}, None),
        ({"HEAD": "ref: refs/heads/packed", "packed-refs": f"# x\n{HEX} refs/heads/packed"}, HEX),
        ({"HEAD": "ref: refs/heads/main", "refs/heads/main": "not hex"}, None),
        ({"HEAD": ""}, None),
    ],
)
def test_the_commit_is_read_from_the_files_of_git(tmp_path, files, commit):
    folder = made(tmp_path / "c")
    git(folder, **files)
    assert checkout.read(folder).commit == commit


def test_a_work_tree_of_git_and_an_archive_without_git(tmp_path):
    folder = made(tmp_path / "c")
    (folder / ".git").rename(tmp_path / "main")
    assert checkout.read(folder).commit is None
    assert checkout.read(folder).name.startswith("official:unknown+")
    tree = tmp_path / "main" / "worktrees" / "c"
    tree.mkdir(parents=True)
    (tree / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / "commondir").write_text("../..\n")
    (folder / ".git").write_text(f"gitdir: {tree}\n")
    assert checkout.read(folder).commit == HEX


@pytest.mark.parametrize("name", ["prompts/os/judge_system_prompt.txt", str(checkout.CONFIGS)])
def test_what_is_missing_is_named(tmp_path, name):
    folder = made(tmp_path / "c")
    (folder / name).unlink()
    with pytest.raises(DataError, match="is not there") as caught:
        checkout.read(folder)
    assert caught.value.file == str(folder / name) and "checkout" in (caught.value.remedy or "")


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ("x = ", None),
        ("(" * 100_000, None),
        ("\0", None),
        ("", "TASK_CONFIGS"),
        ("TASK_CONFIGS = {}", "TASK_CONFIGS"),
        ("TASK_CONFIGS = {'os': {'response_tag': 1}}", "TASK_CONFIGS"),
        ("TASK_CONFIGS = dict(os={})", "TASK_CONFIGS"),
    ],
)
def test_a_python_file_that_is_not_what_it_must_be(tmp_path, source, field):
    folder = made(tmp_path / "c", source)
    with pytest.raises(DataError) as caught:
        checkout.read(folder)
    assert caught.value.file == str(folder / checkout.CONFIGS) and caught.value.field == field


@pytest.mark.parametrize(
    "user",
    [
        "{context} {world_model_input} {predicted_observation}",
        USER + "{context}",
        USER + "{more}",
        USER.replace("{context}", "{context.__class__}"),
        USER.replace("{context}", "{context!r:>9}"),
        USER + "{",
    ],
)
def test_a_template_with_other_places_is_refused(tmp_path, user):
    with pytest.raises(DataError, match="places"):
        checkout.read(made(tmp_path / "c", user=user))


@pytest.mark.parametrize(
    ("name", "value"),
    [("judge_system_prompt_path", "../secret.txt"), ("judge_response_tag", "grade")],
)
def test_a_domain_that_points_elsewhere_is_refused(tmp_path, name, value):
    (tmp_path / "secret.txt").write_text("x")
    with pytest.raises(DataError):
        checkout.read(made(tmp_path / "c", **{name: value}))


def test_a_folder_that_is_not_there_is_an_error_of_the_command(tmp_path):
    source = write(tmp_path / "p.jsonl", [predicted()])
    flags = ["-m", "openai:any@http://127.0.0.1:9/v1", "--official", tmp_path / "none"]
    done = worldline("judge", source, "-o", tmp_path / "j.jsonl", *flags)
    assert done.returncode == 2 and "no such folder" in done.stderr


# official prompts, our reading


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return checkout.read(made(tmp_path_factory.mktemp("whole") / "c"))


def test_official_prompts_are_sent_filled_and_read_as_ours(tmp_path):
    lines = [predicted(f"a\n{HEADING}\nb", id=1), predicted("half", id=2)]
    half = verdict(4, format=4.5)
    found, stub = judged(tmp_path, lines, [verdict(), half], "--tries", "1")
    assert asked(stub)[0] == [
        "You grade terminal.\nBe fair. é\n",
        "# Context (Historical Interactions):\n\n"
        f"A1 of 1\n{HEADING}\nO1 of 1\n\nA2 of 1\n{HEADING}\nO2 of 1\n\n\n\n"
        "# Current Turn:\n\nA3 of 1\n\n"
        f"**World Model Output (Simulated):**\n```\na\n{HEADING}\nb\n```\n\n"
        "**Ground Truth (Real Output):**\n```\nO3 of 1\n```\n\nGrade {it}.",
    ]
    (first, second), told = found, [one["worldline_judge"] for one in found]
    assert first["total_score"] == 4 and told[0]["prompt"].startswith("official:")
    assert told[0]["compat"] is None
    assert (told[1]["status"], told[1]["reason"]) == ("unscored", "unreadable")
    assert second["failed"] == 1.0 and second["error_message"] == "unreadable"


@given(st.text("`~a\n", max_size=30), st.text("`~a\n", max_size=30))
@settings(max_examples=100)
def test_no_text_closes_its_fence(whole, said, truth):
    prompts = Official(whole)
    line = predicted(f"x{said}", turn=1)
    line["response"] = [f"{HEADING}\n{truth}"]
    user = prompts.asked(given_of(line), Room(None, len)).messages[1].content
    fence = user.partition("(Simulated):**\n")[2].partition("\n")[0]
    assert set(fence) == {"`"} and len(fence) >= 3 and user.count(fence) == 4


def test_the_counts_that_prompts_for_screens_ask_for_are_sent_to_them_alone(tmp_path):
    _, stub = judged(tmp_path, [predicted(domain=name) for name in ("os", "terminal")], verdict())
    screen, other = (messages[1] for messages in asked(stub))
    assert DIAGNOSTICS not in other
    section = screen.partition(f"**{DIAGNOSTICS}:**\n")[2].partition("\n\n")[0].splitlines()
    assert len(section) == 8 and "- extracted_no_output: false" in section


def test_a_prediction_that_is_none_is_not_sent(tmp_path):
    line = {**row(), "gen": "<think>never ended"}
    (found,), stub = judged(tmp_path, [line], verdict())
    assert not stub.requests and found["worldline_judge"]["stage"] == "prediction"


def test_an_empty_reply_is_sent_where_it_is_an_observation_as_with_our_prompts(tmp_path):
    silent = {"outcome": "ok", "reason": "empty_reply", "observation": ""}
    lines = [{**row(id=1), "gen": "", "worldline": silent}, {**row(id=2), "gen": ""}]
    found, stub = judged(tmp_path, lines, verdict())
    assert len(stub.requests) == 1
    reasons = [one["worldline_judge"]["reason"] for one in found]
    assert reasons == [None, "no_prediction/empty"]


def test_the_oldest_turns_go_where_a_judge_has_no_room(whole):
    prompts, line = Official(whole), given_of(predicted(turn=40))
    cut = prompts.asked(line, Room(1_000, len))
    assert prompts.asked(line, Room(None, len)).dropped_turns == 0 < cut.dropped_turns < 39
    assert sum(len(one.content) for one in cut.messages) <= 1_000
    text = cut.messages[1].content
    assert "A39 of 1" in text and f"A{cut.dropped_turns} of 1\n" not in text
    assert Compatible(whole).asked(line, Room(1_000, len)).dropped_turns == 0


def test_a_domain_without_official_prompts_is_named(whole):
    with pytest.raises(UsageError, match="'web'"):
        Official(whole).given(given_of(predicted(domain="web")))


def test_compat_judges_an_unknown_domain_without_a_system_prompt(whole):
    prompts, line = Compatible(whole), given_of(predicted(domain="web"))
    assert prompts.given(line).observation == "a guess about 1"
    system, user = prompts.asked(prompts.given(line), Room(None, len)).messages
    assert system.content == "" and f"{HEADING}\nO3 of 1" in user.content


# compatibility


def compatible(folder: Path, lines: list[dict[str, object]], reply: object):
    return judged(folder, lines, reply, "--compat", "official")


def test_compat_sends_what_the_script_sends(tmp_path):
    line = {**row(turn=2), "gen": f"<think>x</think>\n{HEADING}\n ```\n a {HEADING} b "}
    line["response"][1] = f"before {HEADING}\nafter\n"
    (found,), stub = compatible(tmp_path, [line], verdict())
    assert asked(stub) == [
        [
            "You grade terminal.\nBe fair. é\n",
            f"# Context (Historical Interactions):\n\nA1 of 1\n{HEADING}\nO1 of 1\n\n\n\n"
            "# Current Turn:\n\nA2 of 1\n\n"
            f"**World Model Output (Simulated):**\n```\n```\n a {HEADING} b\n```\n\n"
            "**Ground Truth (Real Output):**\n```\nbefore \nafter\n```\n\nGrade {it}.",
        ]
    ]
    added = {name: value for name, value in found.items() if name not in line}
    told = added.pop("worldline_judge")
    assert added == {
        "total_score": 4.0,
        **dict.fromkeys(DIMENSIONS, 4),
        "failed": 0.0,
        "strengths": ["its form"],
        "weaknesses": [],
        "extracted_output": f"{HEADING}\n ```\n a {HEADING} b",
        "judge_raw_output": verdict(),
    }
    manifest = json.loads((tmp_path / "j.jsonl.manifest.json").read_text())
    assert told["compat"] == manifest["compat"] == COMMIT[:12]


def test_compat_judges_what_we_would_not_and_says_no_output(tmp_path):
    ours = {"outcome": "truncated", "origin": "model", "reason": "cut_in_reasoning"}
    lines = [
        {**row(id=1), "gen": "<think>never ended", "worldline": ours},
        {**row(id=2), "gen": "<predicted_observation>\n</predicted_observation>"},
    ]
    found, stub = compatible(tmp_path, lines, verdict(1))
    first, second = (messages[1] for messages in asked(stub))
    assert "(Simulated):**\n```\nNo output\n```" in first
    assert "(Simulated):**\n```\n\n```" in second
    assert [one["extracted_output"] for one in found] == ["No output", ""]
    assert [one["total_score"] for one in found] == [1.0, 1.0]


def test_compat_an_empty_generation_fails_unasked_with_their_words(tmp_path):
    ours = {"outcome": "infra_error", "origin": "model", "reason": "timeout"}
    lines = [{**row(id=1), "gen": ""}, {**row(id=2), "gen": "", "worldline": ours}]
    found, stub = compatible(tmp_path, lines, verdict())
    assert not stub.requests
    for line, one in zip(lines, found, strict=True):
        told = one.pop("worldline_judge")
        assert one == {**line, "failed": 1.0, "error_message": "No model generation"}
        assert (told["stage"], told["status"]) == ("prediction", "unscored")
    reasons = [judgement(tmp_path, number)["reason"] for number in (0, 1)]
    assert reasons == ["no_prediction/empty", "infra_error/timeout"]


def judgement(folder: Path, number: int) -> dict[str, object]:
    return read(folder / "j.jsonl")[number]["worldline_judge"]


def test_compat_asks_three_times_and_then_fails_with_their_words(tmp_path):
    (found,), stub = compatible(tmp_path, [predicted()], "fine work")
    assert len(stub.requests) == 3
    told = found.pop("worldline_judge")
    assert found == {
        **predicted(),
        "total_score": 0,
        "failed": 1.0,
        "error_message": "Judge scoring failed",
        "extracted_output": "a guess about 1",
    }
    assert (told["reason"], told["raw"], told["attempts"]) == ("no_verdict", "fine work", 3)


def test_a_score_of_compat_is_not_carried_to_another_reading(tmp_path):
    compatible(tmp_path, [predicted()], verdict())
    with Stub(verdict(2)) as stub:
        spec = f"openai:any@{stub.url}?temperature=0"
        flags = ["-m", spec, "--official", tmp_path / "checkout"]
        done = worldline("rejudge", tmp_path / "j.jsonl", "-o", tmp_path / "k.jsonl", *flags)
    assert done.returncode == 0 and len(stub.requests) == 1
    assert read(tmp_path / "k.jsonl")[0]["total_score"] == 2
