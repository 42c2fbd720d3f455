"""Forces, controls and motors: what drives a robot."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import poinsot
from poinsot.control import PD, ComputedTorque

METHODS = ["semi-implicit", "implicit", "leapfrog", "backward", "rkmk4", "adaptive", "midpoint"]

ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="2"/><inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="finger"><inertial><mass value=".1"/><inertia ixx=".001" iyy=".001" izz=".001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  <limit lower="-2" upper="2" effort="40" velocity="3"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz=".4 0 0"/><axis xyz="0 1 0"/></joint>
<joint name="grip" type="prismatic"><parent link="lower"/><child link="finger"/><origin xyz=".4 0 0"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="5" velocity="1"/><mimic joint="elbow" multiplier="0.1"/></joint>
<transmission name="t"><joint name="elbow"/><actuator name="m"/></transmission>
</robot>"""


def test_motors_of_urdf():
    assert poinsot.loads(ARM, "arm.urdf").nu == 0
    model = poinsot.loads(ARM, "arm.urdf", motors=True)
    assert model.actuator_names == ["shoulder", "elbow"]
    assert model.actuator_ranges.tolist() == [[-40, 40], [-np.inf, np.inf]]
    assert poinsot.loads(ARM, "arm.urdf", motors="transmissions").actuator_names == ["elbow"]
    assert pickle.loads(pickle.dumps(model)).actuator_names == ["shoulder", "elbow"]
    with pytest.raises(ValueError, match="give True, False or"):
        poinsot.loads(ARM, "arm.urdf", motors="all")
    # a control beyond the effort is cut
    sim = poinsot.Simulation(model)
    sim.ctrl = [100.0, 0.0]
    strong = sim.acceleration
    sim.ctrl[0] = 40.0
    assert (strong == sim.acceleration).all()


@pytest.mark.parametrize("formulation", ["reduced", "maximal"])
@pytest.mark.parametrize("integrator", METHODS)
def test_forces_that_bear_the_weight_hold_still(integrator, formulation):
    model = poinsot.scene("double-pendulum")
    sim = poinsot.Simulation(model, dt=1e-3, integrator=integrator, formulation=formulation, q=[0.7, -0.4])
    sim.tau = model.gravity(sim.q)
    sim.step(200)
    assert np.abs(sim.v).max() < 1e-7
    # the same by forces on the bodies
    sim.tau[:] = 0
    for body in model.body_names[1:]:
        weight = 9.81 * model.body_mass[model.body_names.index(body)]
        sim.apply_force(body, (0, 0, weight))
    sim.step(200)
    assert np.abs(sim.v).max() < 1e-7
    # which are gone now
    sim.step(200)
    assert np.abs(sim.v).max() > 0.1


@pytest.mark.parametrize("formulation", ["reduced", "maximal"])
@pytest.mark.parametrize("integrator", METHODS)
def test_the_ledger_has_their_work(integrator, formulation):
    model = poinsot.scene("double-pendulum")
    sim = poinsot.Simulation(model, dt=1e-4, integrator=integrator, formulation=formulation, ledger=True)
    before = sim.kinetic_energy() + sim.potential_energy()
    sim.run(0.1, tau=lambda s: [3 * np.cos(9 * s.time), -1.0])
    sim.apply_force(model.body_names[-1], (1, 0, 4), (0, 0.3, 0), point=(0.1, 0, 0))
    sim.step(1000)
    ledger, after = sim.ledger, sim.kinetic_energy() + sim.potential_energy()
    assert abs(ledger["imbalance"]) < 1e-12
    work = ledger["work"]["elements"]
    assert abs(work) > 0.1
    # what they have given is what there is more; first order methods lose or gain some themselves
    assert abs(work - (after - before)) < (2e-2 if integrator in ("semi-implicit", "implicit", "backward") else 1e-5)


def test_a_push_acts_at_its_point_in_world_axes():
    b = poinsot.ModelBuilder("ball", gravity=(0, 0, 0))
    b.solid(b.body("ball"), "sphere", 2.0, radius=0.1, pos=(0.5, 0, 0))
    b.joint("ball", "free")
    sim = poinsot.Simulation(b.build(), dt=1e-3, integrator="rkmk4")
    sim.apply_force("ball", (0, 0, 3))
    sim.step(1000)
    assert np.allclose(sim.velocity("ball", (0.5, 0, 0)), [0, 0, 0, 0, 0, 1.5], atol=1e-12)
    assert np.allclose(sim.pose("ball")[0], [0, 0, 0.75], atol=1e-12)
    sim.reset()
    sim.apply_force("ball", (0, 3, 0), point=(0.6, 0, 0))
    sim.apply_force("ball", torque=(0, 0, -0.3))
    sim.step()
    assert abs(sim.v[5]) < 1e-15 and sim.v[1] == pytest.approx(1.5e-3)


