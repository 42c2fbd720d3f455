"""Models made in Python: ModelBuilder."""

import copy
import pickle

import numpy as np
import pytest

import poinsot


def pendulum(**joint):
    b = poinsot.ModelBuilder("pendulum")
    bob = b.body("bob", pos=(0, 0, 2))
    b.solid(bob, "sphere", 1.0, radius=0.1, pos=(0, 0, -1))
    b.joint(bob, "revolute", axis=(0, 1, 0), name="hinge", **joint)
    return b


def test_a_pendulum_is_that_of_its_file():
    model = pendulum(damping=0.1, armature=0.02).build()
    other = poinsot.loads(
        """<mujoco><worldbody><body name="bob" pos="0 0 2"><joint name="hinge" axis="0 1 0" damping=".1" armature=".02"/>
        <geom type="sphere" size=".1" mass="1" pos="0 0 -1"/></body></worldbody></mujoco>"""
    )
    assert (model.name, model.nv, model.joint_names, model.body_names) == ("pendulum", 1, ["hinge"], other.body_names)
    q, v, tau = [0.4], [1.2], [0.3]
    assert np.allclose(model.forward_dynamics(q, v, tau), other.forward_dynamics(q, v, tau), rtol=1e-14)
    one, two = (poinsot.Simulation(m, 1e-3, "rkmk4", q=q, v=v) for m in (model, other))
    one.step(100)
    two.step(100)
    assert np.allclose(one.q, two.q, rtol=1e-12)


def arm():
    b = poinsot.ModelBuilder("arm", gravity=(0, 0, -9.8))
    upper = b.body("upper", mass=2.0, com=(0, 0, -0.2), inertia=np.diag([0.02, 0.02, 0.001]))
    b.joint(upper, "revolute", axis=(0, 1, 0), name="shoulder", limits=(-2, 2))
    lower = b.body("lower", "upper", pos=(0, 0, -0.4))
    b.solid("lower", "capsule", 1.0, radius=0.03, length=0.3, pos=(0, 0, -0.2))
    b.joint(lower, "revolute", axis=(0, 1, 0), name="elbow", stiffness=3.0, rest=0.2)
    b.tendon({"shoulder": 0.05, 1: -0.03}, name="cord", stiffness=100.0, rest=(-0.01, 0.01), damping=1.0)
    b.actuator("position", joint="shoulder", gain=50.0, damping=2.0, name="servo")
    b.actuator(tendon="cord", gain=3.0, dynamics="filter", time_constant=0.05)
    b.actuator(body="lower", pos=(0, 0, -0.4), gear=(1, 0, 0, 0, 0, 0))
    b.constraint("distance", "world", "lower", a_pos=(0.5, 0, 0), b_pos=(0, 0, -0.4), length=0.9, stiffness=200.0)
    b.medium(density=1.2)
    return b.build()


def test_everything_is_there_and_runs_in_both_formulations():
    model = arm()
    assert (model.nv, model.nu, model.constraint_names) == (2, 3, ["constraint0"])
    assert model.constraints["constraint0"]["stiffness"] == 200.0
    ends = []
    for formulation in ["reduced", "maximal"]:
        sim = poinsot.Simulation(model, 1e-4, "rkmk4", formulation, q=[0.3, 0.2])
        sim.ctrl = [0.5, 0.2, 0.1]
        sim.step(2000)
        assert sim.formulation == formulation and sim.activation.shape == (1,)
        ends.append(np.concatenate([sim.q, sim.v, sim.activation, sim.acceleration, [sim.energy()]]))
    assert np.allclose(*ends, rtol=1e-6, atol=1e-8)


def test_a_loop_of_rigid_constraints():
    b = poinsot.ModelBuilder("four-bar")
    for name, x in [("left", 0.0), ("right", 1.0)]:
        body = b.body(name, pos=(x, 0, 0))
        b.solid(body, "box", 1.0, size=(0.05, 0.05, 1.0), pos=(0, 0, 0.5))
        b.joint(body, "revolute", axis=(0, 1, 0))
    bar = b.body("bar", "left", pos=(0, 0, 1))
    b.solid(bar, "cylinder", 0.5, radius=0.02, length=1.0, pos=(0.5, 0, 0), quat=(0.5**0.5, 0, 0.5**0.5, 0))
    b.joint(bar, "revolute", axis=(0, 1, 0))
    b.constraint("point", bar, "right", a_pos=(1, 0, 0), b_pos=(0, 0, 1), name="knee")
    model = b.build()
    assert model.mobility(model.qpos0)["freedoms"] == 1
    sim = poinsot.Simulation(model, 1e-3, "midpoint", v=[1.0, 1.0, -1.0])
    sim.step(500)
    assert sim.violation[0] == "knee" and sim.violation[1] < 1e-12 and sim.drift().energy < 1e-4
    b.constraint("gear", 0, 1, ratio=1.0, name="gear")
    assert b.build().constraints["gear"]["joints"] == model.joint_names[:2]


