"""Poinsot: rigid and articulated body dynamics that conserve what nature conserves.

load, loads, scene and ModelBuilder give a Model; its methods are its dynamics. A Simulation steps one, and a Snapshot is all
that is needed to go on from a moment. view opens the page, replay shows a run in a notebook, control has controllers.
solve_contact and solve_lcp solve contact and complementarity problems given as matrices. A Lagrangian is motion from energies given as
text (lagrangian: as functions), a GroupLagrangian one on rotations and poses, an AffineHierarchy one of nodes that stretch and shear.
"""

from ._builder import ModelBuilder
from ._diagnostic import Diagnostic
from ._drift import Drift
from ._poinsot import (
    INTEGRATORS,
    AffineHierarchy,
    AffinePath,
    AssemblyError,
    ContactSolution,
    GroupLagrangian,
    GroupPath,
    IkSolution,
    Lagrangian,
    LagrangianPath,
    LcpSolution,
    Model,
    ModelError,
    Motion,
    PoinsotError,
    Replay,
    Scene,
    Simulation,
    Snapshot,
    ModelWarning,
    StepError,
    StepWarning,
    Viewer,
    __version__,
    explain,
    load,
    loads,
    scene,
    scenes,
    solve_contact,
    solve_lcp,
)
from . import control
from ._lagrangian import lagrangian
from ._optimize import optimize
from ._seeing import replay, view

__all__ = [
    "INTEGRATORS",
    "AffineHierarchy",
    "AffinePath",
    "AssemblyError",
    "ContactSolution",
    "Diagnostic",
    "Drift",
    "GroupLagrangian",
    "GroupPath",
    "IkSolution",
    "Lagrangian",
    "LagrangianPath",
    "LcpSolution",
    "Model",
    "ModelBuilder",
    "ModelError",
    "Motion",
    "PoinsotError",
    "Replay",
    "Scene",
    "Simulation",
    "Snapshot",
    "ModelWarning",
    "StepError",
    "StepWarning",
    "Viewer",
    "__version__",
    "control",
    "explain",
    "lagrangian",
    "load",
    "loads",
    "optimize",
    "replay",
    "scene",
    "scenes",
    "solve_contact",
    "solve_lcp",
    "view",
]
