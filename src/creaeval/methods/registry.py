"""Find methods by name; other packages add theirs by the entry point group ``creaeval.methods``."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from creaeval.methods.base import Method

_BUILTIN_MODULES = ("creaeval.methods.creaeval",)
_methods: dict[str, Method] = {}


def register(name: str) -> Callable[[Method], Method]:
    """Register a method under the name users type.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    callable
        A decorator that leaves the function as it is.

    Raises
    ------
    SettingError
        Another function has the name already.
    """

    def keep(method: Method) -> Method:
        if name in _methods and _methods[name] is not method:
            raise SettingError(
                f"two methods are called {name!r}: one in {_methods[name].__module__}, "
                f"one in {method.__module__}; rename one of them"
            )
        _methods[name] = method
        return method

    return keep


def get_method(name: str) -> Method:
    """Return the method with this name.

    Parameters
    ----------
    name : str
        A registered name or the name of an entry point in the group ``creaeval.methods``.

    Returns
    -------
    Method

    Raises
    ------
    SettingError
        There is none, or the package that offers it cannot be imported.
    """
    for module in _BUILTIN_MODULES:
        import_module(module)
    if name not in _methods:
        for entry in entry_points(group="creaeval.methods", name=name):
            try:
                register(name)(entry.load())
            except Exception as error:
                raise SettingError(f"method {name!r} of {entry.value} cannot be loaded: {error}") from error
    if name not in _methods:
        near = get_close_matches(name, list(_methods), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingError(f"there is no method {name!r}; known are {', '.join(sorted(_methods))}.{hint}")
    return _methods[name]
