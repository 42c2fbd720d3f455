"""Every MJCF file of several packages, compared with MuJoCo.

Each quantity is compared by max |ours - MuJoCo's| / max |MuJoCo's| over all its numbers, at three random states;
what these leave of constraints by the largest difference of any row.
"""

import re

import mujoco
import numpy as np
import pytest

import constraints
import poinsot
from peers import Table, error, files

TOLERANCE = {
    # MuJoCo keeps principal moments and axes of each mesh, and ends the search for the axes (mju_eig3) when what is left
    # next to the diagonal is below its own tolerance: that far its tensors are not those of the file. Their traces are.
    "inertias with meshes": 1e-6,
}
USUAL = 1e-9
MILLIMETRE = 1e-3

FILES = [
    file
    for package, under in [
        ("mujoco", "."),
        ("gymnasium", "."),
        ("dm_control", "."),
        ("gymnasium_robotics", "."),
        ("metaworld", "."),
        ("pybullet_data", "mjcf"),
    ]
    for file in files(package, ".xml", b"mujoco", under)
]

# What does not agree, and why: pattern of "package/path" -> (quantities, reason). Each of them must be off, and no other.
KNOWN = {
    "gymnasium_robotics/.*/coupled_half_cheetah.xml": (
        {"potential energy"},
        "its spatial tendon has a spring; spatial tendons are not simulated yet, as a diagnostic says",
    ),
}

TABLE = Table("MJCF compared with MuJoCo " + mujoco.__version__, __doc__.split("\n\n", 1)[1].strip())


@pytest.fixture(scope="module", autouse=True)
def table(reports):
    yield
    print("\n" + TABLE.write(reports / "peers-mjcf.md"))


def known(package, path):
    found = (entry for pattern, entry in KNOWN.items() if re.fullmatch(pattern, f"{package}/{path}"))
    return next(found, (set(), None))


@pytest.mark.parametrize("package,path,file", FILES, ids=[f"{p}/{f}" for p, f, _ in FILES])
def test_file(package, path, file):
    try:
        theirs = mujoco.MjModel.from_xml_path(str(file))
    except ValueError as refused:
        return without_peer(package, path, file, str(refused))
    try:
        ours = poinsot.load(file)
    except poinsot.ModelError as refused:
        assert any(d.severity == "error" and d.file for d in refused.diagnostics), "an error has a place"
        return judge(package, path, "refused: " + one_line(refused), {"loads": np.inf})
    errors = structure(ours, theirs)
    if max(errors.values()) == 0:
        errors |= inertias(ours, theirs) | geoms(ours, theirs)
        samples = [constraints.difference(ours, theirs, ours.random_configuration(seed)) for seed in range(3)]
        errors["constraints"] = max(samples)
        for seed in range(3):
            for quantity, off in state(ours, theirs, seed).items():
                errors[quantity] = max(off, errors.get(quantity, 0))
    missing = not_simulated(theirs)
    said = any("not-simulated" in d.code for d in ours.diagnostics)
    assert said or not missing or theirs.nv == 0, "a diagnostic says what is not simulated"
    judge(package, path, "", errors, "; ".join(f"not simulated: {x}" for x in missing))


def without_peer(package, path, file, why):
    """MuJoCo has no model: ours must load or say where it is wrong, no more."""
    try:
        poinsot.load(file)
        text = "loads"
    except poinsot.ModelError as refused:
        assert refused.diagnostics
        text = one_line(refused)
    TABLE.add(package, path, f"MuJoCo: {' '.join(why.split())[:60]}; Poinsot: {text}")


def judge(package, path, text, errors, note=""):
    expected, why = known(package, path)
    bad = {quantity: off for quantity, off in errors.items() if not off <= TOLERANCE.get(quantity, USUAL)}
    said = ", ".join(f"{quantity} {off:.1e}" for quantity, off in bad.items())
    good = {quantity: off for quantity, off in errors.items() if quantity not in bad}
    told = text or (f"{said}: {why}" if why else said)
    TABLE.add(package, path, "; ".join(filter(None, [told, note])), {} if set(bad) - expected else good)
    assert set(bad) == expected, text or said or f"agrees, though it is known not to ({why}): mend KNOWN"


def one_line(refused):
    first = next(d for d in refused.diagnostics if d.severity == "error")
    return f"{first.code}: {first.message}"[:150]


def same(ours, theirs):
    return 0.0 if np.array_equal(ours, theirs) else np.inf


def names(m, kind, count):
    return [mujoco.mj_id2name(m, kind, k) or "" for k in range(count)]


