"""The stubs say what the compiled module has."""

import subprocess
import sys


def test_stubs_agree_with_the_module(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "poinsot._poinsot"], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_typed_program_passes(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import poinsot\n"
        "model = poinsot.scene('humanoid')\n"
        "sim = poinsot.Simulation(model, dt=0.001, integrator='midpoint')\n"
        "sim.ctrl = [0.0] * model.nu\n"
        "sim.step(10)\n"
        "sim.restore(sim.snapshot())\n"
        "builder = poinsot.ModelBuilder('ball', gravity=[0, 0, 0])\n"
        "builder.solid(builder.body('ball'), 'sphere', 1.0, radius=0.1)\n"
        "builder.joint('ball', 'free')\n"
        "free: poinsot.Model = builder.build()\n"
        "total: float = sim.drift().energy + float(model.mass_matrix(sim.q).sum())\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(program)], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
