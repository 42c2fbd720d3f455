"""Every robot of seven packages let go: does an integrator give it energy?

Each file is loaded as it is, without contact and with all controls 0, and thrown with velocities drawn from N(0, 0.5²), at its own
step (URDF: 2 ms), by the integrator that is the default for it, for 60 s. Energy is looked at every 0.1 s, and

    growth = max (E − E₀ − W) / max T        loss = −min (E − E₀ − W) / max T

W is the work of servos, which pull although their signal is 0; T is the kinetic energy. Passive robots cannot gain energy, so what grows
is the integrator's. A loss may be that of dampers, dry friction, limits and the medium, which take energy; what the integrator itself has
taken is in the column "of it the integrator's", from the lines "integration" and "stabilisation" of the ledger.

MuJoCo runs the same files at the same steps with each of its integrators, contact switched off; of URDF files it gets all but the shapes,
which it often cannot find. Its servos with a signal of 0 are springs, and their energy is counted. What its soft limits and loops store is
not in its energy, so growth of some percent may be theirs. A dash: it refuses the file, or something pulls in it that is no spring.

A figure is one run of a chaotic motion: only its order of magnitude means anything.

    ./python-test                                             # once: makes the environment
    target/python/venv/bin/python validation/robots.py        # writes docs/robots.md; about an hour

Results are kept in target/python/robots.jsonl, so that a run which was cut short goes on; --fresh begins anew.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import warnings
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
sys.path.insert(0, str(ROOT / "tests" / "python"))

import poinsot  # noqa: E402
from test_mjcf_peers import FILES as MJCF  # noqa: E402
from test_urdf_peers import FILES as URDF  # noqa: E402

LOOK = 0.1
ALLOWED = 1e-3
THEIRS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}
BAD = [mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC]


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


def thrown(nv, seed):
    return np.random.default_rng(seed).normal(0, 0.5, nv)


def ours(file, seconds, seed):
    """One run; infinite growth where a step fails, nothing where nothing can move."""
    model = poinsot.load(file)
    if model.nv == 0:
        return None
    sim = poinsot.Simulation(model, v=thrown(model.nv, seed), ledger=True)
    row = {"dt": sim.dt, "integrator": sim.integrator, "why": ""}
    sim.step()  # what begins beyond its range is put back, and what goes into its end stops

    def energies():
        work = sim.ledger["work"]
        return sim.energy() - work["actuators"], work["integration"] + work["stabilisation"]

    energy, own = energies()
    all_of_it, integrators = (Watch(e, sim.kinetic_energy()) for e in (energy, own))
    between = max(1, round(LOOK / sim.dt))
    for _ in range(round(seconds / sim.dt / between)):
        try:
            sim.step(between)
        except poinsot.StepError as failed:
            row |= {"growth": np.inf, "why": str(failed)}
            break
        energy, own = energies()
        all_of_it.see(energy, sim.kinetic_energy())
        integrators.see(own, sim.kinetic_energy())
    found = {"growth": all_of_it.growth(), "loss": all_of_it.loss(), "own": integrators.loss()}
    return found | row | {"substeps": sim.substeps / max(sim.steps, 1)}


def loaded(file):
    """The file as MuJoCo reads it; a URDF file without its shapes."""
    try:
        if file.suffix != ".urdf":
            return mujoco.MjModel.from_xml_path(str(file))
        robot = ET.parse(file).getroot()
        for link in robot.iter("link"):
            for shape in [*link.findall("visual"), *link.findall("collision")]:
                link.remove(shape)
        return mujoco.MjModel.from_xml_string(ET.tostring(robot, encoding="unicode"))
    except Exception:  # MuJoCo has errors of several types
        return None


def springs(model):
    """The energy of actuators whose signals are 0, as a function of the data: none where they are no springs.

    The force is f = clamp(b₀ + b₁ l + b₂ l̇). With b₂ ≤ 0 the last term only takes energy, and the others have the potential
    −G(f)/b₁, G(f) = ∫ clamp(f) df = f clamp(f) − clamp(f)²/2.
    """
    if not model.nu:
        return lambda data: 0.0
    bias, dynamics = mujoco.mjtBias, mujoco.mjtDyn
    linear = np.isin(model.actuator_biastype, [bias.mjBIAS_NONE, bias.mjBIAS_AFFINE])
    at_zero = np.isin(
        model.actuator_dyntype,
        [dynamics.mjDYN_NONE, dynamics.mjDYN_INTEGRATOR, dynamics.mjDYN_FILTER, dynamics.mjDYN_FILTEREXACT],
    )
    b = np.where((model.actuator_biastype == bias.mjBIAS_AFFINE)[:, None], model.actuator_biasprm[:, :3], 0.0)
    if not (linear & at_zero & (b[:, 2] <= 0)).all() or (model.jnt_actfrclimited.any() and b.any()):
        return None
    limited = model.actuator_forcelimited.astype(bool)
    low = np.where(limited, model.actuator_forcerange[:, 0], -np.inf)
    high = np.where(limited, model.actuator_forcerange[:, 1], np.inf)
    if b.any() and ((low > 0) | (high < 0)).any():
        return None

    def energy(data):
        force = b[:, 0] + b[:, 1] * data.actuator_length
        held = np.clip(force, low, high)
        stiff = b[:, 1] != 0
        stored = np.where(stiff, -(force * held - held**2 / 2) / np.where(stiff, b[:, 1], 1.0), -held * data.actuator_length)
        return stored.sum()

    return energy


def theirs(file, integrator, dt, seconds, seed):
    """Growth of a run by MuJoCo; infinite where it diverges, nothing where it has none to tell."""
    model = loaded(file)
    stored = model and model.nv and springs(model)
    if not stored:
        return None
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_AUTORESET
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.opt.integrator, model.opt.timestep = integrator, dt
    data = mujoco.MjData(model)
    data.qvel[:] = thrown(model.nv, seed)
    mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    watch = Watch(data.energy.sum() + stored(data), data.energy[1])
    between = max(1, round(LOOK / dt))
    for _ in range(round(seconds / dt / between)):
        mujoco.mj_step(model, data, between)
        mujoco.mj_forward(model, data)
        if any(data.warning[w].number for w in BAD) or not np.isfinite(data.energy).all():
            return np.inf
        watch.see(data.energy.sum() + stored(data), data.energy[1])
    return watch.growth()


def first_error(refused):
    """What an error of the model or of a step says, in a line without the user's folders."""
    diagnostics = [d for d in getattr(refused, "diagnostics", []) if d.severity == "error"]
    text = diagnostics[0].message if diagnostics else str(refused).strip().splitlines()[0]
    return text.split("; the state before")[0]


