"""Poinsot: rigid and articulated body dynamics that keep what nature keeps.

load, loads and scene give a Model; its methods are its dynamics. A Simulation steps one.
"""

from ._diagnostic import Diagnostic
from ._drift import Drift
from ._poinsot import (
    INTEGRATORS,
    AssemblyError,
    Model,
    ModelError,
    PoinsotError,
    Simulation,
    ModelWarning,
    StepError,
    __version__,
    load,
    loads,
    scene,
    scenes,
)

__all__ = [
    "INTEGRATORS",
    "AssemblyError",
    "Diagnostic",
    "Drift",
    "Model",
    "ModelError",
    "PoinsotError",
    "Simulation",
    "ModelWarning",
    "StepError",
    "__version__",
    "load",
    "loads",
    "scene",
    "scenes",
]
