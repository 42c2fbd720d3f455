"""Which geoms touch, compared with MuJoCo: every MJCF file of several packages, at its start and at random configurations.

The sets of pairs of geoms in contact are the same. Pairs whose distance is within a millionth of a metre of their margin are left out:
there round-off decides. POINSOT_CONFIGURATIONS=100 tries a hundred random configurations of each file instead of three.
"""

import os

import mujoco
import numpy as np
import pytest

import poinsot
from test_mjcf_peers import FILES

CONFIGURATIONS = int(os.environ.get("POINSOT_CONFIGURATIONS", "3"))
NEAR = 1e-6


def margin(theirs, a, b):
    """The distance below which MuJoCo reports the pair."""
    for k in range(theirs.npair):
        if {theirs.pair_geom1[k], theirs.pair_geom2[k]} == {a, b}:
            return theirs.pair_margin[k]
    return max(theirs.geom_margin[a], theirs.geom_margin[b])


def their_pairs(theirs, data):
    """The least distance of each pair in contact."""
    out = {}
    for c in data.contact:
        if min(c.geom) >= 0:
            pair = tuple(sorted(int(g) for g in c.geom))
            out[pair] = min(out.get(pair, np.inf), c.dist)
    return out


def our_pairs(found):
    out = {}
    for c in found:
        pair = tuple(int(g) for g in c["geoms"])
        out[pair] = min(out.get(pair, np.inf), c["gap"])
    return out


def missed_by_mujoco(theirs, data, pair):
    """MuJoCo misses some capsules whose axis passes through a box: true when a point of the axis is inside."""
    kinds = theirs.geom_type[list(pair)]
    if sorted(kinds) != [mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_BOX]:
        return False
    capsule, box = sorted(pair, key=lambda g: theirs.geom_type[g])
    half = theirs.geom_size[capsule][1]
    along = np.linspace(-half, half, 2001)[:, None] * data.geom_xmat[capsule].reshape(3, 3)[:, 2]
    points = (data.geom_xpos[capsule] + along - data.geom_xpos[box]) @ data.geom_xmat[box].reshape(3, 3)
    return bool(np.any(np.all(np.abs(points) < theirs.geom_size[box], axis=1)))


def skipped(theirs):
    if np.any(theirs.geom_type == mujoco.mjtGeom.mjGEOM_SDF):
        return "it has geoms given by signed distance"
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package,path,file", FILES, ids=[f"{p}/{f}" for p, f, _ in FILES])
def test_contacts(package, path, file):
    try:
        theirs = mujoco.MjModel.from_xml_path(str(file))
        ours = poinsot.load(file)
    except (ValueError, poinsot.ModelError):
        pytest.skip("one of the two does not load it")
    if reason := skipped(theirs):
        pytest.skip(reason)
    if theirs.nq != ours.nq or theirs.ngeom != len(ours.geoms):
        pytest.skip("read differently")
    data = mujoco.MjData(theirs)
    configurations = np.array([ours.qpos0] + [ours.random_configuration(seed) for seed in range(CONFIGURATIONS)])
    try:
        wide = ours.contacts(configurations, margin=2 * NEAR)
    except poinsot.ModelError as refused:
        assert "is an image" in str(refused), refused
        pytest.skip("heights in a picture are not read")
    wrong = []
    for row, q in enumerate(configurations):
        mujoco.mj_resetData(theirs, data)
        data.qpos[:] = q
        mujoco.mj_fwdPosition(theirs, data)
        a, b = our_pairs(wide[wide["row"] == row]), their_pairs(theirs, data)
        for pair in sorted(set(a) | set(b)):
            limit = margin(theirs, *pair)
            inside = [d < limit for d in (a.get(pair, np.inf), b.get(pair, np.inf))]
            close = any(abs(d - limit) <= NEAR for d in (a.get(pair, np.inf), b.get(pair, np.inf)))
            if inside[0] != inside[1] and not close and not (inside[0] and missed_by_mujoco(theirs, data, pair)):
                kinds = [ours.geoms[g]["type"] for g in pair]
                wrong.append((row, pair, kinds, a.get(pair), b.get(pair), limit))
    assert not wrong, f"{len(wrong)} pairs: (row, geoms, types, our gap, MuJoCo's, margin) {wrong[:5]}"


ARM = """
<mujoco>
  <option o_margin="0.05"><flag {flags}/></option>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -0.13"/>
    <body name="upper">
      <joint type="hinge" axis="0 1 0"/>
      <geom name="upper" type="sphere" size="0.1"/>
      <body name="lower" pos="0.15 0 0">
        <joint type="hinge" axis="0 1 0"/>
        <geom name="lower" type="sphere" size="0.1" margin="0.01"/>
        <body name="hand" pos="0 0 0.12"><geom name="hand" type="sphere" size="0.1"/></body>
      </body>
    </body>
  </worldbody>
  <contact><pair geom1="floor" geom2="hand" margin="0.001"/></contact>
</mujoco>
"""


@pytest.mark.parametrize(
    "flags",
    [
        "",
        'filterparent="disable"',
        'contact="disable"',
        'constraint="disable"',
        'override="enable"',
        'override="enable" filterparent="disable"',
    ],
)
def test_flags_that_change_what_touches(tmp_path, flags):
    """Contact off, parents that touch, one margin for all: as MuJoCo has it, also after writing and reading the model."""
    file = tmp_path / "arm.xml"
    file.write_text(ARM.format(flags=flags))
    theirs = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    expected = their_pairs(theirs, data)
    if "contact" in flags or "constraint" in flags:
        assert not expected
    elif flags:
        assert expected
    ours = poinsot.load(file)
    found = our_pairs(ours.contacts(ours.qpos0))
    assert found.keys() == expected.keys()
    for pair, distance in expected.items():
        assert abs(found[pair] - distance) < 1e-9
