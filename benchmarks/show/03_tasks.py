"""Every built-in task in the real environment: doing nothing fails, the reference succeeds, and the
reference without eyes fails wherever success is said to depend on what is seen.
"""

import os

from benchmarks.show import Show
from worldline.cli.task import summary
from worldline.cli.task_check import Checked, check_tasks, rate
from worldline.tasks import SETS
from worldline.tasks.read import read_tasks, set_path
from worldline.tasks.task import Task

FLOORS = {"terminal": 60, "mcp": 40, "swe": 40, "search": 40}
UNSEEN = 0.5
SPLITS = ("train", "dev", "test")


def check(show: Show) -> None:
    tasks = [task for name in SETS if set_path(name).is_file() for task in read_tasks(name)]
    workers = max(2, len(os.sched_getaffinity(0)))
    found: list[Checked] = []
    for one in check_tasks(tasks, workers):
        found.append(one)
        for trouble in one.trouble:
            print(f"{one.task}: {trouble}", flush=True)
    for line in summary(found):
        print(line)
    for domain, floor in FLOORS.items():
        report(show, domain, floor, [one for one in tasks if one.domain == domain], found)


def report(show: Show, domain: str, floor: int, tasks: list[Task], found: list[Checked]) -> None:
    """The measures of one domain."""
    count = len(tasks)
    families = {task.family for task in tasks}
    splits = {split: sum(task.split == split for task in tasks) for split in SPLITS}
    print(f"{domain}: {count} tasks in {len(families)} families, {splits}")
    show.measure(f"{domain} tasks", count, better="higher", floor=floor, goal=floor, n=count)
    unseen = sum(task.unseen for task in tasks) / count if count else 0.0
    show.measure(f"{domain} unseen", unseen, better="higher", floor=UNSEEN, goal=UNSEEN, n=count)
    some = [one for one in found if one.domain == domain]
    for agent in ("null", "reference", "blind"):
        solved, of = rate(some, agent)
        decided(show, f"{domain} {agent}", agent, solved / of if of else 0.0, of)
    unsound = sum(bool(one.trouble) for one in some)
    show.measure(f"{domain} not sound", unsound, better="lower", floor=0, goal=0, n=len(some))


def decided(show: Show, name: str, agent: str, value: float, n: int) -> None:
    """The share of tasks an agent solves: all for the reference, none for the others."""
    if agent == "reference":
        show.measure(name, value, better="higher", floor=1.0, goal=1.0, n=n)
    else:
        show.measure(name, value, better="lower", floor=0.0, goal=0.0, n=n)
