"""Motions that meet conditions and cost least, from Python."""

import math
import pathlib

import numpy as np
import pytest

import poinsot

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "optimize"


def block(**more):
    problem = {
        "intervals": 10,
        "system": {"kind": "particle", "mass": 2.0},
        "time": {"duration": 1.5},
        "at": [{"time": "start", "q": 0, "v": 0}, {"time": "end", "q": [3.0], "v": {"v": 0.0}}],
        "minimize": [{"term": "effort"}],
    }
    return {**problem, **more}


def test_a_block_is_moved_as_the_formula_has_it():
    motion = poinsot.optimize(block())
    assert motion.success and motion.status == "solved" and motion.kkt_residual < 1e-8
    assert motion.cost == pytest.approx(12 * 2**2 * 3**2 / 1.5**3, rel=1e-12)
    s = motion.t / 1.5
    np.testing.assert_allclose(motion.q[:, 0], 3 * (3 * s**2 - 2 * s**3), atol=1e-11)
    np.testing.assert_allclose(motion.u[:, 0], 6 * 2 * 3 / 1.5**2 * (1 - 2 * s), atol=1e-9)
    # the costate of the velocity: λ on the Newtonian constraint is 2u, times the weights of Simpson's rule
    assert motion.multipliers.shape == motion.v.shape and motion.q_names == ["x"]


def test_files_and_bounds():
    motion = poinsot.optimize(EXAMPLES / "particle.toml")
    assert motion.cost == pytest.approx(447.13890401785714286, abs=1e-8)
    bounded = poinsot.optimize(block(bounds=[{"v": {"v": [-math.inf, 2.5]}}]))
    assert bounded.success and bounded.v.max() <= 2.5 + 1e-9 and bounded.cost > poinsot.optimize(block()).cost


def test_what_cannot_be_is_told():
    motion = poinsot.optimize(block(bounds=[{"v": {"v": [-1.0, 1.0]}}]))
    assert not motion.success and motion.status == "infeasible"
    what, time, by = motion.violated[0]
    assert isinstance(what, str) and 0 <= time <= 1.5 and abs(by) > 1e-3
    with pytest.raises(ValueError, match="no term"):
        poinsot.optimize(block(minimize=[{"term": "efort"}]))
    with pytest.raises(ValueError, match="unknown field"):
        poinsot.optimize(block(colour="red"))


def test_forces_of_a_simulated_motion_are_those_that_made_it():
    model = poinsot.scene("double-pendulum")
    t = np.linspace(0, 1, 201)
    q = np.outer(np.sin(3 * t), np.linspace(0.3, 0.7, model.nq))
    found = poinsot.explain(model, t, q)
    v = np.outer(3 * np.cos(3 * t), np.linspace(0.3, 0.7, model.nq))
    a = -9 * q
    expected = np.array([model.inverse_dynamics(*rows) for rows in zip(q, v, a)])
    np.testing.assert_allclose(found["tau"], expected, atol=1e-4 * abs(expected).max())
    # the mount bears everything; what the second joint bears is what the second rod requires: m (c̈ − g)
    assert found["bodies"] == ["rod1", "rod2"] and found["reactions"].shape == (len(t), 2, 6)
    reactions = found["reactions"]
    np.testing.assert_allclose(reactions[:, 0, :3], found["external_force"], atol=1e-9 * abs(reactions).max())
    mass, centre = model.body_mass[2], model.body_com[2]
    poses = [model.forward_kinematics(row) for row in q]
    c = np.array([rotations[2] @ centre + positions[2] for positions, rotations in poses])
    h = t[1] - t[0]
    required = mass * ((c[2:] - 2 * c[1:-1] + c[:-2]) / h**2 - model.gravity_vector)
    np.testing.assert_allclose(reactions[1:-1, 1, :3], required, atol=1e-3 * abs(required).max())
    noisy = q + 1e-4 * np.random.default_rng(1).standard_normal(q.shape)
    rough, smooth = (abs(poinsot.explain(model, t, noisy, cutoff=c)["tau"] - expected)[20:-20].max() for c in (None, 10.0))
    assert smooth < 0.1 * rough


def test_guesses_are_read_from_archives(tmp_path):
    t = np.linspace(0, 1.5, 20)
    np.savez(tmp_path / "clip.npz", time=t, qpos=np.outer(t, [2.0]))
    guessed = poinsot.optimize(block(guess={"file": str(tmp_path / "clip.npz")}))
    assert guessed.success and guessed.cost == pytest.approx(poinsot.optimize(block()).cost, rel=1e-10)
    damaged = bytearray((tmp_path / "clip.npz").read_bytes())
    damaged[damaged.index(b"NUMPY") + 200] ^= 1
    (tmp_path / "damaged.npz").write_bytes(damaged)
    with pytest.raises(ValueError, match="damaged"):
        poinsot.optimize(block(guess={"file": str(tmp_path / "damaged.npz")}))
    np.savez_compressed(tmp_path / "packed.npz", time=t, qpos=np.outer(t, [2.0]))
    with pytest.raises(ValueError, match="savez, not savez_compressed"):
        poinsot.optimize(block(guess={"file": str(tmp_path / "packed.npz")}))
