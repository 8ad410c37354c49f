"""`dataclass` as of the standard library, for less: a class costs a sixteenth when it is defined, a frozen one a third
when it is made or changed.

The standard library writes and compiles six methods for every class that is defined. A command defines a hundred and
makes objects of twenty: half of its start went there. Here a method is compiled when it is first called. A frozen
dataclass moreover fills its fields through `object.__setattr__`, a call a field, which was half of the time of reading
a long rollout: here the new object is an open twin of its class while its fields are filled, and of the class itself,
frozen, before anybody sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["changed", "dataclass"]

if TYPE_CHECKING:  # so that the classes and the names and types of their fields are checked as ever
    from dataclasses import dataclass
    from dataclasses import replace as changed
else:
    from dataclasses import MISSING, Field, FrozenInstanceError, fields
    from dataclasses import dataclass as _dataclass
    from dataclasses import replace as _replace
    from functools import cache
    from operator import attrgetter
    from reprlib import recursive_repr

    _COPIES: dict[type, Any] = {}
    """Frozen classes to what copies their objects; None until one is changed first."""

    def dataclass(cls=None, /, *, frozen=False, slots=False):
        """As the standard library's, with these two options. A frozen class must not be subclassed."""
        return (lambda cls: _made(cls, frozen, slots)) if cls is None else _made(cls, frozen, slots)

    def changed(record, /, **changes):
        """As `dataclasses.replace`, which looks at every field of the class again for each copy."""
        cls = type(record)
        copy = _COPIES.get(cls, _replaced)
        if copy is None:
            copy = _COPIES[cls] = _copy_of(cls)
        return copy(record, changes)

    def _replaced(record, changes):
        return _replace(record, **changes)

    def _made(cls, frozen, slots):
        if any(hasattr(base, "__dataclass_fields__") for base in cls.__mro__[1:]) or _is_special(cls, frozen, slots):
            return _dataclass(frozen=frozen, slots=slots)(cls)
        own = frozenset(vars(cls))
        cls = _dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
        values = _values_of(tuple(one.name for one in fields(cls)))
        methods = {"__init__": _first_init(cls, frozen), "__repr__": _repr, "__eq__": _eq_of(values)}
        methods["__hash__"] = _hash_of(values) if frozen else None
        if frozen:
            methods |= {"__setattr__": _refused_set, "__delattr__": _refused_delete}
            methods |= {"__getstate__": _state, "__setstate__": _set_state, "__init_subclass__": _refused_subclass}
            if "__init__" not in own and not hasattr(cls, "__post_init__"):
                _COPIES[cls] = None
        for name, method in methods.items():
            if name not in own or (name == "__hash__" and "__eq__" in own and vars(cls)[name] is None):
                setattr(cls, name, method)
        return cls

    def _is_special(cls, frozen, slots):
        """Whether a field asks for more than a default, or an object may hold more than its fields."""
        given = [value for value in vars(cls).values() if isinstance(value, Field)]
        odd = any(not (one.init and one.compare and one.repr) or one.hash is not None for one in given)
        keywords = any(one.kw_only is True for one in given)
        words = " ".join(map(str, vars(cls).get("__annotations__", {}).values()))
        return odd or keywords or "InitVar" in words or "KW_ONLY" in words or (frozen and not slots)

    def _first_init(cls, frozen):
        """An `__init__` that makes way for the real one when the first object is made."""

        def __init__(self, *given, **named):
            cls.__init__ = made = _init_of(cls, frozen)
            made(self, *given, **named)

        return __init__

    def _init_of(cls, frozen):
        given = fields(cls)
        scope = {"_missing": MISSING, "_become": object.__setattr__, "_frozen": cls}
        parameters = ", ".join(_parameter(one, scope) for one in given)
        lines = [_filled(one, scope) for one in given]
        if frozen:
            scope["_open"] = _twin_of(cls)
            lines = ["_become(self, '__class__', _open)", *lines, "self.__class__ = _frozen"]
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        exec(f"def __init__(self, {parameters}):\n " + "\n ".join(lines or ["pass"]), scope)
        made = scope["__init__"]
        made.__annotations__ = {one.name: one.type for one in given} | {"return": None}
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        return made

    def _copy_of(cls):
        given = fields(cls)
        scope = {"_new": object.__new__, "_become": object.__setattr__, "_open": _twin_of(cls), "_frozen": cls}
        lines = ["new = _new(_open)", *(f"new.{one.name} = self.{one.name}" for one in given)]
        lines += [
            "for name in changes:",
            "  _become(new, name, changes[name])",
            "new.__class__ = _frozen",
            "return new",
        ]
        exec("def copy(self, changes):\n " + "\n ".join(lines), scope)
        return scope["copy"]

    @cache
    def _twin_of(cls):
        """A class of the same slots whose fields can be set."""
        unlocked = {"__slots__": (), "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
        return type(cls)(cls.__name__, (cls,), unlocked, twin=True)

    def _parameter(one, scope):
        if one.default_factory is not MISSING:
            return f"{one.name}=_missing"
        if one.default is MISSING:
            return one.name
        scope[f"_default_{one.name}"] = one.default
        return f"{one.name}=_default_{one.name}"

    def _filled(one, scope):
        if one.default_factory is MISSING:
            return f"self.{one.name} = {one.name}"
        scope[f"_make_{one.name}"] = one.default_factory
        return f"self.{one.name} = _make_{one.name}() if {one.name} is _missing else {one.name}"

    def _values_of(names):
        """A function that gives the values of an object as a tuple."""
        if len(names) > 1:
            return attrgetter(*names)
        return (lambda self: (getattr(self, names[0]),)) if names else (lambda _: ())

    def _eq_of(values):
        def __eq__(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        return __eq__

    def _hash_of(values):
        def __hash__(self):
            return hash(values(self))

        return __hash__

    @recursive_repr()
    def _repr(self):
        said = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self))
        return f"{self.__class__.__qualname__}({said})"

    def _refused_set(self, name, value):  # noqa: ARG001
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refused_delete(self, name):  # noqa: ARG001
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _state(self):
        return [getattr(self, one.name) for one in fields(self)]

    def _set_state(self, state):
        for one, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, one.name, value)

    def _no_subclass(cls, twin=False):
        if not twin:
            raise TypeError(
                f"{cls.__mro__[1].__name__} is frozen and has no subclasses: its objects are made as its own"
            )

    _refused_subclass = classmethod(_no_subclass)
