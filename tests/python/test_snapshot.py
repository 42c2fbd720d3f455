"""Snapshots, pickles and copies of simulations go on bit for bit; what else a simulation can be asked."""

import copy
import pickle

import numpy as np
import pytest

import poinsot

CASES = [
    ("dzhanibekov", "exact", "reduced"),
    ("double-pendulum", "adaptive", "reduced"),
    ("four-bar", "backward", "reduced"),
    ("four-bar", "backward", "maximal"),
    ("humanoid", "midpoint", "maximal"),
    ("governor", "implicit", "maximal"),
]


def end(sim, steps=1000):
    sim.step(steps)
    return [sim.time, sim.q.tobytes(), sim.v.tobytes(), sim.activation.tobytes()]


@pytest.mark.parametrize("scene, integrator, formulation", CASES)
def test_all_ways_to_go_on_are_the_same_bit_for_bit(scene, integrator, formulation, tmp_path):
    model = poinsot.scene(scene)
    sim = poinsot.Simulation(model, None, integrator, formulation)
    sim.step(50)
    s = sim.snapshot()
    assert (s.time, s.model, s.integrator, s.formulation, s.steps) == (sim.time, model.name, integrator, formulation, 50)
    s.write(tmp_path / "s.json")
    read = poinsot.Snapshot.read(tmp_path / "s.json")
    assert read == s == pickle.loads(pickle.dumps(s)) and copy.copy(s) is s
    others = [pickle.loads(pickle.dumps(sim)), copy.copy(sim), copy.deepcopy(sim)]
    fresh = poinsot.Simulation(model, None, integrator, formulation)
    fresh.restore(read)
    steps = 1000 if formulation == "reduced" else 200
    whole = end(sim, steps)
    sim.restore(s)
    assert all(end(other, steps) == whole for other in [sim, fresh, *others])


def test_controls_and_activations_are_part_of_it():
    b = poinsot.ModelBuilder("wheel")
    b.body("wheel")
    b.solid("wheel", "cylinder", 1.0, radius=0.1, length=0.02)
    b.joint("wheel", "revolute", axis=(0, 0, 1))
    b.actuator(joint=0, dynamics="filter", time_constant=0.1)
    for formulation in ["reduced", "maximal"]:
        sim = poinsot.Simulation(b.build(), 1e-3, "rkmk4", formulation)
        sim.ctrl[0] = 0.7
        sim.step(100)
        s = pickle.loads(pickle.dumps(sim.snapshot()))
        assert s.ctrl[0] == 0.7 and s.activation[0] == sim.activation[0] > 0.3
        whole = end(sim)
        sim.ctrl[0] = 0.0
        sim.restore(s)
        assert sim.ctrl[0] == 0.7 and end(sim) == whole
        sim.activation = [0.25]
        assert sim.activation[0] == 0.25
        with pytest.raises(ValueError, match="give 1 numbers"):
            sim.activation = [1, 2]


def test_what_does_not_fit_is_refused(tmp_path):
    s = poinsot.Simulation(poinsot.scene("four-bar"), integrator="midpoint").snapshot()
    for scene, integrator, formulation, word in [
        ("slider-crank", "midpoint", "reduced", "four-bar"),
        ("four-bar", "rkmk4", "reduced", "rkmk4"),
        ("four-bar", "midpoint", "maximal", "maximal"),
    ]:
        with pytest.raises(ValueError, match=word):
            poinsot.Simulation(poinsot.scene(scene), integrator=integrator, formulation=formulation).restore(s)
    with pytest.raises(ValueError, match="not a snapshot"):
        poinsot.Snapshot.from_json("{}")
    with pytest.raises(OSError, match="nowhere"):
        poinsot.Snapshot.read(tmp_path / "nowhere")


def test_formulations_and_stabilisations():
    model = poinsot.scene("four-bar")
    with pytest.raises(ValueError, match="maximall"):
        poinsot.Simulation(model, formulation="maximall")
    with pytest.raises(ValueError, match="baumgarte"):
        poinsot.Simulation(model, stabilisation="some")
    with pytest.raises(ValueError, match="does not step constraints"):
        poinsot.Simulation(poinsot.scene("dzhanibekov"), integrator="exact", formulation="maximal")
    sim = poinsot.Simulation(model, formulation="maximal", stabilisation="baumgarte:0.05")
    assert sim.stabilisation == "baumgarte:0.05" and pickle.loads(pickle.dumps(sim)).stabilisation == "baumgarte:0.05"
    assert set(sim.reactions) == set(model.joint_names) and set(sim.constraint_forces) == set(model.constraint_names)


def test_a_file_is_run_by_the_integrator_that_the_command_line_takes():
    damped = """<mujoco><worldbody><body><joint axis="0 1 0" damping="1"/><geom size=".1" pos="1 0 0"/></body></worldbody>
    </mujoco>"""
    said = lambda model: [d.message for d in model.diagnostics if "asks for" in d.message]
    assert poinsot.loads(damped).integrator == "leapfrog" and not said(poinsot.loads(damped))
    named = poinsot.loads(damped.replace("<worldbody>", '<option integrator="implicit"/><worldbody>'))
    assert named.integrator == "leapfrog" and "the file asks for implicit" in said(named)[0]
    smooth = poinsot.loads(damped.replace("<worldbody>", '<option integrator="RK4"/><worldbody>'))
    assert smooth.integrator == "rkmk4" and not said(smooth)


def test_points_and_the_trace_form():
    model = poinsot.scene("humanoid")
    rng = np.random.default_rng(1)
    q = model.random_configuration(3)
    v, a = rng.standard_normal((2, model.nv))
    assert np.allclose(model.trace_inverse_dynamics(q, v, a), model.inverse_dynamics(q, v, a), rtol=1e-10, atol=1e-9)
    body, point, h = model.nbody - 1, [0.1, -0.2, 0.3], 1e-5

    def velocity(s):
        q_s = model.integrate(q, v + 0.5 * s * a, s)
        return model.point_velocity(q_s, v + s * a, body, point)

    found = model.point_acceleration(q, v, a, body, point)
    assert np.allclose(found, (velocity(h) - velocity(-h)) / (2 * h), rtol=1e-5, atol=1e-5)
    rows = model.point_acceleration([q, q], [v, v], [a, a], model.body_names[body], point)
    assert rows.shape == (2, 3) and np.array_equal(rows[1], found)


def test_the_stiffness_of_a_soft_constraint():
    b = poinsot.ModelBuilder("hung", gravity=(0, 0, 0))
    b.body("weight", pos=(0, 0, -2))
    b.solid("weight", "sphere", 1.0, radius=0.1)
    b.joint("weight", "free")
    b.constraint("distance", "world", "weight", length=1.5, stiffness=100.0, name="spring")
    model = b.build()
    sim = poinsot.Simulation(model)
    energy, gradient, stiffness = sim.constraint_stiffness("spring")
    assert np.isclose(energy, 0.5 * 100 * 0.5**2) and np.allclose(gradient[9:], [0, 0, -50])
    assert np.allclose(stiffness, stiffness.T) and np.isclose(stiffness[11, 11], 100)
    assert np.isclose(stiffness[9, 9], 50 / 2.0)  # across: its force over its length
    again = model.constraint_stiffness(sim.q, "spring", "gauss-newton")[2]
    assert np.isclose(again[11, 11], 100) and again[9, 9] == 0
    with pytest.raises(ValueError, match="no constraint"):
        model.constraint_stiffness(sim.q, "springs")
