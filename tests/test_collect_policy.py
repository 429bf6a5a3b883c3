"""What a model that acts is told: the environment's own words, a goal, and as much as fits."""

from worldline.collect.policy import messages, system_text, unfenced, without_address
from worldline.environments.base import Opening
from worldline.fit import UNLIMITED, Window
from worldline.trajectory import SystemPrompt, Turn

TURNS = [Turn(action=f"do {n}", observation=f"did {n} " + "x" * 90) for n in range(20)]


def test_the_conversation_is_observations_and_the_agents_own_actions():
    made = messages("system", "start", TURNS[:2], UNLIMITED)
    assert [(one.role, one.content[:5]) for one in made] == [
        ("system", "syste"),
        ("user", "start"),
        ("assistant", "do 0"),
        ("user", "did 0"),
        ("assistant", "do 1"),
        ("user", "did 1"),
    ]


def test_a_small_context_drops_the_oldest_turns_and_keeps_the_newest_observation():
    window = Window(context=500, reserve=100)
    made = messages("system", "start", TURNS, window)
    assert made[0].role == "system" and made[1].role == "user"
    assert made[-1].content == TURNS[-1].observation and made[-2].content == TURNS[-1].action
    assert sum(window.count(one.content) for one in made) <= 400
    assert [one.role for one in made[1:]] == ["user", "assistant"] * (len(made) // 2 - 1) + ["user"]


def test_text_of_the_environment_is_told_as_it_is_even_where_it_looks_like_a_template():
    opening = Opening(
        domain="generic",
        dialect="text",
        system=SystemPrompt(task_description="Braces: {{goal}}", action_space="say a word"),
        tools=({"name": "echo"},),
    )
    text = system_text(opening, "Say less.")
    assert "Braces: {{goal}}" in text and "say a word" in text and '{"name":"echo"}' in text
    assert text.endswith("Say less.") and "DONE" in text


def test_a_fence_around_the_whole_action_is_taken_off_and_one_inside_stays():
    assert unfenced("```bash\nls -la\n```") == "ls -la"
    assert unfenced("\ncat <<E\n```\nE\n") == "cat <<E\n```\nE"


def test_records_keep_no_address_and_no_path_of_a_model():
    assert without_address("openai:m@http://10.0.0.1:8000/v1?temperature=0") == (
        "openai:m?temperature=0"
    )
    assert without_address("gguf:/home/someone/m.gguf?ctx=2048") == "gguf:m.gguf?ctx=2048"
    assert without_address("agentworld-35b@http://10.0.0.1/v1") == "agentworld-35b"
    assert without_address("embedded") == "embedded"