def run(arguments, kept):
    log = kept.open("a")
    done = {row["name"] for row in map(json.loads, kept.read_text().splitlines())}
    for package, path, file in [*URDF, *MJCF]:
        name = f"{package}/{path}"
        if name in done or not re.search(arguments.only, name):
            continue
        try:
            row = ours(file, arguments.time, arguments.seed)
        except (poinsot.ModelError, poinsot.StepError, ValueError) as refused:
            row = {"left": first_error(refused)}
        if row and "growth" in row:
            row["peers"] = {w: theirs(file, code, row["dt"], arguments.time, arguments.seed) for w, code in THEIRS.items()}
            print(f"{name}: {shown(row['growth'])} {shown(row['loss'])} {row['substeps']:.2f} {row['why']}", flush=True)
        log.write(json.dumps({"name": name, "row": row}) + "\n")
        log.flush()


def shown(x):
    if x is None:
        return "–"
    return "diverges" if not np.isfinite(x) or x > 1e3 else f"{max(x, 0.0):.0e}" if x >= 1e-12 else "0"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=60.0, help="how long each is run, s")
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--only", default="", help="a pattern of files; nothing is written or kept")
    parser.add_argument("--fresh", action="store_true", help="forgets what was kept")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", poinsot.ModelWarning)
    warnings.simplefilter("ignore", poinsot.StepWarning)
    kept = TARGET / "python" / ("robots-some.jsonl" if arguments.only else "robots.jsonl")
    if arguments.fresh or arguments.only or not kept.exists():
        kept.write_text("")
    run(arguments, kept)


if __name__ == "__main__":
    main()