def named(ours, theirs):
    """Equal where MuJoCo's has a name: ours gives a name to all."""
    return 0.0 if len(ours) == len(theirs) and all(b in ("", a) for a, b in zip(ours, theirs)) else np.inf


def structure(model, m):
    objects = mujoco.mjtObj
    kinds = {0: "free", 1: "spherical", 2: "prismatic", 3: "revolute"}
    ranges = np.where(m.jnt_limited[:, None] * (m.jnt_type >= 2)[:, None], m.jnt_range, [-np.inf, np.inf])
    return {
        "nbody": same(model.nbody, m.nbody),
        "njnt": same(model.njnt, m.njnt),
        "nq": same(model.nq, m.nq),
        "nv": same(model.nv, m.nv),
        "nu": same(model.nu, m.nu),
        "body names": named(model.body_names, names(m, objects.mjOBJ_BODY, m.nbody)),
        "joint names": named(model.joint_names, names(m, objects.mjOBJ_JOINT, m.njnt)),
        "actuator names": named(model.actuator_names, names(m, objects.mjOBJ_ACTUATOR, m.nu)),
        "parents": same(model.body_parent, m.body_parentid),
        "joint types": same(model.joint_types, [kinds[t] for t in m.jnt_type]),
        "joint ranges": 0.0 if close(model.joint_ranges, ranges) else np.inf,
        "timestep": same(model.timestep, m.opt.timestep),
        # `size nkey` makes room for keyframes that the file does not give
        "keyframes": named(list(model.keyframes), names(m, objects.mjOBJ_KEY, len(model.keyframes))),
    }


def close(a, b):
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-12, atol=1e-12)


def inertias(model, m):
    """Masses, centres of mass and inertias, each relative to that of its own body."""
    turn = np.zeros((m.nbody, 9))
    for k in range(m.nbody):
        mujoco.mju_quat2Mat(turn[k], m.body_iquat[k])
    turn = turn.reshape(-1, 3, 3)
    tensor = turn * m.body_inertia[:, None, :] @ turn.transpose(0, 2, 1)
    # a point mass has none: what is left is round-off of m c²
    size = np.maximum(m.body_inertia.max(axis=1), 1e-15 + MILLIMETRE**2 * m.body_mass)
    off = np.abs(model.body_inertia - tensor).max(axis=(1, 2)) / size
    trace = np.abs(np.einsum("bii->b", model.body_inertia) - m.body_inertia.sum(axis=1)) / size
    meshed = np.zeros(m.nbody, bool)
    meshed[m.geom_bodyid[m.geom_type == mujoco.mjtGeom.mjGEOM_MESH]] = True
    # of a body without mass MuJoCo keeps an arbitrary centre
    com = np.where(m.body_mass[:, None] > 0, m.body_ipos, 0)
    keys = list(model.keyframes.values())
    # MuJoCo writes unit quaternions; so does integrate
    for key in keys:
        key["qpos"] = model.integrate(key["qpos"], np.zeros(m.nv), 0)
    keyed = lambda name, theirs: max([error(k[name], b) for k, b in zip(keys, theirs)], default=0.0)
    return {
        "total mass": error(model.body_mass.sum(), m.body_mass.sum()),
        "masses": max(map(error, model.body_mass, m.body_mass)),
        "centres of mass": max(map(error, model.body_com, com, [MILLIMETRE] * m.nbody)),
        "inertias": off[~meshed].max(initial=0),
        "inertias with meshes": off[meshed].max(initial=0),
        "traces of inertias": trace.max(),
        "qpos0": error(model.qpos0, m.qpos0),
        "key qpos": keyed("qpos", m.key_qpos),
        "key qvel": keyed("qvel", m.key_qvel),
        "key ctrl": keyed("ctrl", m.key_ctrl),
    }


