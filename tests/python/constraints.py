"""By how much a configuration breaks the constraints of a model: from what the model says of them, and by MuJoCo."""

import mujoco
import numpy as np


def ours(model, q, lengths):
    """The rows of each constraint at q: where one end is less where the other is, how they are turned, or what a
    polynomial leaves. `lengths` are those of the tendons, by name."""
    positions, rotations = model.forward_kinematics(q)
    coordinates = {name: q[k] for name, k in zip(model.joint_names, model.joint_qposadr)}
    return {name: rows(c, model, positions, rotations, coordinates, lengths) for name, c in model.constraints.items()}


def rows(c, model, positions, rotations, coordinates, lengths):
    if "bodies" not in c:
        names, values = ("joints", coordinates) if "joints" in c else ("tendons", lengths)
        first, *other = [values[n] - x0 for n, x0 in zip(c[names], c["references"])]
        return np.array([first - np.polyval(c["coefficients"][::-1], other[0] if other else 0.0)])
    bodies = [model.body_names.index(b) for b in c["bodies"]]
    a, b = (positions[k] + rotations[k] @ p for k, p in zip(bodies, c["positions"]))
    if c["kind"] == "point":
        return a - b
    axes_a, axes_b = (rotations[k] @ r for k, r in zip(bodies, c["rotations"]))
    turn = np.zeros(4)
    mujoco.mju_mat2Quat(turn, (axes_b.T @ axes_a).ravel())
    return np.concatenate([a - b, turn[1:]])


def theirs(m, q):
    """MuJoCo's residuals of the equalities, and the lengths of tendons. Equalities that we do not have are left out."""
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    d = mujoco.MjData(m)
    d.qpos[:] = q
    mujoco.mj_fwdPosition(m, d)
    is_row = d.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    found = {}
    for k in sorted(set(d.efc_id[is_row])):
        if not_ours(m, k):
            continue
        position = d.efc_pos[is_row & (d.efc_id == k)].copy()
        if m.eq_type[k] == mujoco.mjtEq.mjEQ_WELD:
            position[3:] /= m.eq_data[k, 10]
        found[mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_EQUALITY, k) or f"constraint{k}"] = position
    tendons = (mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_TENDON, k) or f"tendon{k}" for k in range(m.ntendon))
    return found, dict(zip(tendons, d.ten_length))


def not_ours(m, k):
    if m.eq_type[k] != mujoco.mjtEq.mjEQ_TENDON:
        return m.eq_type[k] > int(mujoco.mjtEq.mjEQ_TENDON)
    tendons = [t for t in (m.eq_obj1id[k], m.eq_obj2id[k]) if t >= 0]
    return any(m.wrap_type[m.tendon_adr[t]] != mujoco.mjtWrap.mjWRAP_JOINT for t in tendons)


def difference(model, m, q):
    """The largest difference of any row, infinite when the constraints are not the same."""
    want, lengths = theirs(m, q)
    have = ours(model, q, lengths)
    if have.keys() != want.keys():
        return np.inf
    return max([apart(have[name], want[name]) for name in want], default=0.0)


def apart(a, b):
    if a.shape != b.shape:
        return np.inf
    # a quaternion and its negative are one rotation
    sign = -1.0 if a[3:] @ b[3:] < 0 else 1.0
    return np.abs(np.concatenate([a[:3] - b[:3], a[3:] - sign * b[3:]])).max()
