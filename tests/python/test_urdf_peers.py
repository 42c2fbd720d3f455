"""Every URDF file of two packages, compared with Pinocchio: with its root fixed to the world, and with its root free.

Each quantity is compared by max |ours - Pinocchio's| / max |Pinocchio's| over all its numbers, at three random states.
"""

import pathlib
import re
import tempfile

import numpy as np
import pinocchio as pin
import pytest

import poinsot
from peers import Table, error, files
from pinocchio_map import Map

TOLERANCE = 1e-10
MILLIMETRE = 1e-3


def robots():
    """The URDF files of example-robot-data, which is not a Python package but a folder next to them."""
    prefix = next(p for p in pathlib.Path(pin.__file__).parents if p.name == "cmeel.prefix")
    folder = prefix / "share" / "example-robot-data" / "robots"
    for path in sorted(folder.rglob("*.urdf")):
        yield "example-robot-data", path.relative_to(folder).as_posix(), path


FILES = [*robots(), *files("pybullet_data", ".urdf", b"robot")]

# What does not agree, and why: pattern of "package/path" -> (quantities, reason). Each of them must be off, and no other.
KNOWN = {}

TABLE = Table("URDF compared with Pinocchio " + pin.__version__, __doc__.split("\n\n", 1)[1].strip())


@pytest.fixture(scope="module", autouse=True)
def table(reports):
    yield
    print("\n" + TABLE.write(reports / "peers-urdf.md"))


@pytest.mark.parametrize("package,path,file", FILES, ids=[f"{p}/{f}" for p, f, _ in FILES])
@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
def test_file(package, path, file, floating):
    row = path + (" (floating)" if floating else "")
    try:
        root = [pin.JointModelFreeFlyer()] if floating else []
        theirs = pin.buildModelFromUrdf(str(file), *root)
    except (ValueError, RuntimeError, IndexError) as refused:
        return without_peer(package, row, file, floating, str(refused))
    try:
        ours = poinsot.load(file, floating_base=floating)
    except poinsot.ModelError as refused:
        assert any(d.severity == "error" and d.file for d in refused.diagnostics), "an error has a place"
        return judge(package, row, "refused: " + one_line(refused), {"loads": np.inf})
    judge(package, row, "", compare(ours, theirs))


def compare(ours, theirs):
    errors = structure(ours, theirs)
    if max(errors.values()) == 0:
        for seed in range(3):
            for quantity, off in state(ours, theirs, seed).items():
                errors[quantity] = max(off, errors.get(quantity, 0))
    return errors


LINK = """<link name="{0}"><inertial><origin xyz=".1 -.2 .3" rpy=".3 .2 .1"/><mass value="{1}"/>
  <inertia ixx="1" iyy="1.1" izz="1.2" ixy=".1" ixz=".05" iyz="-.02"/></inertial></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>
  <origin {6}/><axis xyz="{4}"/><limit lower="-2" upper="2" effort="1" velocity="1"/>{5}</joint>"""


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
def test_every_kind_of_joint(floating):
    """Few files have planar and floating joints. Pinocchio, too, gives a joint that mimics another its own coordinate."""
    joints = [
        ("z", "revolute", "base", "a", "1 2 2", ""),
        ("y", "continuous", "a", "b", "0 1 0", ""),
        ("x", "prismatic", "b", "c", "0 -3 4", ""),
        ("w", "planar", "c", "d", "0 0 1", ""),
        ("v", "fixed", "d", "e", "1 0 0", ""),
        ("u", "floating", "e", "f", "1 0 0", ""),
        ("t", "revolute", "f", "g", "0 0 1", '<mimic joint="z" multiplier="2" offset=".1"/>'),
        ("s", "continuous", "a", "h", "1 1 1", ""),
    ]
    text = "".join(LINK.format(link, 1 + k) for k, link in enumerate(["base", *"abcdefgh"]))
    # the coordinates of a free joint are a pose in the parent's frame, Pinocchio's one in the frame of the origin
    origin = lambda kind: "" if kind == "floating" else 'xyz=".4 .1 -.2" rpy=".1 .2 .3"'
    text += "".join(JOINT.format(*j, origin(j[1])) for j in joints)
    text = f'<robot name="all">{text}</robot>'
    ours = poinsot.loads(text, "all.urdf") if not floating else floating_from(text)
    theirs = pin.buildModelFromXML(text, *([pin.JointModelFreeFlyer()] if floating else []))
    errors = compare(ours, theirs)
    assert max(errors.values()) < TOLERANCE, errors


def floating_from(text, **options):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "all.urdf"
        file.write_text(text)
        return poinsot.load(file, floating_base=True, **options)


