"""Find methods by name; other packages add theirs by the entry point group ``creaeval.methods``."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.methods.base import Method
from creaeval.tasks import fold
from creaeval.wording import nearest

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint

    from creaeval.methods.base import Case, Scorer

_BUILTIN_MODULES = (
    "creaeval.methods.creaeval",
    "creaeval.methods.one_pass",
    "creaeval.methods.direct",
    "creaeval.methods.table_full",
    "creaeval.methods.expected",
    "creaeval.methods.cot",
    "creaeval.methods.thoughts",
    "creaeval.methods.reference",
    "creaeval.methods.sft",
    "creaeval.methods.samer",
    "creaeval.methods.offline",
)
_PLUG_INS = "creaeval.methods"
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
    aliases: tuple[str, ...] = (),
) -> Callable[[Scorer], Scorer]:
    """Register a method under the name users type.

    Parameters
    ----------
    name : str
        The name.
    calls, uses_analyst, several_steps, logprobs, examples, samples, suffix, provider, aliases
        As in :class:`~creaeval.methods.Method`; its summary is the first line of the function's docstring.

    Returns
    -------
    callable
        A decorator that leaves the function as it is.

    Raises
    ------
    SettingError
        Another method has the name or one of the aliases already.
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
                aliases=aliases,
            )
        )
        return score

    return keep


def _keep(method: Method) -> None:
    for other in _methods.values():
        if other.name == method.name and other.score is method.score:
            continue
        if shared := _keys(other).keys() & _keys(method).keys():
            raise SettingError(
                f"two methods are called {_keys(method)[min(shared)]!r}: {other.name} in "
                f"{other.score.__module__}, {method.name} in {method.score.__module__}; "
                "rename one of them or leave the alias out"
            )
    _methods.setdefault(method.name, method)


def _keys(method: Method) -> dict[str, str]:
    """Key every name of a method by what it is compared by."""
    return {fold(name): name for name in (*method.aliases, method.name)}


def get_method(name: str) -> Method:
    """Return the method with this name.

    Parameters
    ----------
    name : str
        A registered name or alias, or the name or alias of an entry point in the group ``creaeval.methods``,
        which is a :class:`~creaeval.methods.Method`. Case, spaces, hyphens, underscores and slashes do not
        count: ``W/O memory`` is the method ``no-memory``.

    Returns
    -------
    Method
        Its ``name`` is what belongs in records and tables, whatever name it was asked for by.

    Raises
    ------
    SettingError
        There is none, or the package that offers it cannot be imported.
    """
    _import_builtin()
    method = _find(name)
    if method is None:
        _load_plug_ins(name)
        method = _find(name)
    if method is None:
        raise SettingError(
            f"there is no method {name!r}; known are {', '.join(sorted(_methods))}.{_nearest(name)}"
        )
    return method


def canonical_name(name: str) -> str:
    """Return the name under which a method is recorded.

    Parameters
    ----------
    name : str
        A name or alias of a method, or what somebody else calls a method of theirs.

    Returns
    -------
    str
        Of what is no method here the name as it is.
    """
    _import_builtin()
    method = _find(name)
    return name if method is None else method.name


def _find(name: str) -> Method | None:
    # Most ask by the name itself, and some for every response.
    if name in _methods:
        return _methods[name]
    return next((method for method in _methods.values() if fold(name) in _keys(method)), None)


def _load_plug_ins(name: str) -> None:
    """Load the methods of other packages, whose aliases are not known before; raise for the one asked for."""
    for entry in entry_points(group=_PLUG_INS):
        try:
            _keep(_load(entry))
        except SettingError:
            if fold(entry.name) == fold(name):
                raise


def _load(entry: EntryPoint) -> Method:
    try:
        loaded = entry.load()
    except Exception as error:
        raise SettingError(f"method {entry.name!r} of {entry.value} cannot be loaded: {error}") from error
    if not isinstance(loaded, Method) or loaded.name != entry.name:
        raise SettingError(
            f"method {entry.name!r} of {entry.value}: found {loaded!r:.80}, expected a "
            f"creaeval.methods.Method of this name"
        )
    return loaded


def _nearest(name: str) -> str:
    """Suggest the name or alias that is most like a wrong one."""
    owners = {shown: method.name for method in _methods.values() for shown in _keys(method).values()}
    for shown in nearest(name, owners, key=fold):
        owner = owners[shown]
        return f" Did you mean {shown!r}{'' if shown == owner else f' ({owner})'}?"
    return ""


def list_methods() -> list[Method]:
    """List the built-in methods and those registered so far, in the order of registration."""
    _import_builtin()
    return list(_methods.values())


def _import_builtin() -> None:
    for module in _BUILTIN_MODULES:
        import_module(module)
