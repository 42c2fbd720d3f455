"""A million steps of a stock humanoid under random controls.

Without --contact: dm_control's, limits on, contact off, by `leapfrog` at the step of its file. Each control is drawn evenly from its whole range and held for ten
steps. The state must stay finite, no joint may pass its range by more than 1e-9 rad, and the ledger must close to 1e-12 of its largest line.

With --contact: dm_control's or gymnasium's falls on its floor and kicks about. The state must stay finite, and the residual of every step be at most 1e-6 m/s; steps
that were not solved to the tolerance are counted.

    scripts/python-test                                       # once: makes the environment
    target/python/venv/bin/python validation/long_run.py
    target/python/venv/bin/python validation/long_run.py --contact --model gymnasium
"""

import argparse
import pathlib
import sys
import time
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

import poinsot  # noqa: E402
from peers import files  # noqa: E402

HELD = 10
PASSED = 1e-9
CLOSED = 1e-12
RESIDUAL = 1e-6
MODELS = {"dm_control": "suite/humanoid.xml", "gymnasium": "envs/mujoco/assets/humanoid.xml"}


def loaded(package):
    (file,) = (file for _, path, file in files(package, ".xml", b"mujoco") if path == MODELS[package])
    return poinsot.load(file)


def begun(model, arguments):
    if not arguments.contact:
        return poinsot.Simulation(model, integrator="leapfrog", ledger=arguments.ledger)
    # above the floor: it falls first
    q = np.array(model.qpos0)
    q[2] += 0.2
    return poinsot.Simulation(model, integrator=arguments.integrator, contact="exact", q=q)


def finished(sim, arguments, passed):
    if arguments.contact:
        touched = sim.tally["contacts"]
        print(", ".join(f"{name} {value:.3g}" for name, value in touched.items()))
        print("fallbacks:", {name: one["steps"] for name, one in sim.tally["fallbacks"].items()})
        return touched["residual"] <= RESIDUAL
    ok = passed <= PASSED
    if arguments.ledger:
        work = sim.ledger["work"]
        scale = max(abs(w) for w in [*work.values(), sim.ledger["kinetic_energy"]])
        off = abs(sim.ledger["imbalance"]) / scale
        print("ledger: " + ", ".join(f"{line} {w:.4e}" for line, w in work.items() if w) + f"; off by {off:.1e}")
        ok &= off <= CLOSED
    return ok


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-ledger", dest="ledger", action="store_false")
    parser.add_argument("--contact", action="store_true")
    parser.add_argument("--model", choices=MODELS, default="dm_control")
    parser.add_argument("--integrator", default="leapfrog", help="with --contact")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    model = loaded(arguments.model)
    sim = begun(model, arguments)
    rng = np.random.default_rng(arguments.seed)
    limited = np.isfinite(model.joint_ranges).any(axis=1)
    at = np.array(model.joint_qposadr)[limited]
    lower, upper = model.joint_ranges[limited].T
    low, high = np.clip(model.actuator_ranges, -1, 1).T
    passed, fastest, begin = 0.0, 0.0, time.perf_counter()
    for k in range(arguments.steps // HELD):
        sim.ctrl = rng.uniform(low, high)
        for _ in range(HELD if not arguments.contact else 1):
            sim.step(1 if not arguments.contact else HELD)
            q = sim.q[at]
            passed = max(passed, (lower - q).max(), (q - upper).max())
        fastest = max(fastest, np.abs(sim.v[3:]).max())
        if not (np.isfinite(sim.q).all() and np.isfinite(sim.v).all()):
            print(f"not finite after {sim.steps} steps")
            return 1
        if (k + 1) % max(1, arguments.steps // HELD // 10) == 0:
            worst = f", {sim.tally['contacts']}" if arguments.contact else ""
            print(f"{sim.steps} steps: limits passed by {passed:.1e} rad, fastest {fastest:.0f} rad/s{worst}", flush=True)
    wall = time.perf_counter() - begin
    print(f"{sim.steps} steps of {sim.dt} s in {wall:.0f} s: {sim.substeps / sim.steps:.4f} substeps a step")
    print(f"limits passed by at most {passed:.1e} rad; joints turned with at most {fastest:.0f} rad/s")
    return 0 if finished(sim, arguments, passed) else 1


if __name__ == "__main__":
    sys.exit(main())
