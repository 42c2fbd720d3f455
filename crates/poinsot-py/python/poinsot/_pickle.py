"""How a pickled model is made again: from its file, its text or the name of its scene."""

from __future__ import annotations

from typing import Any

from . import _poinsot
from ._poinsot import Model, loads, scene

__all__ = ["load", "loads", "scene"]


def load(path: Any, search: Any, floating_base: bool, merge_fixed: bool) -> Model:
    return _poinsot.load(path, search=search, floating_base=floating_base, merge_fixed=merge_fixed)