@pytest.mark.parametrize("path", ["panda_description/urdf/panda.urdf", "talos_data/robots/talos_full_v2.urdf"])
def test_merged_links_weigh_the_same(path):
    file = next(f for _, p, f in FILES if p == path)
    whole, merged = poinsot.load(file), poinsot.load(file, merge_fixed=True)
    assert merged.nbody < whole.nbody and merged.joint_names == whole.joint_names
    q = whole.random_configuration(1)
    assert error(merged.mass_matrix(q), whole.mass_matrix(q)) < 1e-13
    assert error(merged.gravity(q), whole.gravity(q)) < 1e-13


def without_peer(package, path, file, floating, why):
    """Pinocchio has no model: ours must load or say where it is wrong, no more."""
    try:
        poinsot.load(file, floating_base=floating)
        text = "loads"
    except poinsot.ModelError as refused:
        assert any(d.severity == "error" and d.line for d in refused.diagnostics), "an error has a place"
        text = one_line(refused)
    TABLE.add(package, path, f"Pinocchio: {' '.join(why.split())[-60:]}; Poinsot: {text}")


def judge(package, path, text, errors):
    found = (entry for pattern, entry in KNOWN.items() if re.fullmatch(pattern, f"{package}/{path}"))
    expected, why = next(found, (set(), None))
    bad = {quantity: off for quantity, off in errors.items() if not off <= TOLERANCE}
    said = ", ".join(f"{quantity} {off:.1e}" for quantity, off in bad.items())
    good = {quantity: off for quantity, off in errors.items() if quantity not in bad}
    told = text or (f"{said}: {why}" if why else said)
    TABLE.add(package, path, told, {} if set(bad) - expected else good)
    assert set(bad) == expected, text or said or f"agrees, though it is known not to ({why}): mend KNOWN"


def one_line(refused):
    first = next(d for d in refused.diagnostics if d.severity == "error")
    return f"{first.code}: {first.message}"[:150]


def names(model):
    """The names of links. The first body is the world; a link that is called so too, of a robot's base, is "world_"."""
    return ["world" if name == "world_" else name for name in model.body_names[1:]]


def links(m):
    """Frames of links by name."""
    return {f.name: k for k, f in enumerate(m.frames) if f.type == pin.FrameType.BODY}


def structure(model, m):
    same = lambda ours, theirs: 0.0 if ours == theirs else np.inf
    moving = [n for n, t in zip(model.joint_names, model.joint_types) if t != "fixed"]
    theirs = list(m.names[1:])
    if theirs[:1] == ["root_joint"] and model.joint_types[:1] == ["free"]:
        # the joint of the base has no name in the file
        theirs, moving = theirs[1:], moving[1:]
    return {
        "nv": same(model.nv, m.nv),
        "joint names": same(sorted(moving), sorted(theirs)),
        "link names": same(sorted(names(model)), sorted(links(m))),
    }


def state(model, m, seed):
    random = np.random.default_rng(seed)
    q, v, a = model.random_configuration(seed), random.normal(size=m.nv), random.normal(size=m.nv)
    map_, d = Map(model, m), m.createData()
    q_p = map_.configuration(q)
    b, drift = map_.basis(q, v)
    mass = pin.crba(m, d, q_p)
    mass = b.T @ (np.triu(mass) + np.triu(mass, 1).T) @ b
    bias = b.T @ pin.rnea(m, d, q_p, b @ v, drift)
    inverse = b.T @ pin.rnea(m, d, q_p, b @ v, b @ a + drift)
    gravity = b.T @ pin.computeGeneralizedGravity(m, d, q_p)
    kinetic = pin.computeKineticEnergy(m, d, q_p, b @ v)
    potential = pin.computePotentialEnergy(m, d, q_p)
    # forces that cancel are no better than what they are made of: velocities and accelerations are of order 1
    force = np.abs(mass).max(initial=1e-12)
    weight = 9.81 * sum(i.mass for i in list(m.inertias)[1:])
    pin.framesForwardKinematics(m, d, q_p)
    frames = links(m)
    places = [d.oMf[frames[name]] for name in names(model)]
    positions, rotations = model.forward_kinematics(q)
    return {
        "total mass": error(model.mass, weight / 9.81),
        "mass matrix": error(model.mass_matrix(q), mass),
        "bias": error(model.bias(q, v), bias, force),
        "gravity": error(model.gravity(q), gravity, force),
        "inverse dynamics": error(model.inverse_dynamics(q, v, a), inverse, force),
        "kinetic energy": error(model.kinetic_energy(q, v), kinetic),
        "potential energy": error(model.potential_energy(q), potential, max(weight, 1e-12)),
        "positions": error(positions[1:], [p.translation for p in places], MILLIMETRE),
        "rotations": error(rotations[1:], [p.rotation for p in places]),
    }
