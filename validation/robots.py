"""Every robot of seven packages let go: does an integrator give it energy?

Each file is loaded as it is, without contact and with all controls 0, and thrown with velocities drawn from N(0, 0.5²), at its own
step (URDF: 2 ms), for 60 s, or 60 000 steps where these are shorter. Energy is looked at every 0.1 s, and

    growth = max (E − E₀ − W) / max T        loss = −min (E − E₀ − W) / max T

W is the work of servos, which pull although their signal is 0. Passive robots cannot gain energy, so what
grows is the integrator's. MuJoCo runs the same files with its own integrators, contact switched off; what its soft limits and loops store
is not in its energy, so small growth is no fault of its integrators. Limits take energy: where these are met, losses are no fault either. A figure is one run of a chaotic motion: only its order of
magnitude means anything.

    ./python-test                                             # once: makes the environment
    target/python/venv/bin/python validation/robots.py        # writes docs/robots.md
"""

import argparse
import pathlib
import re
import sys

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))

import poinsot  # noqa: E402
from test_mjcf_peers import FILES as MJCF  # noqa: E402
from test_urdf_peers import FILES as URDF  # noqa: E402

LOOK = 0.1
MOST_STEPS = 60_000
ALLOWED = 1e-3
THEIRS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
}


class Watch:
    """Growth and loss of energies that are told one after the other."""

    def __init__(self, energy, kinetic):
        self.begin, self.highest, self.lowest, self.kinetic = energy, energy, energy, kinetic

    def see(self, energy, kinetic):
        self.highest, self.lowest = max(self.highest, energy), min(self.lowest, energy)
        self.kinetic = max(self.kinetic, kinetic)

    def growth(self):
        return (self.highest - self.begin) / max(self.kinetic, 1e-300)

    def loss(self):
        return (self.begin - self.lowest) / max(self.kinetic, 1e-300)


def thrown(model, seed):
    return np.random.default_rng(seed).normal(0, 0.5, model.nv)


def has_servos(file):
    """True when an actuator pulls though its signal is 0, as far as MuJoCo can tell."""
    model = loaded(file)
    return model is None or bool((model.actuator_biastype != mujoco.mjtBias.mjBIAS_NONE).any())


def loaded(file):
    try:
        return mujoco.MjModel.from_xml_path(str(file))
    except Exception:
        return None


def ours(model, servos, seconds, seed):
    """Growth, loss and mean substeps of one run; infinite growth where a step fails."""
    sim = poinsot.Simulation(model, v=thrown(model, seed), ledger=servos, integrator="leapfrog")
    sim.step()  # what begins beyond its range is put back, and what goes into its end stops

    def energy():
        return sim.energy() - (sim.ledger["work"]["actuators"] if sim.ledger else 0.0)

    watch = Watch(energy(), sim.kinetic_energy())
    between = max(1, round(LOOK / sim.dt))
    for _ in range(round(min(seconds / sim.dt, MOST_STEPS) / between)):
        try:
            sim.step(between)
        except poinsot.StepError as failed:
            return np.inf, np.nan, sim.substeps / sim.steps, str(failed)
        watch.see(energy(), sim.kinetic_energy())
    return watch.growth(), watch.loss(), sim.substeps / sim.steps, ""


def theirs(file, integrator, dt, seconds, seed):
    """Growth of a run by MuJoCo; infinite where it diverges, none where it does not load the file."""
    model = loaded(file)
    if model is None or model.nv == 0:
        return None
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_AUTORESET
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.opt.integrator, model.opt.timestep = integrator, dt
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(seed).normal(0, 0.5, model.nv)
    mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    watch = Watch(data.energy.sum(), data.energy[1])
    between = max(1, round(LOOK / dt))
    bad = [mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC]
    for _ in range(round(min(seconds / dt, MOST_STEPS) / between)):
        mujoco.mj_step(model, data, between)
        mujoco.mj_forward(model, data)
        if any(data.warning[w].number for w in bad) or not np.isfinite(data.energy).all():
            return np.inf
        watch.see(data.energy.sum(), data.energy[1])
    return watch.growth()


