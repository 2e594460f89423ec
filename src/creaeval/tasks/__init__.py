"""What is judged: tasks, their steps, dimensions, scales and rubrics."""

from creaeval.tasks.load import builtin_tasks, load_task, parse_task, read_yaml
from creaeval.tasks.model import Batching, Dimension, Group, Items, Level, Scale, Scenario, Step, Task
from creaeval.tasks.names import display_name, find_category, find_part, find_step, fold, identities, resolve

__all__ = [
    "Batching",
    "Dimension",
    "Group",
    "Items",
    "Level",
    "Scale",
    "Scenario",
    "Step",
    "Task",
    "builtin_tasks",
    "display_name",
    "find_category",
    "find_part",
    "find_step",
    "fold",
    "identities",
    "load_task",
    "parse_task",
    "read_yaml",
    "resolve",
]
