"""The page and replays, from scripts and notebooks."""

from __future__ import annotations

import copy
import sys
import time
import webbrowser
from typing import Any, Callable, Optional, Union

from ._poinsot import Model, Replay, Simulation, Viewer, _serve


def view(
    what: Union[Model, Simulation],
    *,
    port: Optional[int] = None,
    open_browser: bool = True,
    playing: Optional[bool] = None,
    block: Optional[bool] = None,
) -> Viewer:
    """Opens the page of a model, or of a simulation, which it follows.

    The page of a simulation shows where that is: sixty times a second it looks at it between the steps, under the lock that steps take, and
    what Python steps, sets or restores moves the page. The page changes nothing in Python: play, pull and its controls act on a copy of its
    own, from the moment that is shown, and the next step in Python brings it back.

    playing: whether the page runs by itself at first; if not given, that of a model does, and that of a simulation when block holds
    the script. port: 7878 if not given, or the next that is free. block: waits until Ctrl-C; if not given, in scripts, but neither in
    notebooks nor at the prompt. The viewer has the address of the page as url, and close() ends it.

        viewer = poinsot.view(sim, block=False)
        while viewer.running:
            sim.run(1 / 60, tau=controller)
            time.sleep(1 / 60)
    """
    if block is None:
        block = not (hasattr(sys, "ps1") or "ipykernel" in sys.modules)
    if playing is None:
        playing = block or isinstance(what, Model)
    viewer = _serve(what, port, playing)
    if open_browser:
        webbrowser.open(viewer.url)
    if block:
        try:
            print(f"{viewer.url}  Ctrl-C ends it", flush=True)
            while viewer.running:
                time.sleep(0.1)
        except KeyboardInterrupt:
            viewer.close()
    return viewer


def replay(
    sim: Simulation,
    duration: float = 5.0,
    *,
    fps: float = 30.0,
    control: Optional[Callable[[Simulation], Any]] = None,
    tau: Optional[Callable[[Simulation], Any]] = None,
    speed: float = 1.0,
) -> Replay:
    """What a simulation has recorded (see Simulation.record), as a replay that a notebook shows and that can be saved.

    Where nothing was recorded a copy of the simulation is run from where it is for so many seconds, as Simulation.run does it, and sim
    stays as it is. speed: simulated seconds for a second.
    """
    if not sim.recorded:
        sim = copy.copy(sim)
        sim.record(fps)
        sim.run(duration, control=control, tau=tau)
    return sim._replay(speed)