def shown(x):
    if x is None:
        return "–"
    return "diverges" if not np.isfinite(x) or x > 1e3 else f"{max(x, 0.0):.0e}" if x >= 1e-12 else "0"


def run(arguments):
    rows, left = [], []
    for package, path, file in [*URDF, *MJCF]:
        name = f"{package}/{path}"
        if arguments.only not in name or re.search(arguments.skip, name):
            continue
        try:
            model = poinsot.load(file)
            if model.nv == 0:
                continue
            servos = bool(model.actuator_names) and has_servos(file)
            growth, loss, substeps, why = ours(model, servos, arguments.time, arguments.seed)
        except (poinsot.ModelError, poinsot.StepError, ValueError) as refused:
            left.append((name, str(refused).strip().splitlines()[0].replace(str(file.parent) + "/", "")))
            continue
        peers = {}
        if re.search(arguments.peers, name):
            peers = {
                word: theirs(file, code, model.timestep, arguments.time, arguments.seed) if not servos else None
                for word, code in THEIRS.items()
            }
        rows.append((name, model, growth, loss, substeps, peers, why))
        if not arguments.only:
            write(rows, left, arguments)  # what is there already is kept when the run is cut short
        print(f"{name}: {shown(growth)} {shown(loss)} {substeps:.2f} {why}", flush=True)
    return rows, left


def write(rows, left, arguments):
    failed = [r for r in rows if not r[2] <= ALLOWED]
    lines = ["# Robots let go", "", __doc__.split("\n\n", 1)[1].strip(), ""]
    lines[2:3] = [lines[2].replace("    growth", "```text\ngrowth").replace("max T\n\nW", "max T\n```\n\nW").replace("    loss", "loss")]
    lines += [
        f"MuJoCo {mujoco.__version__}, seed {arguments.seed}, {arguments.time:g} s. `leapfrog` gives more than {ALLOWED:g} to "
        f"{len(failed)} of {len(rows)} models; the largest growth is {shown(max(r[2] for r in rows))}.",
    ]
    for word in THEIRS:
        run = [r[5][word] for r in rows if r[5].get(word) is not None]
        if run:
            lines.append(f"MuJoCo's {word}: {sum(not g <= ALLOWED for g in run)} of {len(run)} models without servos, whose work it does not account for.")
    lines += ["", "| model | step, ms | growth | loss | substeps | " + " | ".join(f"MuJoCo {w}" for w in THEIRS) + " |"]
    lines += ["|---|---:|---:|---:|---:|" + "---:|" * len(THEIRS)]
    for name, model, growth, loss, substeps, peers, _ in rows:
        their = " | ".join(shown(peers.get(word)) for word in THEIRS)
        lines.append(
            f"| {name} | {1e3 * model.timestep:g} | {shown(growth)} | {shown(loss)} | {substeps:.2f} | {their} |"
        )
    if left:
        lines += ["", "Without a model that can be run:", ""]
        lines += [f"- {name}: {why}" for name, why in left]
    (ROOT / "docs" / "robots.md").write_text("\n".join(lines) + "\n")
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=60.0, help="how long each is run, s")
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--only", default="", help="files whose names contain this; nothing is written")
    parser.add_argument("--skip", default="$^", help="a pattern of files to leave out")
    parser.add_argument("--peers", default="", help="a pattern of the files that MuJoCo runs, too [default: all]")
    arguments = parser.parse_args()
    rows, left = run(arguments)
    failed = [r for r in rows if not r[2] <= ALLOWED]
    if not arguments.only:
        failed = write(rows, left, arguments)
    for row in failed:
        print(f"FAILED {row[0]}: {row[2]:.1e} {row[6]}")
    sys.exit(bool(failed))
