"""The speed below which contacts rest, and what is left out where bodies overlap."""

import pickle
import warnings

import poinsot
import pytest

BALL = """<mujoco><custom><numeric name="poinsot:restitution" data="0.5"/></custom><worldbody>
  <geom type="plane" size="0 0 1"/><body pos="0 0 {height}"><freejoint/><geom size="0.1" mass="1"/></body></worldbody></mujoco>"""


def bounces(resting, stepping="time"):
    model = poinsot.loads(BALL.format(height=0.15))
    sim = poinsot.Simulation(model, dt=1e-3, resting=resting, stepping=stepping)
    sim.step(1500)
    return sim


@pytest.mark.parametrize("stepping", ["time", "events"])
def test_a_resting_speed_is_obeyed(stepping):
    # it hits the floor at 0.99, 0.5, 0.25, … m/s
    for resting, collisions in [(0.7, 1), (0.3, 2), (0.15, 3)]:
        sim = bounces(resting, stepping)
        found = sim.tally["contacts"]
        assert found["collisions"] - found["rested"] <= collisions <= found["collisions"], (resting, found)
        assert found["rested"] == (1 if stepping == "time" else 0), (resting, found)
        assert sim.q[2] == pytest.approx(0.1, abs=1e-6)
    assert bounces(None, stepping).tally["contacts"]["collisions"] > 5


def test_the_default_of_time_stepping_may_be_asked_for_between_events():
    default, asked = bounces(None, "events"), bounces(1e-3, "events")
    assert asked.tally["contacts"]["collisions"] < default.tally["contacts"]["collisions"]


def test_it_is_checked_and_pickled():
    model = poinsot.loads(BALL.format(height=0.15))
    for wrong in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="resting speed"):
            poinsot.Simulation(model, resting=wrong)
    sim = poinsot.Simulation(model, dt=1e-3, resting=0.3)
    sim.step(100)
    again = pickle.loads(pickle.dumps(sim))
    sim.step(1000)
    again.step(1000)
    assert (sim.q == again.q).all() and "resting:0.3" in sim.contact


LINKS = """<mujoco><option gravity="0 0 0"/><worldbody><body><geom size="0.1"/><joint axis="0 0 1"/>
  <body pos="0.5 0 0"><geom size="0.01"/><joint axis="0 0 1"/>
    <body pos="0.5 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom size="0.1"/></body></body></body></worldbody></mujoco>"""


def test_links_that_overlap_at_first_touch_where_they_do_not():
    model = poinsot.loads(LINKS)
    with pytest.warns(poinsot.StepWarning, match="set sim.q"):
        sim = poinsot.Simulation(model, dt=1e-3, q=[0, 0, -0.9])
    sim.step(10)
    assert len(sim.contacts) == 0
    sim.q = [0, 0, -0.75]
    sim.v = [0, 0, -1]
    other = poinsot.Simulation(model, dt=1e-3, q=[0, 0, -0.75], v=[0, 0, -1])
    sim.step(100)
    other.step(100)
    assert sim.q[2] == other.q[2] > -0.8 - 1e-6
    # and where they overlap again, they are left out again
    sim.reset()
    sim.step(10)
    assert len(sim.contacts) == 0 and sim.q[2] == pytest.approx(-0.9, abs=1e-9)


def test_a_pickle_says_nothing_again():
    text = "<mujoco><worldbody><body><freejoint/><geom size='0.1' nonsense='1'/></body></worldbody></mujoco>"
    with pytest.warns(poinsot.ModelWarning):
        model = poinsot.loads(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(model))


def test_arguments_are_named_and_motors_are_for_urdf():
    model = poinsot.loads(BALL.format(height=1))
    sim = poinsot.Simulation(model)
    with pytest.raises((TypeError, ValueError), match="force"):
        sim.apply_force(1, 5)
    with pytest.raises((TypeError, ValueError), match="point"):
        sim.apply_force(1, (0, 0, 1), point=(1, 2))
    with pytest.raises(ValueError, match="motors is for URDF.*actuator"):
        poinsot.loads(BALL.format(height=1), motors=True)


URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
  <transmission name="t"><joint name="j"/></transmission></robot>"""


def test_transmissions_that_are_used_are_not_said_to_be_ignored():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert poinsot.loads(URDF, motors="transmissions").nu == 1
    with pytest.warns(poinsot.ModelWarning, match="transmission"):
        poinsot.loads(URDF)
