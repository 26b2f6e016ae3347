"""Cached properties without a lock."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 12):
    from functools import cached_property
else:
    from collections.abc import Callable
    from typing import Any, Generic, TypeVar

    Value = TypeVar("Value")

    class cached_property(Generic[Value]):  # noqa: N801
        """A property that is computed on first use, as in Python 3.12.

        The version of Python 3.11 holds a lock of the whole class while it computes. A child
        process forked meanwhile inherits the locked lock and waits for it forever.
        """

        def __init__(self, compute: Callable[[Any], Value]) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Value:
            if instance is None:
                return self  # type: ignore[return-value]
            # Without __set__ this is called once; later, the instance's own entry takes precedence.
            value = instance.__dict__[self._name] = self._compute(instance)
            return value


__all__ = ["cached_property"]
