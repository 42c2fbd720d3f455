"""Exact derivatives and the regressor compared with Pinocchio, and inverse kinematics, on real robots."""

import pathlib

import numpy as np
import pinocchio as pin
import pytest

import poinsot
from peers import error
from pinocchio_map import Map

PREFIX = next(p for p in pathlib.Path(pin.__file__).parents if p.name == "cmeel.prefix")
ROBOTS = PREFIX / "share" / "example-robot-data" / "robots"
PANDA = ROBOTS / "panda_description" / "urdf" / "panda.urdf"
UR5 = ROBOTS / "ur_description" / "urdf" / "ur5_robot.urdf"
FILES = {
    "panda": (PANDA, False),
    "anymal": (ROBOTS / "anymal_b_simple_description" / "robots" / "anymal.urdf", True),
    "talos": (ROBOTS / "talos_data" / "robots" / "talos_reduced.urdf", True),
}
# Pinocchio's derivatives are exact; the change of coordinates is differenced to fourth order
TOLERANCE = 1e-9


def both(name):
    file, floating = FILES[name]
    root = [pin.JointModelFreeFlyer()] if floating else []
    theirs = pin.buildModelFromUrdf(str(file), *root)
    ours = poinsot.load(file, floating_base=floating)
    return ours, theirs, Map(ours, theirs)


def state(model, seed):
    rng = np.random.default_rng(seed)
    return model.random_configuration(seed), *(rng.uniform(-1, 1, (2, model.nv)))


def difference(f, h=1e-3):
    """f'(0), to fourth order."""
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


def theirs_in_ours(ours, theirs, to, q, v, a):
    """Pinocchio's dtau/dq, dtau/dv and M in our coordinates: tau = Bᵀ tau_p(q, B v, B a + drift)."""
    data = theirs.createData()
    b, drift = to.basis(q, v)
    q_p, v_p, a_p = to.configuration(q), b @ v, b @ a + drift
    dq_p, dv_p, m_p = pin.computeRNEADerivatives(theirs, data, q_p, v_p, a_p)
    dq_p, dv_p, tau_p = dq_p.copy(), dv_p.copy(), pin.rnea(theirs, data, q_p, v_p, a_p)
    m_p = np.triu(m_p) + np.triu(m_p, 1).T
    # Pinocchio's crba leaves rotors out, and the files have none
    dq = np.zeros((ours.nv, ours.nv))
    for k, e in enumerate(np.eye(ours.nv)):
        at = lambda h: to.basis(ours.integrate(q, e, h), v)
        db = difference(lambda h: at(h)[0])
        dd = difference(lambda h: at(h)[1])
        dq[:, k] = db.T @ tau_p + b.T @ (dq_p @ b @ e + dv_p @ db @ v + m_p @ (db @ a + dd))
    ddrift = np.stack([difference(lambda h: to.basis(q, v + h * e)[1]) for e in np.eye(ours.nv)], axis=1)
    return dq, b.T @ (dv_p @ b + m_p @ ddrift), b.T @ m_p @ b


@pytest.mark.parametrize("name", FILES)
def test_derivatives_of_inverse_dynamics_are_pinocchios(name):
    ours, theirs, to = both(name)
    for seed in range(3):
        q, v, a = state(ours, seed)
        found = ours.inverse_dynamics_derivatives(q, v, a)
        for mine, other in zip(found, theirs_in_ours(ours, theirs, to, q, v, a)):
            assert error(mine, other) < TOLERANCE


@pytest.mark.parametrize("name", FILES)
def test_derivatives_of_forward_dynamics_are_pinocchios(name):
    ours, theirs, to = both(name)
    for seed in range(3):
        q, v, tau = state(ours, seed)
        a = ours.forward_dynamics(q, v, tau)
        dq, dv, m = theirs_in_ours(ours, theirs, to, q, v, a)
        expected = -np.linalg.solve(m, dq), -np.linalg.solve(m, dv), np.linalg.inv(m)
        for mine, other in zip(ours.forward_dynamics_derivatives(q, v, tau), expected):
            assert error(mine, other) < 1e-8
    if name == "panda":
        data = theirs.createData()
        pin.computeABADerivatives(theirs, data, q, v, tau)
        minv = np.triu(data.Minv) + np.triu(data.Minv, 1).T
        for mine, other in zip(ours.forward_dynamics_derivatives(q, v, tau), [data.ddq_dq, data.ddq_dv, minv]):
            assert error(mine, other) < 1e-10


