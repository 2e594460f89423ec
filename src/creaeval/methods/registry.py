"""Find methods by name; other packages add theirs by the entry point group ``creaeval.methods``."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.methods.base import Method

if TYPE_CHECKING:
    from collections.abc import Callable

    from creaeval.methods.base import Case, Scorer

_BUILTIN_MODULES = (
    "creaeval.methods.creaeval",
    "creaeval.methods.one_pass",
    "creaeval.methods.direct",
    "creaeval.methods.expected",
    "creaeval.methods.cot",
    "creaeval.methods.thoughts",
    "creaeval.methods.reference",
    "creaeval.methods.sft",
    "creaeval.methods.sft_evidence",
    "creaeval.methods.samer",
    "creaeval.methods.offline",
)
_methods: dict[str, Method] = {}


def register(
    name: str,
    *,
    calls: Callable[[Case, int, int, int], int],
    uses_analyst: bool = True,
    several_steps: bool = False,
    logprobs: bool = False,
    examples: bool = False,
    samples: int = 1,
    suffix: str = "",
    provider: str = "",
) -> Callable[[Scorer], Scorer]:
    """Register a method under the name users type.

    Parameters
    ----------
    name : str
        The name.
    calls, uses_analyst, several_steps, logprobs, examples, samples, suffix, provider
        As in :class:`~creaeval.methods.Method`; its summary is the first line of the function's docstring.

    Returns
    -------
    callable
        A decorator that leaves the function as it is.

    Raises
    ------
    SettingError
        Another function has the name already.
    """

    def keep(score: Scorer) -> Scorer:
        summary = (score.__doc__ or "").strip().partition("\n")[0]
        _keep(
            Method(
                *(name, score, summary, calls, uses_analyst, several_steps),
                logprobs=logprobs,
                examples=examples,
                samples=samples,
                suffix=suffix,
                provider=provider,
            )
        )
        return score

    return keep


def _keep(method: Method) -> None:
    before = _methods.setdefault(method.name, method)
    if before.score is not method.score:
        raise SettingError(
            f"two methods are called {method.name!r}: one in {before.score.__module__}, "
            f"one in {method.score.__module__}; rename one of them"
        )


def get_method(name: str) -> Method:
    """Return the method with this name.

    Parameters
    ----------
    name : str
        A registered name or the name of an entry point in the group ``creaeval.methods``, which is a
        :class:`~creaeval.methods.Method`.

    Returns
    -------
    Method

    Raises
    ------
    SettingError
        There is none, or the package that offers it cannot be imported.
    """
    _import_builtin()
    if name not in _methods:
        for entry in entry_points(group="creaeval.methods", name=name):
            try:
                loaded = entry.load()
            except Exception as error:
                raise SettingError(f"method {name!r} of {entry.value} cannot be loaded: {error}") from error
            if not isinstance(loaded, Method) or loaded.name != name:
                raise SettingError(
                    f"method {name!r} of {entry.value}: found {loaded!r:.80}, expected a "
                    f"creaeval.methods.Method of this name"
                )
            _keep(loaded)
    if name not in _methods:
        near = get_close_matches(name, list(_methods), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingError(f"there is no method {name!r}; known are {', '.join(sorted(_methods))}.{hint}")
    return _methods[name]


def list_methods() -> list[Method]:
    """List the built-in methods and those registered so far, in the order of registration."""
    _import_builtin()
    return list(_methods.values())


def _import_builtin() -> None:
    for module in _BUILTIN_MODULES:
        import_module(module)
