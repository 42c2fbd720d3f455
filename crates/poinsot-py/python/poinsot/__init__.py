"""Poinsot: rigid and articulated body dynamics that keep what nature keeps.

load, loads, scene and ModelBuilder give a Model; its methods are its dynamics. A Simulation steps one, and a Snapshot is all
that is needed to go on from a moment. view opens the page, replay shows a run in a notebook, control has controllers.
"""

from ._builder import ModelBuilder
from ._diagnostic import Diagnostic
from ._drift import Drift
from ._poinsot import (
    INTEGRATORS,
    AssemblyError,
    Model,
    ModelError,
    PoinsotError,
    Replay,
    Simulation,
    Snapshot,
    ModelWarning,
    StepError,
    StepWarning,
    Viewer,
    __version__,
    load,
    loads,
    scene,
    scenes,
)
from . import control
from ._seeing import replay, view

__all__ = [
    "INTEGRATORS",
    "AssemblyError",
    "Diagnostic",
    "Drift",
    "Model",
    "ModelBuilder",
    "ModelError",
    "PoinsotError",
    "Replay",
    "Simulation",
    "Snapshot",
    "ModelWarning",
    "StepError",
    "StepWarning",
    "Viewer",
    "__version__",
    "control",
    "load",
    "loads",
    "replay",
    "scene",
    "scenes",
    "view",
]
