"""Simulations, as Python sees them."""

import threading
import time

import numpy as np
import pytest

import poinsot
from test_model import ARM


def test_energy_and_momentum_are_kept():
    sim = poinsot.Simulation(poinsot.scene("dzhanibekov"))
    energy, momentum = sim.energy(), sim.momentum()
    sim.step(1000)
    assert (sim.time, sim.steps, sim.integrator) == (10.0, 1000, "exact")
    assert sim.energy() == pytest.approx(energy, rel=1e-12)
    assert np.abs(sim.momentum() - momentum).max() < 1e-12
    assert sim.drift().energy < 1e-12 and sim.drift().momentum < 1e-12
    assert sim.kinetic_energy() + sim.potential_energy() == pytest.approx(sim.energy(), rel=1e-14)
    assert poinsot.Simulation(poinsot.scene("pendulum")).drift().momentum is None


def test_the_same_steps_give_the_same_bits():
    model = poinsot.scene("humanoid")
    one, other = (poinsot.Simulation(model, 1e-3, "rkmk4") for _ in range(2))
    one.step(60)
    for _ in range(60):
        other.step()
    assert np.array_equal(one.q, other.q) and np.array_equal(one.v, other.v) and one.time == other.time
    other.reset()
    other.step(60)
    assert np.array_equal(one.q, other.q)


def test_a_step_is_that_of_the_textbook():
    model = poinsot.loads(ARM)
    sim = poinsot.Simulation(model, dt=1e-3, integrator="semi-implicit", q=[0.4, 0.2], v=[1, -1])
    sim.ctrl = [0.7]
    a = model.forward_dynamics([0.4, 0.2], [1, -1], [2 * 0.7, 0])
    sim.step()
    v = np.array([1, -1]) + 1e-3 * a
    assert np.abs(sim.v - v).max() < 1e-15 and np.abs(sim.q - ([0.4, 0.2] + 1e-3 * v)).max() < 1e-15


def test_controls_may_be_assigned_or_written_to():
    model = poinsot.loads(ARM)
    ends = []
    for write in [lambda s: setattr(s, "ctrl", [0.5]), lambda s: s.ctrl.__setitem__(slice(None), 0.5)]:
        sim = poinsot.Simulation(model)
        write(sim)
        assert sim.ctrl.tolist() == [0.5]
        sim.step(10)
        ends.append(sim.q)
    assert np.array_equal(*ends) and np.abs(ends[0]).max() > 0
    sim.ctrl = sim.ctrl
    with pytest.raises(ValueError, match="ctrl has 2 numbers, the model has nu = 1"):
        sim.ctrl = [1, 2]
    sim.ctrl[0] = np.nan
    with pytest.raises(ValueError, match=r'ctrl\[0\] is NaN: the control of actuator "push"'):
        sim.step()


def test_the_state_can_be_assigned_but_not_written_to():
    sim = poinsot.Simulation(poinsot.loads(ARM))
    sim.q, sim.v, sim.time = [0.1, 0.2], (0.3, 0.4), 5
    assert (sim.q.tolist(), sim.v.tolist(), sim.time) == ([0.1, 0.2], [0.3, 0.4], 5.0)
    for array in [sim.q, sim.v]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(ValueError, match="q has 1 number, the model has nq = 2"):
        sim.q = [1]
    with pytest.raises(ValueError, match=r'v\[1\] is NaN: the velocity of joint "elbow"'):
        sim.v = [0, np.nan]
    sim.step()
    sim.reset()
    assert (sim.q.tolist(), sim.v.tolist(), sim.time) == ([0, 0], [0, 0], 0)


def test_keyframes():
    sim = poinsot.Simulation(poinsot.loads(ARM))
    sim.reset("bent")
    assert sim.q.tolist() == [1, -1] and sim.ctrl.tolist() == [0]
    sim.reset(1)
    assert sim.q.tolist() == [0.5, 0.5] and sim.ctrl.tolist() == [0.3]
    for wrong in ["straight", 2, -1]:
        with pytest.raises(ValueError, match="there is no keyframe .*bent, key1"):
            sim.reset(wrong)


