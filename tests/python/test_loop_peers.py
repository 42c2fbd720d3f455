"""Real robots with a loop added, compared with Pinocchio's constraintDynamics: accelerations and constraint forces.

A URDF file of example-robot-data becomes MJCF by MuJoCo, with a site on each of two of its bodies and an equality between
them. Poinsot and Pinocchio read that one text. The loop is closed where Poinsot assembles it, from a random configuration.
"""

import re

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import poinsot
from peers import Table, error
from pinocchio_map import Map
from test_urdf_peers import robots

TOLERANCE = 1e-8
SEEDS = range(3)
QUANTITIES = ["accelerations", "generalised forces of the loop", "size of its force"]

TABLE = Table("Loops compared with Pinocchio " + pin.__version__, __doc__.split("\n\n", 1)[1].strip())


@pytest.fixture(scope="module", autouse=True)
def table(reports):
    yield
    print("\n" + TABLE.write(reports / "peers-loops.md"))


# file -> two bodies to tie, and whether the base floats
LOOPS = {
    "ur_description/urdf/ur5_robot.urdf": ("wrist_3_link", "shoulder_link", False),
    "panda_description/urdf/panda.urdf": ("panda_link7", "panda_link1", False),
    "kinova_description/robots/kinova.urdf": ("j2s6s200_link_6", "j2s6s200_link_base", False),
    "solo_description/robots/solo12.urdf": ("FL_LOWER_LEG", "HR_LOWER_LEG", True),
    "anymal_b_simple_description/robots/anymal.urdf": ("LF_SHANK", "RH_SHANK", True),
    "talos_data/robots/talos_reduced.urdf": ("arm_left_7_link", "arm_right_7_link", True),
    "baxter_description/urdf/baxter.urdf": ("left_wrist", "right_wrist", False),
    "icub_description/robots/icub_reduced.urdf": ("l_hand", "r_hand", True),
}
SIX = ["ur_description/urdf/ur5_robot.urdf", "kinova_description/robots/kinova.urdf"]
FILES = {path: file for _, path, file in robots()}


def looped(path, kind):
    """MJCF of the robot with a loop of this kind that closes at a random configuration, but for the digits of the text."""
    one, two, floating = LOOPS[path]
    urdf = re.sub(r"<(visual|collision)\b.*?</\1\s*>", "", FILES[path].read_text(), flags=re.DOTALL)
    urdf = re.sub(r"<mujoco>.*?</mujoco>|<mujoco/>", "", urdf, flags=re.DOTALL)
    settings = '<mujoco><compiler fusestatic="false" balanceinertia="true" boundmass="1e-3" boundinertia="1e-5"/></mujoco>'
    spec = mujoco.MjSpec.from_string(urdf.replace("</robot>", settings + "</robot>"))
    if floating:
        spec.worldbody.first_body().add_freejoint(name="root_joint")
    m = spec.compile()
    d = mujoco.MjData(m)
    d.qpos[:] = poinsot.loads(spec.to_xml()).random_configuration(3)
    mujoco.mj_kinematics(m, d)
    (x1, r1), (x2, r2) = ((d.body(name).xpos, d.body(name).xmat.reshape(3, 3)) for name in (one, two))
    hook, turn, eye = np.array([0.03, -0.02, 0.05]), np.zeros(4), np.zeros(4)
    mujoco.mju_mat2Quat(turn, np.eye(3).ravel())
    mujoco.mju_mat2Quat(eye, (r2.T @ r1).ravel())
    spec.body(one).add_site(name="hook", pos=hook, quat=turn)
    spec.body(two).add_site(name="eye", pos=r2.T @ (x1 + r1 @ hook - x2), quat=eye)
    equality = f'<equality><{kind} name="loop" site1="hook" site2="eye"/></equality>'
    spec.compile()
    return without_equalities(spec.to_xml()).replace("</mujoco>", equality + "</mujoco>")


def without_equalities(text):
    """Of joints that mimic others, too."""
    return re.sub("<equality>.*?</equality>", "", text, flags=re.DOTALL)


def theirs(text, kind, tmp_path):
    file = tmp_path / "looped.xml"
    file.write_text(without_equalities(text))
    m = pin.buildModelFromMJCF(str(file))
    hook, eye = (m.frames[m.getFrameId(name)] for name in ("hook", "eye"))
    rows = pin.ContactType.CONTACT_3D if kind == "connect" else pin.ContactType.CONTACT_6D
    ends = (hook.parentJoint, hook.placement, eye.parentJoint, eye.placement)
    return m, pin.RigidConstraintModel(rows, m, *ends, pin.ReferenceFrame.LOCAL)


def closed(model, seed):
    """A state of the closed loop, near the configuration at which it was made."""
    random = np.random.default_rng(seed)
    start = model.integrate(model.random_configuration(3), random.uniform(-1, 1, model.nv), 0.1)
    return model.assemble(start, random.uniform(-1, 1, model.nv))


# a weld leaves six joints nothing to move
CASES = [(path, kind) for path in LOOPS for kind in ("connect", "weld") if kind == "connect" or path not in SIX]


@pytest.mark.parametrize("path,kind", CASES)
def test_accelerations_and_forces_of_a_loop(path, kind, tmp_path):
    text = looped(path, kind)
    model = poinsot.loads(text)
    m, loop = theirs(text, kind, tmp_path)
    d, map_ = m.createData(), Map(model, m)
    for seed in SEEDS:
        q, v = closed(model, seed)
        tau = np.random.default_rng(seed).normal(size=model.nv)
        assert np.abs(model.constraint_values(q)).max() < 1e-12
        a, forces = model.constrained_dynamics(q, v, tau)
        q_p, (b, drift) = map_.configuration(q), map_.basis(q, v)
        tau_p = np.linalg.solve(b.T, tau)
        loops, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        loops.append(loop)
        data.append(loop.createData())
        pin.initConstraintDynamics(m, d, loops, data)
        a_p = pin.constraintDynamics(m, d, q_p, b @ v, tau_p, loops, data, pin.ProximalSettings(1e-14, 0.0, 20))
        errors = [error(a, np.linalg.solve(b, a_p - drift))]
        jacobian = pin.getConstraintJacobian(m, d, loop, data[0])
        held, wanted = model.constraint_jacobian(q).T @ forces, b.T @ jacobian.T @ d.lambda_c
        errors.append(error(held, wanted))
        # the force, whatever its axes; moments of a weld depend on what is called its angle
        errors.append(error(np.linalg.norm(forces[:3]), np.linalg.norm(d.lambda_c[:3])))
        TABLE.add("example-robot-data", f"{path} ({kind}, seed {seed})", "", dict(zip(QUANTITIES, errors)))
        assert max(errors) < TOLERANCE, errors
