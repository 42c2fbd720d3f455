"""A million steps of dm_control's humanoid under random controls: limits on, contact off, by `leapfrog` at the step of its file.

Each control is drawn evenly from its whole range, −1 to 1, and held for ten steps. The state must stay finite, no joint may pass its
range by more than 1e-9 rad, and the ledger must close to 1e-12 of its largest line.

    ./python-test                                             # once: makes the environment
    target/python/venv/bin/python validation/long_run.py
"""

import argparse
import pathlib
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

import poinsot  # noqa: E402
from peers import files  # noqa: E402

HELD = 10
PASSED = 1e-9
CLOSED = 1e-12


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-ledger", dest="ledger", action="store_false")
    arguments = parser.parse_args()
    (file,) = (file for _, path, file in files("dm_control", ".xml", b"mujoco") if path == "suite/humanoid.xml")
    model = poinsot.load(file)
    sim = poinsot.Simulation(model, integrator="leapfrog", ledger=arguments.ledger)
    rng = np.random.default_rng(arguments.seed)
    limited = np.isfinite(model.joint_ranges).any(axis=1)
    at = np.array(model.joint_qposadr)[limited]
    lower, upper = model.joint_ranges[limited].T
    passed, fastest, begun = 0.0, 0.0, time.perf_counter()
    for k in range(arguments.steps // HELD):
        sim.ctrl = rng.uniform(-1, 1, len(model.actuator_names))
        for _ in range(HELD):
            sim.step()
            q = sim.q[at]
            passed = max(passed, (lower - q).max(), (q - upper).max())
        fastest = max(fastest, np.abs(sim.v[3:]).max())
        if not (np.isfinite(sim.q).all() and np.isfinite(sim.v).all()):
            print(f"not finite after {sim.steps} steps")
            return 1
        if (k + 1) % max(1, arguments.steps // HELD // 10) == 0:
            print(f"{sim.steps} steps: limits passed by {passed:.1e} rad, fastest {fastest:.0f} rad/s", flush=True)
    wall = time.perf_counter() - begun
    print(f"{sim.steps} steps of {sim.dt} s in {wall:.0f} s: {sim.substeps / sim.steps:.4f} substeps a step")
    print(f"limits passed by at most {passed:.1e} rad; joints turned with at most {fastest:.0f} rad/s")
    ok = passed <= PASSED
    if arguments.ledger:
        work = sim.ledger["work"]
        scale = max(abs(w) for w in [*work.values(), sim.ledger["kinetic_energy"]])
        off = abs(sim.ledger["imbalance"]) / scale
        print("ledger: " + ", ".join(f"{line} {w:.4e}" for line, w in work.items() if w) + f"; off by {off:.1e}")
        ok &= off <= CLOSED
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
