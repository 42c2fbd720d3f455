"""From our coordinates to Pinocchio's, joint by joint, found by name.

Pinocchio sorts joints by name, keeps cos and sin of a joint without limits, and gives the velocity of planar and free
joints in the axes of the body. With v_p = B v: M = Bᵀ M_p B, τ = Bᵀ τ_p, a_p = B a + Ḃ v.
"""

import numpy as np


class Map:
    """The joints of `model` in those of Pinocchio's model `m`. `free`: our joint for Pinocchio's "root_joint"."""

    def __init__(self, model, m):
        free = next((n for n, t in zip(model.joint_names, model.joint_types) if t == "free"), None)
        index = {name: k for k, name in enumerate(model.joint_names)}
        self.m, self.parts = m, []
        for k in range(1, m.njoints):
            name = m.names[k]
            ours = index[free if name == "root_joint" and name not in index else name]
            j = m.joints[k]
            self.parts.append((ours, j.shortname(), model.joint_qposadr[ours], model.joint_dofadr[ours], j))

    def configuration(self, q):
        out = np.zeros(self.m.nq)
        for _, kind, at, _, j in self.parts:
            to = slice(j.idx_q, j.idx_q + j.nq)
            if kind == "JointModelFreeFlyer":
                w, x, y, z = q[at + 3 : at + 7] / np.linalg.norm(q[at + 3 : at + 7])
                out[to] = [*q[at : at + 3], x, y, z, w]
            elif kind == "JointModelPlanar":
                out[to] = [q[at], q[at + 1], np.cos(q[at + 2]), np.sin(q[at + 2])]
            elif j.nq == 2:
                out[to] = [np.cos(q[at]), np.sin(q[at])]
            else:
                out[to] = q[at : at + j.nq]
        return out

    def basis(self, q, v):
        """B and Ḃ v."""
        b, drift = np.zeros((self.m.nv, len(v))), np.zeros(self.m.nv)
        for _, kind, at, k, j in self.parts:
            i, n = j.idx_v, j.nv
            b[i : i + n, k : k + n] = np.eye(n)
            if kind == "JointModelFreeFlyer":
                turn = matrix(q[at + 3 : at + 7])
                b[i : i + 3, k : k + 3] = turn.T
                drift[i : i + 3] = -np.cross(v[k + 3 : k + 6], turn.T @ v[k : k + 3])
            elif kind == "JointModelPlanar":
                c, s = np.cos(q[at + 2]), np.sin(q[at + 2])
                b[i : i + 2, k : k + 2] = [[c, s], [-s, c]]
                x, y = b[i : i + 2, k : k + 2] @ v[k : k + 2]
                drift[i : i + 2] = v[k + 2] * y, -v[k + 2] * x
        return b, drift


def matrix(quaternion):
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