def geoms(model, m):
    """Shapes, where they are, and how they touch."""
    ours, kinds = model.geoms, mujoco.mjtGeom
    words = {
        kinds.mjGEOM_PLANE: "plane",
        kinds.mjGEOM_HFIELD: "hfield",
        kinds.mjGEOM_SPHERE: "sphere",
        kinds.mjGEOM_CAPSULE: "capsule",
        kinds.mjGEOM_ELLIPSOID: "ellipsoid",
        kinds.mjGEOM_CYLINDER: "cylinder",
        kinds.mjGEOM_BOX: "box",
        kinds.mjGEOM_MESH: "hull",
    }
    words = {int(kind): word for kind, word in words.items()}
    types = [words[t] for t in m.geom_type]
    if [g["type"] for g in ours] != types:
        return {"geom types": np.inf}
    all_of = lambda name: [g[name] for g in ours]
    signed = lambda name: np.array(all_of(name), np.uint32).astype(np.int32)
    sizes, poses = [0.0], [0.0]
    for k, g in enumerate(ours):
        theirs = mujoco_size(m.geom_size[k], g["type"])
        sizes.append(error(g["size"], theirs) if theirs is not None else 0.0)
        poses.append(np.abs(np.subtract(pose(g["position"], g["rotation"]), mujoco_pose(m, k))).max())
    off = {
        "geom names": same(all_of("name"), names(m, mujoco.mjtObj.mjOBJ_GEOM, m.ngeom)),
        "geom bodies": same([model.body_names.index(b) for b in all_of("body")], m.geom_bodyid),
        "geom condim": same(all_of("condim"), m.geom_condim),
        "geom priority": same(all_of("priority"), m.geom_priority),
        "geom group": same(all_of("group"), m.geom_group),
        "geom masks": max(same(signed("contype"), m.geom_contype), same(signed("conaffinity"), m.geom_conaffinity)),
        "geom friction": error(all_of("friction"), m.geom_friction),
        "geom margin": error(all_of("margin"), m.geom_margin),
        "geom gap": error(all_of("gap"), m.geom_gap),
        "geom sizes": max(sizes),
        "geom poses": max(poses),
    }
    return {quantity: 0.0 if m.ngeom == 0 else value for quantity, value in off.items()}


def mujoco_size(half, word):
    """MuJoCo's size as whole lengths; nothing for meshes and height fields, whose sizes are those of their boxes."""
    if word in ("sphere", "ellipsoid"):
        return half[: 1 if word == "sphere" else 3]
    if word in ("capsule", "cylinder"):
        return half[:2] * [1, 2]
    return {"box": 2 * half, "plane": 2 * half[:2]}.get(word)


def pose(position, rotation):
    return np.vstack([np.column_stack([rotation, position]), [0, 0, 0, 1]])


def mujoco_pose(m, k):
    """The pose of a geom; of a mesh that of its file's frame, which MuJoCo has moved to its centre of mass."""

    def of(position, quaternion):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, quaternion)
        return pose(position, turn.reshape(3, 3))

    found, mesh = of(m.geom_pos[k], m.geom_quat[k]), m.geom_dataid[k]
    if m.geom_type[k] != mujoco.mjtGeom.mjGEOM_MESH:
        return found
    return found @ np.linalg.inv(of(m.mesh_pos[mesh], m.mesh_quat[mesh]))


