"""Recreates a pickled model from its file, its text, the name of its scene, the calls that built it, or another model and its changes."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import Any, Iterator

from . import _poinsot
from ._builder import again as build
from ._poinsot import Model, ModelWarning, scene

__all__ = ["build", "load", "loads", "replace", "scene"]


@contextmanager
def _said_before() -> Iterator[None]:
    """Warnings were given when the original model was loaded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        yield


def load(
    path: Any,
    search: Any,
    floating_base: bool,
    merge_fixed: bool,
    soft_limits: bool = False,
    motors: Any = False,
    root: Any = None,
    ground: Any = False,
    decompose: Any = False,
) -> Model:
    with _said_before():
        return _poinsot.load(
            path,
            root=root,
            search=search,
            floating_base=floating_base,
            merge_fixed=merge_fixed,
            soft_limits=soft_limits,
            motors=motors,
            ground=ground,
            decompose=decompose,
        )


def loads(
    text: str,
    name: Any,
    soft_limits: bool = False,
    motors: Any = False,
    floating_base: bool = False,
    ground: Any = False,
    decompose: Any = False,
) -> Model:
    with _said_before():
        return _poinsot.loads(
            text,
            name,
            floating_base=floating_base,
            soft_limits=soft_limits,
            motors=motors,
            ground=ground,
            decompose=decompose,
        )


def replace(model: Model, changes: dict[str, Any]) -> Model:
    return model.replace(**changes)
