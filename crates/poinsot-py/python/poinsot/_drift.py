"""The drift of energy and momentum in a simulation."""

from __future__ import annotations

from typing import NamedTuple, Optional


class Drift(NamedTuple):
    """The largest deviations from the initial values, relative to the scale of the motion."""

    energy: float
    """Not an error if dampers, actuators, friction, impacts or applied forces change the energy: the ledger distinguishes them."""
    momentum: Optional[float]
    """Of the conserved components; None if the world holds the model."""
