"""Every robot of seven packages in free motion: does an integrator give it energy?

Each file is loaded as it is. The robot is thrown with velocities drawn from N(0, 0.5²), without contact and with all controls 0, and runs
for 60 s at the step of its file (URDF: 2 ms) with its default integrator. Energy is recorded every 0.1 s, and

    growth = max (E − E₀ − W) / max T        loss = −min (E − E₀ − W) / max T

W is the work of servos, which exert forces even when their signal is 0; T is the kinetic energy. A passive robot cannot gain energy, so
any growth is the integrator's error. Losses are mostly real: dampers, dry friction, limits and the medium take energy. The column "lost to
the integrator" gives the part that is not, from the lines "integration" and "stabilisation" of the ledger.

MuJoCo runs the same files at the same steps with each of its integrators, with contact switched off. It gets URDF files without their
shapes, which it often cannot find. Its servos act as springs when their signal is 0, and their energy is counted. The energy stored in its
soft limits and loops is not, so they may account for growth of a few percent. A dash means that MuJoCo rejects the file, that something
other than a spring exerts forces in it, or that there would be more than 300 000 steps (fruitfly).

Each figure comes from one run of a chaotic motion, so only its order of magnitude means anything.

Where much is lost to the integrator, the step is too long to resolve the motion, and shorter steps lose less. Laikago's file has inertias
of 0: its shins are points that turn at up to 96 rad/s, 0.19 rad in a step of 2 ms. In 10 s the integrator takes 27 % of the largest
kinetic energy at 2 ms, 10 % at 1 ms and 3 % at 0.5 ms. For minitaur_rainbow_dash, whose shins are as light, it is 8 % at 2 ms and 0.04 % at
0.5 ms; for inverted_double_pendulum, whose file requests 10 ms, 9 % in 20 s, and 0.6 % at 2.5 ms.

    scripts/python-test                                       # once: makes the environment
    target/python/venv/bin/python validation/robots.py        # writes docs/robots.md; about an hour
    scripts/validate                                          # puts its summary into VALIDATION.md

Results are kept in target/python, so that an interrupted run can be continued; --fresh discards those of Poinsot. --their-columns takes
MuJoCo's figures from the current page instead of running them again.
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
MOST_OF_THEIR_STEPS = 300_000
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
    sim = poinsot.Simulation(model, v=thrown(model.nv, seed), ledger=True, contact=None)
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
    return re.sub(r"/\S*/", "", text.split("; the state before")[0])


class Kept:
    """Results in a file, a line each: a run that was cut short goes on."""

    def __init__(self, path, fresh):
        self.path = path
        if fresh or not path.exists():
            path.write_text("")
        self.rows = dict(map(json.loads, path.read_text().splitlines()))

    def get(self, name, find):
        if name not in self.rows:
            self.rows[name] = find()
            with self.path.open("a") as file:
                file.write(json.dumps([name, self.rows[name]]) + "\n")
        return self.rows[name]


def our_row(file, arguments):
    try:
        return ours(file, arguments.time, arguments.seed)
    except (poinsot.ModelError, poinsot.StepError, ValueError) as refused:
        return {"left": first_error(refused)}


def step_of(file):
    try:
        return poinsot.load(file).timestep
    except poinsot.ModelError:
        return np.inf


def their_row(file, dt, arguments):
    if arguments.time / dt > MOST_OF_THEIR_STEPS:
        return {}
    return {word: theirs(file, code, dt, arguments.time, arguments.seed) for word, code in THEIRS.items()}


def read(figure):
    """The reverse of `shown`, as far as it goes."""
    return {"–": None, "diverges": np.inf}[figure] if figure in ("–", "diverges") else float(figure)


def their_columns():
    """MuJoCo's figures on the current page."""
    cells = (line.strip("| \n").split(" | ") for line in (ROOT / "docs" / "robots.md").read_text().splitlines() if line.startswith("| "))
    wide = 7 + len(THEIRS)
    return {row[0]: dict(zip(THEIRS, map(read, row[7:]))) for row in cells if len(row) == wide and row[0] != "model"}


def run(arguments):
    """All rows, ours first: models that have one, as (name, row, MuJoCo's), and those that have none, as (name, why)."""
    # what MuJoCo finds does not change when we do
    about = f"{arguments.seed}-{arguments.time:g}" + ("-some" if arguments.only else "")
    mine = Kept(TARGET / "python" / f"robots-{about}.jsonl", arguments.fresh or arguments.only)
    peers = Kept(TARGET / "python" / f"robots-{about}-mujoco-{mujoco.__version__}.jsonl", arguments.only)
    files = {f"{package}/{path}": file for package, path, file in [*URDF, *MJCF]}
    files = {name: file for name, file in files.items() if re.search(arguments.only, name)}
    # those of the longest steps first: a page with most of them is worth having
    for name in sorted((n for n in files if n not in mine.rows), key=lambda n: -step_of(files[n])):
        row = mine.get(name, lambda: our_row(files[name], arguments))
        if row and "growth" in row:
            print(f"{name}: {shown(row['growth'])} {shown(row['loss'])} {row['substeps']:.2f} {row['why']}", flush=True)
    found = [(name, mine.rows[name]) for name in files if mine.rows[name]]
    left = [(name, row["left"]) for name, row in found if "left" in row]
    rows = [(name, row, {}) for name, row in found if "growth" in row]
    if arguments.their_columns:
        peers.rows = their_columns() | peers.rows
    for name, row, of_peers in sorted(rows, key=lambda r: -r[1]["dt"]):
        of_peers |= peers.get(name, lambda: their_row(files[name], row["dt"], arguments))
        print(f"{name}: MuJoCo", *(f"{word} {shown(x)}" for word, x in of_peers.items()), flush=True)
    return rows, left