def test_a_scene_begins_with_its_controls_and_has_the_keyframes_of_its_file():
    model = poinsot.scene("ur5")
    sim = poinsot.Simulation(model)
    first, *others = model.keyframes
    begin = model.keyframes[first]["ctrl"]
    assert np.any(begin) and others
    assert sim.ctrl.tolist() == begin.tolist()
    sim.step(100)
    # the servos hold it: without their signals it would be far away
    assert np.max(np.abs(sim.q - model.keyframes[first]["qpos"])) < 0.1
    sim.ctrl[:] = 0
    sim.reset()
    assert sim.ctrl.tolist() == begin.tolist() and sim.time == 0
    sim.reset(others[0])
    assert sim.ctrl.tolist() == model.keyframes[others[0]]["ctrl"].tolist()


def test_wrong_settings_are_refused_in_words():
    model = poinsot.scene("double-pendulum")
    with pytest.raises(ValueError, match='there is no integrator "rk5"; there are: semi-implicit'):
        poinsot.Simulation(model, integrator="rk5")
    with pytest.raises(ValueError, match="steps bodies that are free"):
        poinsot.Simulation(model, integrator="exact")
    for dt in [0, -1, np.nan, np.inf]:
        with pytest.raises(ValueError, match="the time step is"):
            poinsot.Simulation(model, dt=dt)
    with pytest.raises(ValueError, match="n is -1"):
        poinsot.Simulation(model).step(-1)


def test_a_step_that_fails_leaves_the_last_good_state():
    sim = poinsot.Simulation(poinsot.scene("double-pendulum"), dt=1.0, integrator="rkmk4", v=[1e150, -1e150])
    before = sim.q
    with pytest.raises(poinsot.StepError, match="Try a smaller step"):
        sim.step(100)
    assert np.isfinite(sim.q).all() and before.shape == sim.q.shape
    assert issubclass(poinsot.StepError, poinsot.PoinsotError)


def meanwhile(work):
    """Counts how often this thread gets to run while another is at work, and for how long that is."""
    thread = threading.Thread(target=work)
    count, begin = 0, time.perf_counter()
    thread.start()
    while thread.is_alive():
        count += 1
        time.sleep(0.001)
    return count, time.perf_counter() - begin


def test_other_threads_run_during_steps_and_rows():
    sim = poinsot.Simulation(poinsot.scene("chain:300"))
    model = poinsot.scene("humanoid")
    q = np.tile(model.qpos0, (3000, 1))
    for work in [lambda: sim.step(2000), lambda: model.mass_matrix(q)]:
        count, wall = meanwhile(work)
        assert count > 50 * wall, f"ran {count} times in {wall:.3f} s"


def test_two_threads_on_one_simulation_do_not_mix_their_steps():
    model = poinsot.scene("humanoid")
    sim, alone = poinsot.Simulation(model), poinsot.Simulation(model)
    threads = [threading.Thread(target=lambda: [sim.step(10) for _ in range(10)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert np.isfinite(sim.q).all()
    alone.step(200)
    assert sim.steps == 200 and np.array_equal(sim.q, alone.q)


def test_lists_of_names():
    assert "midpoint" in poinsot.INTEGRATORS and "humanoid" in poinsot.scenes()
    for name in poinsot.scenes():
        poinsot.Simulation(poinsot.scene(name.replace(":N", ":3"))).step(2)


def test_an_episode_does_not_know_what_came_before_it():
    """A hopper lands, is reset, and lands again: to the last bit, with every integrator that steps contacts."""
    leg = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 0.6"><freejoint/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.05 0.3"/><body><joint name="knee" axis="0 1 0" range="-60 60"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.4"/></body></body></worldbody>
      <actuator><motor joint="knee" gear="5"/></actuator></mujoco>"""
    model = poinsot.loads(leg)
    for integrator in ["leapfrog", "implicit", "semi-implicit"]:
        sim = poinsot.Simulation(model, integrator=integrator)

        def episode(sim):
            sim.reset()
            sim.run(0.8, control=lambda s: np.array([np.sin(20 * s.time)]))
            return sim.q.copy()

        first = episode(sim)
        assert (episode(sim) == first).all() and (episode(poinsot.Simulation(model, integrator=integrator)) == first).all()
