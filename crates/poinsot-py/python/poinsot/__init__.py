"""Poinsot: rigid and articulated body dynamics that keep what nature keeps.

load, loads, scene and ModelBuilder give a Model; its methods are its dynamics. A Simulation steps one, and a Snapshot is all
that is needed to go on from a moment. solve_contact and solve_lcp solve contact and complementarity problems given as matrices.
"""

from ._builder import ModelBuilder
from ._diagnostic import Diagnostic
from ._drift import Drift
from ._poinsot import (
    INTEGRATORS,
    AssemblyError,
    ContactAnswer,
    LcpAnswer,
    Model,
    ModelError,
    PoinsotError,
    Simulation,
    Snapshot,
    ModelWarning,
    StepError,
    StepWarning,
    __version__,
    load,
    loads,
    scene,
    scenes,
    solve_contact,
    solve_lcp,
)

__all__ = [
    "INTEGRATORS",
    "AssemblyError",
    "ContactAnswer",
    "Diagnostic",
    "Drift",
    "LcpAnswer",
    "Model",
    "ModelBuilder",
    "ModelError",
    "PoinsotError",
    "Simulation",
    "Snapshot",
    "ModelWarning",
    "StepError",
    "StepWarning",
    "__version__",
    "load",
    "loads",
    "scene",
    "scenes",
    "solve_contact",
    "solve_lcp",
]
