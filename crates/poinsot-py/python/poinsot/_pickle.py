"""How a pickled model is made again: from its file, its text, the name of its scene, or the calls that built it."""

from __future__ import annotations

from typing import Any

from . import _poinsot
from ._builder import again as build
from ._poinsot import Model, scene

__all__ = ["build", "load", "loads", "scene"]


def load(
    path: Any,
    search: Any,
    floating_base: bool,
    merge_fixed: bool,
    soft_limits: bool = False,
    motors: Any = False,
    root: Any = None,
    ground: Any = False,
) -> Model:
    return _poinsot.load(
        path,
        root=root,
        search=search,
        floating_base=floating_base,
        merge_fixed=merge_fixed,
        soft_limits=soft_limits,
        motors=motors,
        ground=ground,
    )


def loads(
    text: str,
    name: Any,
    soft_limits: bool = False,
    motors: Any = False,
    floating_base: bool = False,
    ground: Any = False,
) -> Model:
    return _poinsot.loads(
        text, name, floating_base=floating_base, soft_limits=soft_limits, motors=motors, ground=ground
    )