def test_copies_and_snapshots_have_forces():
    sim = poinsot.Simulation(poinsot.scene("double-pendulum"), dt=1e-3, integrator="leapfrog")
    sim.tau[:] = [1, 2]
    sim.step(10)
    sim.apply_force(1, (5, 0, 0))
    others = [copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))]
    again = poinsot.Simulation(sim.model, dt=1e-3, integrator="leapfrog")
    again.restore(poinsot.Snapshot.from_json(sim.snapshot().to_json()))
    for s in [sim, *others, again]:
        s.step(100)
        assert (s.q == sim.q).all() and (s.tau == [1, 2]).all()
    plain = poinsot.Simulation(sim.model, dt=1e-3, integrator="leapfrog")
    plain.tau[:] = [1, 2]
    plain.step(110)
    assert (plain.q != sim.q).any()


def test_mistakes_are_named():
    sim = poinsot.Simulation(poinsot.scene("double-pendulum"))
    with pytest.raises(ValueError, match="tau has 3 numbers, the model has nv = 2"):
        sim.tau = [1, 2, 3]
    sim.tau[1] = np.nan
    with pytest.raises(ValueError, match=r"tau\[1\] is NaN: the force along joint"):
        sim.step()
    sim.tau[1] = 0
    with pytest.raises(ValueError, match='no body "bop"'):
        sim.apply_force("bop", (1, 0, 0))
    with pytest.raises(ValueError, match="force has inf"):
        sim.apply_force(1, (np.inf, 0, 0))
    with pytest.raises(ValueError, match="duration is -1"):
        sim.run(-1)
    with pytest.raises(TypeError, match="control must be a function"):
        sim.run(1, control=[0.0])
    with pytest.raises(ValueError, match="tau has 1 numbers"):
        sim.run(1, tau=lambda s: [0.0])
    assert sim.time == 0
    rotors = poinsot.Simulation(poinsot.scene("rotors:2"), integrator="exact")
    rotors.tau[0] = 1
    with pytest.raises(poinsot.StepError, match="`exact` does not support"):
        rotors.step()


def test_methods_of_free_bodies_know_forces():
    free, pushed = (poinsot.Simulation(poinsot.scene("dzhanibekov"), integrator="exact") for _ in range(2))
    pushed.tau[0] = 1
    free.step()
    pushed.step()
    assert pushed.v[0] > free.v[0]


def test_controllers():
    model = poinsot.loads(ARM, "arm.urdf", motors=True)
    goal = model.assemble([0.5, -1.0, -0.1])[0]
    sim = poinsot.Simulation(model, dt=1e-3)
    sim.run(8, tau=PD(model, goal, kp=40, kd=12, gravity=True))
    assert np.abs(sim.q - goal).max() < 1e-3
    # error e0 (1 + w t) exp(-w t), but for the force being held over each step
    model = poinsot.scene("double-pendulum")
    sim = poinsot.Simulation(model, dt=1e-4, integrator="rkmk4", q=[0.3, -0.2])
    path = lambda t: ([np.sin(t), np.cos(t)], [np.cos(t), -np.sin(t)], [-np.sin(t), -np.cos(t)])
    start = np.array([0.3, -0.2]) - [0.0, 1.0]
    sim.v = path(0)[1]
    sim.run(0.5, tau=ComputedTorque(model, path, frequency=8))
    error = sim.q - path(sim.time)[0]
    assert np.allclose(error, start * (1 + 8 * 0.5) * np.exp(-8 * 0.5), atol=1e-3)


