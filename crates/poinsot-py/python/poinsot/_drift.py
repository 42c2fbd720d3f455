"""How far a simulation has departed from what nature keeps."""

from __future__ import annotations

from typing import NamedTuple, Optional


class Drift(NamedTuple):
    """The largest departures from the beginning, relative to the size of what moves."""

    energy: float
    """Not an error where dampers, actuators, friction, impacts or forces that are applied change the energy: the ledger tells them apart."""
    momentum: Optional[float]
    """Of the components that nothing can change; None where the world holds the model."""