def state(model, m, seed):
    random = np.random.default_rng(seed)
    d = mujoco.MjData(m)
    q, v, a = model.random_configuration(seed), random.normal(size=m.nv), random.normal(size=m.nv)
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    d.qpos[:], d.qvel[:] = q, v
    mujoco.mj_fwdPosition(m, d)
    mujoco.mj_fwdVelocity(m, d)
    mujoco.mj_energyPos(m, d)
    mujoco.mj_energyVel(m, d)
    mass, bias = np.zeros((m.nv, m.nv)), d.qfrc_bias.copy()
    mujoco.mj_fullM(m, d, mass)
    # forces that cancel are no better than what they are made of: velocities and accelerations are of order 1
    force = np.abs(mass).max(initial=1e-12)
    potential, height = potential_energy(m, d)
    positions, rotations = model.forward_kinematics(q)
    errors = {
        "positions": error(positions, d.xpos, MILLIMETRE),
        "rotations": error(rotations, d.xmat.reshape(-1, 3, 3)),
        "mass matrix": error(model.mass_matrix(q), mass),
        "bias": error(model.bias(q, v), bias, force),
        "inverse dynamics": error(model.inverse_dynamics(q, v, a), mass @ a + bias, force),
        "kinetic energy": error(model.kinetic_energy(q, v), d.energy[1]),
        "potential energy": error(model.potential_energy(q), potential, height),
    }
    rows = np.zeros((2, 3, m.nv))
    for body in {m.nbody - 1, m.nbody // 2, m.nbody // 3}:
        mujoco.mj_jacBody(m, d, rows[1], rows[0], body)
        off = error(model.jacobian(q, body), rows.reshape(6, m.nv), MILLIMETRE)
        errors["jacobian"] = max(off, errors.get("jacobian", 0))
    if not not_simulated(m):
        errors["all forces"] = all_forces(model, m, d, mass, random)
    d.qvel[:] = 0
    mujoco.mj_fwdVelocity(m, d)
    errors["gravity"] = error(model.gravity(q), d.qfrc_bias, force)
    return errors


def potential_energy(m, d):
    """MuJoCo's without what cannot move, and with what carries weights (gravcomp), as ours; and the size of its terms."""
    if m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
        return d.energy[0], 1e-12
    terms = -m.body_mass * (d.xipos @ m.opt.gravity)
    fixed = m.body_dofnum[m.body_weldid] == 0
    return d.energy[0] - terms[fixed].sum() - (m.body_gravcomp * terms)[~fixed].sum(), max(np.abs(terms).max(), 1e-12)


def all_forces(model, m, d, mass, random):
    """Springs, dampers, actuators and gravity compensation, by the acceleration they give with the bias, and with the
    forces of constraints, which are MuJoCo's to disable and ours to subtract."""
    d.ctrl[:] = random.normal(size=m.nu)
    mujoco.mj_fwdActuation(m, d)
    want = d.qfrc_passive + d.qfrc_actuator
    sim = poinsot.Simulation(model, q=d.qpos, v=d.qvel)
    sim.ctrl = d.ctrl
    a = sim.acceleration
    forces = np.concatenate([*sim.constraint_forces.values(), np.zeros(0)])
    held = model.constraint_jacobian(d.qpos).T @ forces
    terms = [mass, d.qfrc_bias, d.qfrc_passive, d.qfrc_actuator, np.abs(mass) @ np.abs(a), held]
    size = max(np.abs(x).max(initial=1e-12) for x in terms)
    return error(mass @ a + d.qfrc_bias - held, want, size)


def not_simulated(m):
    """What of MuJoCo's passive and actuator forces is not simulated yet; a diagnostic of each such file says so."""
    spatial = m.wrap_type[m.tendon_adr] != mujoco.mjtWrap.mjWRAP_JOINT if m.ntendon else np.zeros(0, bool)
    pulled = m.actuator_trnid[m.actuator_trntype == mujoco.mjtTrn.mjTRN_TENDON, 0]
    site, other = mujoco.mjtTrn.mjTRN_SITE, [
        mujoco.mjtTrn.mjTRN_SLIDERCRANK,
        mujoco.mjtTrn.mjTRN_BODY,
    ]
    return [
        name
        for name, has in {
            "ellipsoids in a medium": (m.opt.density > 0 or m.opt.viscosity > 0) and m.geom_fluid[:, 0].any(),
            "spatial tendon": spatial[pulled].any()
            or (spatial & ((m.tendon_stiffness > 0) | (m.tendon_damping > 0))).any(),
            "actuator": np.isin(m.actuator_trntype, other).any()
            or (m.actuator_dyntype >= int(mujoco.mjtDyn.mjDYN_MUSCLE)).any()
            or (m.actuator_gaintype >= int(mujoco.mjtGain.mjGAIN_MUSCLE)).any()
            or (m.actuator_biastype >= int(mujoco.mjtBias.mjBIAS_MUSCLE)).any()
            or ((m.actuator_trntype == site) & (m.actuator_trnid[:, 1] >= 0)).any(),
        }.items()
        if has
    ]


@pytest.mark.parametrize("size", [1, 0.1, 0.02])
def test_a_tetrahedron_tells_whose_inertias_are_off(size):
    """The closed form: with vertices d about their mean, the second moment is V/20 Σ d dᵀ."""
    vertices = (np.random.default_rng(3).normal(size=(4, 3)) * size).astype(np.float32).astype(float)
    mesh = " ".join(map(repr, vertices.ravel().tolist()))
    text = f"""<mujoco><asset><mesh name="m" vertex="{mesh}"/></asset><worldbody><body><freejoint/>
        <geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
    d = vertices - vertices.mean(axis=0)
    mass = 1000 * abs(np.linalg.det(d[1:] - d[0])) / 6
    moment = mass / 20 * d.T @ d
    tensor = np.trace(moment) * np.eye(3) - moment
    m, turn = mujoco.MjModel.from_xml_string(text), np.zeros(9)
    mujoco.mju_quat2Mat(turn, m.body_iquat[1])
    turn = turn.reshape(3, 3)
    assert error(poinsot.loads(text).body_inertia[1], tensor) < 1e-13
    assert error(turn * m.body_inertia[1] @ turn.T, tensor) < TOLERANCE["inertias with meshes"]
