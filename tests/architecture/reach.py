"""What a function can reach: the functions that its code names, those that they name, and so on.

Names are read from the byte code and resolved as Python would: globals, imports inside functions, attributes of modules
and classes. A class stands for all of its methods, and a table or tuple for the functions in it, so more is found than
runs. A call through a parameter of unknown type is found where its class is named.
"""

import dis
import functools
import importlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MappingProxyType, ModuleType

_OURS = ("signet.", "signet_api.", "signet_worker.", "signet_scheduler.")


@dataclass(frozen=True, slots=True)
class Named:
    """What the code of one function names: texts, functions of ours, and callables of others."""

    texts: frozenset[str]
    functions: tuple[FunctionType, ...]
    foreign: frozenset[object]


@dataclass(slots=True)
class Reach:
    """Finds functions, and remembers what each names."""

    _known: dict[CodeType, Named] = field(default_factory=dict)

    def of(self, start: object) -> Iterator[tuple[FunctionType, Named]]:
        """Yield every function that can be reached from an object, and what it names."""
        seen: set[CodeType] = set()
        waiting = [*_functions(start)]
        while waiting:
            function = waiting.pop()
            code = function.__code__
            if code in seen:
                continue
            seen.add(code)
            if code not in self._known:
                self._known[code] = _named(function)
            yield function, self._known[code]
            waiting += self._known[code].functions


def name_of(function: FunctionType) -> str:
    """Return module and name of a function."""
    return f"{function.__module__}.{function.__qualname__}"


def _named(function: FunctionType) -> Named:
    texts: set[str] = set()
    found: list[FunctionType] = []
    foreign: set[object] = set()
    around = _surroundings(function)
    for code in _codes(function.__code__):
        for value in _values(code, around):
            if isinstance(value, str):
                texts.add(value)
            elif callable(value) and not _is_ours(getattr(value, "__module__", None)):
                foreign.add(value)
            else:
                found += _functions(value)
    return Named(frozenset(texts), tuple(dict.fromkeys(found)), frozenset(foreign))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _surroundings(function: FunctionType) -> dict[str, object]:
    found: dict[str, object] = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not set yet
            continue
    return found


def _values(code: CodeType, around: Mapping[str, object]) -> Iterator[object]:
    """Yield what the instructions load by a name, and texts."""
    local: dict[str, object] = {}
    current: object = None
    module: ModuleType | None = None
    for step in dis.get_instructions(code):
        name = step.argval
        match step.opname:
            case "IMPORT_NAME":
                module = current = _module(name)
            case "IMPORT_FROM":
                current = _member(module, name)
                yield current
            case "STORE_FAST" | "STORE_DEREF":
                local[name], current = current, None
            case "LOAD_CONST" if isinstance(name, str):
                yield name
                current = None
            case "LOAD_GLOBAL" | "LOAD_NAME" | "LOAD_DEREF" | "LOAD_FAST":
                current = local.get(name, around.get(name))
                yield current
            case "LOAD_ATTR" | "LOAD_METHOD" if isinstance(current, ModuleType | type):
                current = getattr(current, name, None)
                yield current
            case "CACHE" | "PUSH_NULL" | "PRECALL" | "RESUME":
                continue
            case _:
                current = None


def _module(name: str) -> ModuleType | None:
    try:
        return sys.modules.get(name) or importlib.import_module(name)
    except ModuleNotFoundError:  # of another system
        return None


def _member(module: ModuleType | None, name: str) -> object:
    if module is None:
        return None
    if not hasattr(module, name):
        return _module(f"{module.__name__}.{name}")
    return getattr(module, name)


def _functions(start: object) -> Iterator[FunctionType]:
    """Yield the functions of ours that an object is, has, or holds."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen or isinstance(one, ModuleType):
            continue
        seen.add(id(one))
        waiting += _parts(one)
        if isinstance(one, FunctionType) and _is_ours(one.__module__):
            yield one


def _parts(one: object) -> list[object]:
    found: list[object] = []
    if isinstance(one, functools.partial):
        found = [one.func, *one.args, *one.keywords.values()]
    elif isinstance(one, staticmethod | classmethod) or inspect.ismethod(one):
        found = [one.__func__]
    elif isinstance(one, property):
        found = [one.fget, one.fset]
    elif isinstance(one, FunctionType):
        found = [one.__dict__.get("__wrapped__")]
    elif isinstance(one, type):
        mine = [each for each in one.__mro__ if _is_ours(each.__module__)]
        found = [value for each in mine for value in vars(each).values() if _is_method(value)]
    elif isinstance(one, MappingProxyType) or type(one) is dict:
        found = [value for value in one.values() if callable(value) or isinstance(value, tuple)]
    elif isinstance(one, tuple | list | frozenset | set):
        found = [value for value in one if callable(value)]
    elif _is_ours(type(one).__module__):
        found = [type(one)]
    return found


def _is_method(value: object) -> bool:
    return isinstance(value, FunctionType | property | staticmethod | classmethod)


def _is_ours(module: str | None) -> bool:
    return f"{module}.".startswith(_OURS)
