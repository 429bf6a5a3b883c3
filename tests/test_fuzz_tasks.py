"""What fuzzing found in tasks: odd paths, checks on nothing, templates across a string's end."""

import pytest

from worldline.errors import DataError
from worldline.tasks.checks import evaluate
from worldline.tasks.task import Check
from worldline.tasks.template import templates
from worldline.tasks.texts import Texts


def test_a_path_with_a_number_without_end_is_refused():
    check = Check(op="jsonpath", arg="$.s[?length(@.e) > 1e992]")
    with pytest.raises(DataError, match="is no JSONPath"):
        evaluate(check, Texts(observation="{}"))


@pytest.mark.parametrize(
    ("arg", "ok"),
    [
        ({"equals": 1}, False),
        ({"contains": "a"}, False),
        ({"matches": "a"}, False),
        ({"equals": None}, False),
        ({}, True),
    ],
)
def test_of_no_nodes_none_is_as_wanted_however_many_there_may_be(arg, ok):
    check = Check(op="jsonpath", arg={"path": "$.sheds[*]", "count": [0, 9], **arg})
    assert evaluate(check, Texts(observation='{"sheds": []}')).ok is ok


@pytest.mark.parametrize("action", ['{"":"{{2:\\\\"}}', '{"a": "{{1:x", "b": "y}}"}'])
def test_a_template_that_crosses_the_end_of_its_string_does_not_end(action):
    with pytest.raises(DataError, match="does not end"):
        templates(action)