def shown(x):
    if x is None:
        return "–"
    return "diverges" if not np.isfinite(x) or x > 1e3 else f"{max(x, 0.0):.0e}" if x >= 1e-12 else "0"


def summary(rows, left, arguments):
    """What VALIDATION.md says."""
    above = [name for name, row, _ in rows if not row["growth"] <= ALLOWED]
    own = max(row["own"] for _, row, _ in rows)
    lossy = [f"{name} ({row['own']:.0%})" for name, row, _ in rows if row["own"] > 0.01]
    busy = [f"{name} ({row['substeps']:.1f})" for name, row, _ in rows if row["substeps"] > 1.5]
    lines = [
        f"Each of {len(rows)} models of seven packages is thrown with random velocities, without contact, and runs for {arguments.time:g} s at "
        "the step of its file with the integrator that is the default for it. The table shows by how much its energy grew, less the work of "
        "servos, relative to the largest kinetic energy. Losses to dampers, friction and limits are real; the ledger separates them from "
        "losses to the integrator.",
        "",
        "| integrator | models | energy grew by more than 0.001 | diverged | largest growth |",
        "|---|---:|---:|---:|---:|",
    ]
    columns = {"Poinsot, default": [row["growth"] for _, row, _ in rows]}
    columns |= {f"MuJoCo {mujoco.__version__}, {w}": [p[w] for _, _, p in rows if p.get(w) is not None] for w in THEIRS}
    for word, found in columns.items():
        grew, diverged = sum(not g <= ALLOWED for g in found), sum(not g <= 1e3 for g in found)
        lines.append(f"| {word} | {len(found)} | {grew} | {diverged} | {shown(max(found, default=None))} |")
    lines += [
        "",
        "MuJoCo does not count the energy stored in its soft limits and loops, so some of its growth is not the fault of its integrators.",
        f"The largest loss to our integrator is {own:.0%}"
        + (f"; more than 1 %: {', '.join(lossy)}." if lossy else "."),
        f"Substeps: {sum(row['substeps'] for _, row, _ in rows) / len(rows):.2f} per step on average"
        + (f"; more than 1.5: {', '.join(busy)}." if busy else "."),
        "Above the bound: " + (", ".join(above) if above else "none") + ".",
        f"Every model is in [docs/robots.md](docs/robots.md), which also says why {len(left)} files have no model that can be run.",
    ]
    return "\n".join(lines) + "\n"


def page(rows, left, arguments):
    lines = ["# Every robot in free motion", "", __doc__.split("\n\n", 1)[1].strip(), ""]
    lines[2:3] = [
        lines[2].replace("    growth", "```text\ngrowth").replace("max T\n\nW", "max T\n```\n\nW").replace("    loss", "loss")
    ]
    lines += [summary(rows, left, arguments).replace("](docs/", "]("), f"Seed {arguments.seed}."]
    lines += ["", "| model | step, ms | integrator | growth | loss | lost to the integrator | substeps | "]
    lines[-1] += " | ".join(f"MuJoCo {w}" for w in THEIRS) + " |"
    lines += ["|---|---:|---|---:|---:|---:|---:|" + "---:|" * len(THEIRS)]
    for name, row, peers in rows:
        figures = [shown(row[key]) for key in ("growth", "loss", "own")]
        cells = [f"{1e3 * row['dt']:g}", row["integrator"], *figures, f"{row['substeps']:.2f}"]
        lines.append("| " + " | ".join([name, *cells, *(shown(peers.get(w)) for w in THEIRS)]) + " |")
    if left:
        lines += ["", "Files without a model that can be run:", ""]
        reasons = {}
        for name, why in left:
            reasons.setdefault(why, []).append(name)
        for why, names in reasons.items():
            lines.append(f"- {why}: {', '.join(names)}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=60.0, help="how long each is run, s")
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--only", default="", help="a pattern of files; nothing is written")
    parser.add_argument("--their-columns", action="store_true", help="takes MuJoCo's figures from the current page")
    parser.add_argument("--fresh", action="store_true", help="forgets what was kept of our own runs")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", poinsot.ModelWarning)
    warnings.simplefilter("ignore", poinsot.StepWarning)
    rows, left = run(arguments)
    if not arguments.only:
        (ROOT / "docs" / "robots.md").write_text(page(rows, left, arguments))
        (ROOT / "validation" / "robots.md").write_text(summary(rows, left, arguments))
    failed = [(name, row) for name, row, _ in rows if not row["growth"] <= ALLOWED]
    for name, row in failed:
        print(f"FAILED {name}: {row['growth']:.1e} {row['why']}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
