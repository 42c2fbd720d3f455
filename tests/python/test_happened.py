"""Events and fallbacks of steps: listed, counted, and warned of."""

import warnings

import pytest

import poinsot


def bouncing(dt=0.01):
    return poinsot.Simulation(poinsot.scene("stops"), dt)


def test_events_are_those_of_the_last_call():
    sim = bouncing()
    sim.step(40)
    (time, kind, name), = sim.events
    assert (kind, name) == ("impact", "wire") and abs(time - (2 * 0.5 / 9.81) ** 0.5) < 1e-10
    sim.step()
    assert sim.events == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", poinsot.StepWarning)
        sim.step(1500)  # more than are made at a time
    assert len(sim.events) > 50
    sim.reset()
    assert sim.events == [] and sim.tally == {"events": [], "fallbacks": {}, "contacts": None}


def test_fallbacks_are_warned_of_once_and_counted():
    sim = bouncing()
    with pytest.warns(poinsot.StepWarning, match="accumulated: in 1 step, first at t = 6.07 s .*wire") as found:
        sim.step(700)
        sim.step(100)
    assert len(found) == 1
    tally = sim.tally
    assert tally["fallbacks"]["accumulated"]["at"] == "wire"
    assert tally["fallbacks"]["accumulated"]["steps"] == 1
    impacts, = [e for e in tally["events"] if e["kind"] == "impact"]
    assert impacts["place"] == "lower end" and impacts["times"] > 100
    assert bouncing(1e-3).tally == {"events": [], "fallbacks": {}, "contacts": None}


def test_a_start_beyond_its_range_is_warned_of():
    text = """<mujoco><worldbody><body><joint name="knee" axis="0 1 0" range="30 70"/><geom size=".1"/></body>
      </worldbody></mujoco>"""
    model = poinsot.loads(text)
    with pytest.warns(poinsot.StepWarning, match='"knee" begins .* beyond its lower end; it is moved to its limit'):
        sim = poinsot.Simulation(model)
    with pytest.warns(poinsot.StepWarning, match="upper end"):
        sim.q = [2.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        poinsot.Simulation(model, q=[1.0])
        sim.step()
    assert abs(sim.q[0] - 1.2217304763960306) < 1e-9


def test_a_given_q_beyond_its_range_is_put_at_its_end_alone():
    """Its neighbour stays where it was given, before the first step and after it."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="hip" axis="0 1 0" range="-90 90"/><geom pos="0 0 -.5" size=".1"/>
      <body pos="0 0 -1"><joint name="knee" axis="0 1 0" range="30 70"/><geom pos="0 0 -.5" size=".1"/></body></body></worldbody>
      <keyframe><key name="bent" qpos="0.3 2"/></keyframe></mujoco>"""
    low, high = (angle * 3.141592653589793 / 180 for angle in (30, 70))
    model = poinsot.loads(text)
    with pytest.warns(poinsot.StepWarning, match='"knee" begins .* beyond its lower end; it is moved to its limit, and nothing else is'):
        sim = poinsot.Simulation(model, q=[0.3, 0.1])
    assert sim.q[0] == 0.3 and abs(sim.q[1] - low) < 1e-12
    with pytest.warns(poinsot.StepWarning, match='"knee" begins .* beyond its upper end; it is moved to its limit'):
        sim.q = [-0.2, 3.0]
    assert sim.q[0] == -0.2 and abs(sim.q[1] - high) < 1e-12
    sim.reset("bent")
    assert sim.q[0] == 0.3 and abs(sim.q[1] - high) < 1e-12
    sim.step()
    assert abs(sim.q[0] - 0.3) < 1e-12 and abs(sim.q[1] - high) < 1e-12


def test_bodies_that_begin_inside_one_another_are_named():
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body pos="0 0 {z}"><freejoint/><geom name="ball" size=".1" solref="0.2 1"/></body></worldbody></mujoco>"""
    with pytest.warns(poinsot.StepWarning) as found:
        poinsot.Simulation(poinsot.loads(text.format(z=0.06)))
    said = [str(w.message) for w in found]
    assert sum("floor and ball by 0.04 m" in text for text in said) == 1, said
    assert sum("not simulated: `solref`, `solimp` (1 geom): contact is rigid; soft_contact=True" in text for text in said) == 1, said
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        poinsot.Simulation(poinsot.loads(text.format(z=0.0999999)), soft_contact=True)


def test_energy_that_nobody_put_in_is_said_once():
    """A stiff spring in steps beyond its stability limit ends with numbers that are finite."""
    spring = """<mujoco><option timestep="0.0201" gravity="0 0 0"/><worldbody><body>
      <joint name="x" type="slide" stiffness="10000"/><geom size="0.1" mass="1"/></body></worldbody></mujoco>"""
    sim = poinsot.Simulation(poinsot.loads(spring), integrator="semi-implicit", q=[0.1])
    with pytest.warns(poinsot.StepWarning, match='IS MEANINGLESS.*semi-implicit.*integrator="leapfrog"') as found:
        sim.run(6.0)
        sim.run(2.0)
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", poinsot.StepWarning)
        poinsot.Simulation(poinsot.loads(spring), integrator="implicit", q=[0.1]).run(6.0)
        poinsot.Simulation(poinsot.loads(spring), integrator="semi-implicit", q=[0.1], dt=5e-4).run(2.0)


def test_episodes_repeat_no_warning():
    """A model is warned of once, however many simulations and episodes it has; another model is warned of again."""
    text = """<mujoco><worldbody><body><joint name="knee" axis="0 1 0" range="30 70"/><geom size=".1"/></body>
      </worldbody></mujoco>"""

    def train(model, stops):
        for episode in range(3):
            poinsot.Simulation(model).step()
            sim = poinsot.Simulation(model, q=[0.1 + 0.1 * episode])
            for k in range(3):
                sim.reset()
                sim.q = [0.2 + 0.01 * k]
                sim.step()
            bounce = poinsot.Simulation(stops, 0.01 + 1e-3 * episode)
            for _ in range(2):
                bounce.reset()
                bounce.step(800)

    for _ in range(2):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            train(poinsot.loads(text), poinsot.scene("stops"))
        assert sorted(str(w.message).split()[0] for w in found) == ['"knee"', "accumulated:"]