def test_many_states_at_once():
    model = poinsot.load(PANDA)
    q = np.stack([model.random_configuration(k) for k in range(5)])
    v, a = np.random.default_rng(1).uniform(-1, 1, (2, 5, model.nv))
    for all_at_once, one in [
        (model.inverse_dynamics_derivatives(q, v, a), model.inverse_dynamics_derivatives(q[3], v[3], a[3])),
        (model.forward_dynamics_derivatives(q, v, a), model.forward_dynamics_derivatives(q[3], v[3], a[3])),
    ]:
        for many, single in zip(all_at_once, one):
            assert many.shape == (5, model.nv, model.nv)
            assert (many[3] == single).all()
    assert (model.regressor(q, v, a)[3] == model.regressor(q[3], v[3], a[3])).all()


def test_the_regressor_is_pinocchios():
    ours, theirs, _ = both("panda")
    q, v, a = state(ours, 4)
    y = ours.regressor(q, v, a)
    assert error(y @ ours.inertial_parameters, ours.inverse_dynamics(q, v, a)) < 1e-12
    peer = pin.computeJointTorqueRegressor(theirs, theirs.createData(), q, v, a)
    # Pinocchio has Ixx, Ixy, Iyy, Ixz, Iyz, Izz
    order = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
    for k in range(1, theirs.njoints):
        frame = next(f for f in theirs.frames if f.type == pin.FrameType.BODY and f.parentJoint == k and np.allclose(f.placement.np, np.eye(4)))
        body = ours.body_names.index(frame.name)
        mine = y[:, 10 * (body - 1) : 10 * body]
        assert error(mine, peer[:, 10 * (k - 1) : 10 * k][:, order]) < 1e-12


def test_base_parameters():
    # seven joints of the Panda: 43 [Gaz19]; fingers add what they can show, so the arm alone is built from its file
    model = poinsot.loads(arm_alone())
    assert model.base_parameters == 43


def arm_alone():
    """The seven joints of the file, everything else fixed."""
    text = PANDA.read_text()
    return text.replace('type="prismatic"', 'type="fixed"')


def targets(model, site, count):
    for k in range(count):
        q = model.random_configuration(100 + k)
        p, r = model.forward_kinematics(q)
        body = model.body_names.index(site)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = r[body], p[body]
        yield pose


@pytest.mark.parametrize("file,floating,body", [(PANDA, False, "panda_link8"), (UR5, False, "ee_link"), (FILES["talos"][0], False, "gripper_left_base_link")])
def test_random_poses_are_reached(file, floating, body):
    model = poinsot.load(file, floating_base=floating)
    poses = list(targets(model, body, 10_000))
    found = [model.solve_ik({body: pose}, seed=1000 * k) for k, pose in enumerate(poses)]
    assert sum(s.converged for s in found) >= 9_900
    lower, upper = model.joint_ranges[:, 0], model.joint_ranges[:, 1]
    for s, pose in zip(found, poses):
        assert ((lower <= s.q) & (s.q <= upper)).all()
        k = model.body_names.index(body)
        p, r = model.forward_kinematics(s.q)
        off = max(abs(p[k] - pose[:3, 3]).max(), abs(r[k] - pose[:3, :3]).max())
        assert s.converged == (s.errors.max() <= 1e-9) and (off < 3e-9) == s.converged


def test_ways_to_say_where():
    model = poinsot.load(PANDA)
    q = model.random_configuration(3)
    p, _ = model.forward_kinematics(q)
    hand = model.body_names.index("panda_hand")
    for wanted in [p[hand], (p[hand], None), (p[hand], [1, 0, 0, 0]), (None, [1, 0, 0, 0])]:
        assert model.solve_ik({"panda_hand": wanted}).status in ("converged", "local minimum")
    tip = model.solve_ik({("panda_hand", (0.0, 0.0, 0.1)): p[hand]}, posture=q)
    assert tip.converged and tip.q.shape == (model.nq,)
    far = model.solve_ik({"panda_hand": (9.0, 0.0, 0.0)})
    assert far.status == "unreachable" and 7.0 < far.error < 9.0
    com = model.com(q)
    assert model.solve_ik({}, com=com).converged
    for wrong in [{}, {"panda_hand": (1, 2)}, {"panda_hand": (None, None)}, {"nobody": (1, 2, 3)}]:
        with pytest.raises((ValueError, TypeError)):
            model.solve_ik(wrong)