def test_models_are_pickled_and_builders_go_on():
    b = pendulum()
    model = b.build()
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(model.mass_matrix([0.1]), again.mass_matrix([0.1]))
    assert copy.deepcopy(model) is model
    b.body("leaf", "bob")
    assert b.build().nbody == 3 and pickle.loads(pickle.dumps(model)).nbody == 2


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda b: b.body("x", "bop"), ["body \"x\"", "bop", "did you mean \"bob\""]),
        (lambda b: b.body("x", 7), ["body \"x\"", "no body 7"]),
        (lambda b: b.body("x", inertia=[1, 1, 1]), ["body \"x\"", "mass"]),
        (lambda b: b.body("x", quat=[0, 0, 0, 0]), ["body \"x\"", "not an attitude"]),
        (lambda b: b.solid("bob", "ball", 1.0, radius=1), ["bob", "no shape \"ball\"", "sphere"]),
        (lambda b: b.solid("bob", "sphere", 1.0), ["bob", "radius"]),
        (lambda b: b.solid("bob", "sphere", -1.0, radius=1), ["bob", "mass"]),
        (lambda b: b.joint("bob", "hinge"), ["no joint \"hinge\"", "revolute"]),
        (lambda b: b.joint("bob", "revolute", name="j"), ["joint \"j\"", "axis"]),
        (lambda b: b.joint("bob", "revolute", name="j", axis=[1, 0]), ["joint \"j\"", "axis has 2 numbers; give 3"]),
        (lambda b: b.tendon({"hing": 1.0}), ["no joint \"hing\"", "did you mean \"hinge\""]),
        (lambda b: b.actuator("motor"), ["actuator 0", "joint, the tendon or the body"]),
        (lambda b: b.actuator("servo", joint=0), ["no kind \"servo\"", "position"]),
        (lambda b: b.actuator(joint=0, dynamics="filter"), ["time_constant"]),
        (lambda b: b.constraint("point", "bob", "nobody"), ["constraint 0", "nobody"]),
        (lambda b: b.constraint("distance", 0, 1), ["length"]),
        (lambda b: b.constraint("point", 0, 1, damping=1.0), ["stiffness"]),
    ],
)
def test_mistakes_name_the_part(wrong, words):
    with pytest.raises(ValueError) as error:
        wrong(pendulum())
    assert all(word in str(error.value) for word in words), error.value


def test_what_a_kind_does_not_take_is_refused():
    with pytest.raises(TypeError, match="a sphere has no length; it takes radius"):
        pendulum().solid("bob", "sphere", 1.0, radius=0.1, length=2)
    with pytest.raises(TypeError, match="a free joint has no axis"):
        pendulum().joint("bob", "free", axis=(1, 0, 0))


def test_build_names_the_part():
    b = poinsot.ModelBuilder()
    b.body("ghost")
    b.joint("ghost", "revolute", axis=(0, 0, 1), name="pin")
    with pytest.raises(poinsot.ModelError, match="pin|ghost"):
        b.build()


def test_sites_and_sensors():
    b = poinsot.ModelBuilder("pendulum")
    b.solid(b.body("bob", pos=(0, 0, 2)), "sphere", 1.0, radius=0.1, pos=(0, 0, -1))
    b.joint("bob", "revolute", axis=(0, 1, 0), name="hinge")
    b.actuator("motor", joint="hinge", name="motor", gear=3.0)
    b.site("tip", "bob", pos=(0, 0, -1))
    b.sensor("angle", "jointpos", joint="hinge")
    b.sensor("felt", "accelerometer", site="tip")
    b.sensor("given", "actuatorfrc", actuator=0)
    b.sensor("time", "clock")
    for model in (b.build(), pickle.loads(pickle.dumps(b.build()))):
        sim = poinsot.Simulation(model, q=[np.pi / 2], dt=1e-3, integrator="rkmk4")
        sim.ctrl[0] = 0.25
        read = sim.sensors
        assert read["angle"] == np.pi / 2 and read["given"] == 0.25 and read["time"] == 0
        # let go from the horizontal: the tip falls nearly freely, but for the ball's own inertia and the motor
        inertia = 1.0 + 0.4 * 0.1**2
        assert np.allclose(read["felt"], [(9.81 - 0.75) / inertia * 1.0 - 9.81, 0, 0], atol=1e-12)
    for wrong, message in [
        ({"kind": "jointpos"}, "looks at a joint"),
        ({"kind": "clock", "joint": "hinge"}, "looks at nothing"),
        ({"kind": "gyro", "site": "top"}, 'no site "top"'),
        ({"kind": "touch", "site": "tip"}, "give the radius"),
        ({"kind": "gyro", "site": "tip", "radius": 1.0}, "no radius"),
        ({"kind": "tuch", "site": "tip"}, 'no kind "tuch"'),
        ({"kind": "jointpos", "joint": "hinge", "cutoff": -1.0}, "cutoff"),
    ]:
        with pytest.raises((ValueError, poinsot.ModelError), match=message):
            b.sensor("wrong", **wrong)
            b.build()