def test_jacobians_are_those_of_velocities():
    xml = """<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><body name="b" pos=".4 0 0">
    <joint type="ball"/><geom size=".1"/><site name="tip" pos=".1 .2 .3" euler="10 20 30"/></body></body></worldbody></mujoco>"""
    model = poinsot.loads(xml)
    q = model.integrate(model.qpos0, [0.3, 0.1, -0.5, 0.7], 1.0)
    sim = poinsot.Simulation(model, q=q, v=[1.0, -2.0, 0.5, 0.3])
    assert np.allclose(sim.site_jacobian("tip") @ sim.v, sim.site_velocity("tip"))
    assert np.allclose(sim.jacobian("b", (0.1, 0.2, 0.3)), sim.site_jacobian("tip"))
    assert np.allclose(model.site_jacobian(q, "tip"), sim.site_jacobian("tip"))
    assert np.allclose(model.velocity(q, sim.v, "b"), sim.velocity("b"))
    assert np.allclose(sim.velocity("b", (0.1, 0.2, 0.3))[3:], model.point_velocity(q, sim.v, "b", (0.1, 0.2, 0.3)))
    pos, rot = sim.site_pose("tip")
    assert np.allclose(model.site_pose(q, "tip"), np.block([[rot, pos[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]))
    # and the derivative of the pose
    h = 1e-6
    ahead = model.site_pose(model.integrate(q, sim.v, h), "tip")[:3, 3]
    behind = model.site_pose(model.integrate(q, sim.v, -h), "tip")[:3, 3]
    assert np.allclose((ahead - behind) / (2 * h), sim.site_velocity("tip")[3:], atol=1e-8)
    with pytest.raises(ValueError, match='there is no site "tipp"; did you mean "tip"?'):
        sim.site_pose("tipp")


# (file, a configuration inside the ranges, whether dry friction of the file may hold joints off it)
ARMS = [
    ("ur_description/urdf/ur5_robot.urdf", [0, -1.5, 1.5, 0, 0, 0], False),
    ("panda_description/urdf/panda.urdf", [0, -0.8, 0, -2.3, 0, 1.6, 0.8, 0.02, 0.02], False),
    ("z1_description/urdf/z1.urdf", [0, 1.5, -1, -0.5, 0, 0, -0.5], True),
]


@pytest.mark.parametrize("path, goal, sticks", ARMS)
def test_the_default_gains_hold_arms(path, goal, sticks):
    """Gains that follow the inertia: no wrist is too light for them, as it is for kd = 20 held over 2 ms."""
    data = pytest.importorskip("cmeel").__path__[0] + ".prefix/share/example-robot-data/robots/"
    model = poinsot.load(data + path)
    for target in [goal, lambda t: goal]:
        sim = poinsot.Simulation(model, dt=2e-3, contact=None)
        sim.q = model.integrate(goal, [0.01 if abs(x) == 0.02 else 0.1 for x in goal], 1.0)
        law = PD(model, target, gravity=True)
        worst = 0.0
        for _ in range(30):
            sim.run(0.1, tau=law)
            worst = max(worst, np.abs(sim.q - goal).max())
        assert worst < 0.15 and (sticks or np.abs(sim.q - goal).max() < 1e-3), (worst, sim.q - goal)
        assert np.abs(sim.v).max() < 1e-3
        # one degree of freedom by itself would be critically damped
        m = np.diag(model.mass_matrix(goal))
        assert np.allclose(law.kp, 100 * m) and np.allclose(law.kd, 20 * m)


XARM = "xarm_description/urdf/xarm7.urdf"


def xarm():
    return poinsot.load(pytest.importorskip("cmeel").__path__[0] + ".prefix/share/example-robot-data/robots/" + XARM)


def test_gains_that_throw_an_arm_about_are_named():
    """xArm7's wrist is 1.4e-4 kg m**2: a damping of 10 N m s/rad computed once in 2 ms is seventy times too much."""
    model = xarm()
    sim = poinsot.Simulation(model, q=model.qpos0 + 0.05, contact=None)
    text = 'the feedback on joint "joint.*" is unstable: .* k_d = 2 I/h = .* and k_p = 2 k_d/h .*replace\\(servos=…\\)'
    with pytest.warns(poinsot.StepWarning, match=text) as found:
        try:
            sim.run(2.0, tau=PD(model, model.qpos0, kp=50, kd=10, gravity=True))
        except poinsot.StepError as failed:
            assert "The likely cause: the feedback" in str(failed)
    assert sum("feedback" in str(w.message) for w in found) == 1


@pytest.mark.parametrize("kp, kd", [(200, 10), (1e3, 100), (1e6, 1e4)])
def test_servos_hold_at_any_gains(kp, kd):
    """Springs and dampers in the step itself: no bound, and at rest they pull with kp times the error, up to dry friction."""
    model = xarm()
    driven = model.replace(servos={name: (kp, kd) for name in model.joint_names}, gravity_vector=[0, 0, 0])
    assert driven.nu == model.nv and driven.actuator_names == model.joint_names
    sim = poinsot.Simulation(driven, contact=None)
    assert np.array_equal(sim.ctrl, model.qpos0)  # they hold it where it begins
    sim.v = 0.1 * np.random.default_rng(0).standard_normal(model.nv)
    sim.tau = np.full(model.nv, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", poinsot.StepWarning)
        sim.run(5.0)
        assert np.abs(sim.v).max() < 1e-3
        assert (np.abs(kp * (model.qpos0 - sim.q) + 2.0) <= model.joint_friction + 1e-2).all()
    # to another place: a jump of the signal, which for the stiffest is a blow of 1e5 N m
    sim.ctrl = model.qpos0 + 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if kp > 1e3 else "error", poinsot.StepWarning)
        sim.run(5.0)
    assert (np.abs(kp * (model.qpos0 + 0.1 - sim.q) + 2.0) <= model.joint_friction + 1e-2).all()
    again = pickle.loads(pickle.dumps(driven))
    assert again.actuator_names == driven.actuator_names
    with pytest.raises(ValueError, match="give one of one coordinate"):
        poinsot.scene("humanoid").replace(servos={0: (1, 1)})


def test_gains_are_checked_where_they_are_given():
    model = poinsot.scene("double-pendulum")
    law = PD(model, [0.0, 0.0], kp=5, kd=[1, 2])
    assert law.kp.tolist() == [5, 5] and law.kd.tolist() == [1, 2]
    mistakes = [
        (dict(kp=[1, 2, 3]), "kp has the shape"),
        (dict(kd=np.nan), "kd is nan"),
        (dict(kd=[1, -2]), "kd is -2"),
        (dict(kp=np.inf), "kp is inf"),
        (dict(frequency=0), "frequency is 0"),
        (dict(frequency=-1.0), "frequency is -1"),
    ]
    for arguments, message in mistakes:
        for controller in (PD, ComputedTorque):
            with pytest.raises(ValueError, match=message):
                controller(model, [0.0, 0.0], **arguments)
    with pytest.raises(TypeError, match="kp is 'stiff'"):
        PD(model, [0.0, 0.0], kp="stiff")
    with pytest.raises(ValueError, match="target has the shape"):
        PD(model, [0.0])
    with pytest.raises(ValueError, match="target is .*nan"):
        PD(model, [0.0, np.nan])


def test_a_controller_that_is_too_stiff_for_the_step_is_named():
    """The warning names the joint, the cause and the bounds; a step that fails says the same; good gains say nothing."""
    model = poinsot.loads(ARM, "arm.urdf")
    goal = model.qpos0 + 0.2
    sim = poinsot.Simulation(model, dt=2e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", poinsot.StepWarning)
        sim.run(3.0, tau=PD(model, goal, gravity=True))
    stiff = lambda sim: 100 * (goal - sim.q) - 1000 * sim.v
    sim.reset()
    text = 'the feedback on joint ".*" is unstable: since t = .* held for h = 0.002 s acts late'
    with pytest.warns(poinsot.StepWarning, match=text) as found:
        try:
            sim.run(1.0, tau=stiff)
        except poinsot.StepError as failed:
            assert "The likely cause: the feedback on joint" in str(failed)
    assert sum("feedback" in str(w.message) for w in found) == 1
    with pytest.warns(poinsot.StepWarning, match='the feedback on actuator "elbow" is unstable.*I = '):
        driven = poinsot.Simulation(poinsot.loads(ARM, "arm.urdf", motors=True), dt=2e-3)
        try:
            driven.run(1.0, control=lambda sim: [0.0, -1000 * sim.v[1] - 0.1])
        except poinsot.StepError:
            pass


def test_a_model_that_moves_no_mass_is_refused():
    massless = "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>"
    with pytest.raises(poinsot.ModelError, match='not possible: the mass matrix is singular\n- joint "j" moves no inertia'):
        poinsot.Simulation(poinsot.loads(massless, "r.urdf"))
