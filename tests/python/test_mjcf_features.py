"""Small models, one for each corner of MJCF that real files seldom visit, compared with MuJoCo."""

import mujoco
import pytest

import poinsot
from test_mjcf_peers import TOLERANCE, USUAL, inertias, state, structure

MESH = """<mesh name="m" vertex="0 1 1.6 0 -1 1.6 0 1 -1.6 0 -1 -1.6 1 1.6 0 -1 1.6 0 1 -1.6 0 -1 -1.6 0 1.6 0 1
    1.9 0 -1 -1.6 0 1 -1.6 0 -1.3" scale=".1 .2 .3" {}/>"""
SIZES = {"sphere": ".1", "capsule": ".1 .2", "cylinder": ".1 .2", "ellipsoid": ".1 .2 .3", "box": ".1 .2 .3"}


def world(inside, before="", after=""):
    return f"<mujoco>{before}<worldbody>{inside}</worldbody>{after}</mujoco>"


def geom(attributes, mesh=""):
    return world(f"<body><joint axis='0 1 0'/><geom {attributes}/></body>", f"<asset>{MESH.format(mesh)}</asset>")


MODELS = {
    **{f"{kind}": geom(f"type='{kind}' size='{size}' pos='.1 .2 .3' euler='10 20 30'") for kind, size in SIZES.items()},
    **{
        f"shell of a {kind}": geom(f"type='{kind}' size='{size}' shellinertia='true' pos='.1 0 0'")
        for kind, size in SIZES.items()
        if kind != "ellipsoid"
    },
    **{f"{kind} fitted to a mesh": geom(f"type='{kind}' mesh='m' fitscale='1.1' euler='10 20 30'") for kind in SIZES},
    **{
        f"mesh, {mode}": geom("type='mesh' mesh='m' euler='10 20 30'", f"inertia='{mode}'")
        for mode in ["convex", "exact", "legacy", "shell"]
    },
    "mesh with a frame of its own": geom("type='mesh' mesh='m'", "refpos='.1 .2 .3' refquat='1 .2 .3 .1'"),
    "box and ellipsoid from end to end": world(
        """<body><joint axis="0 1 0"/><geom type="box" size=".1" fromto="0 0 0 .3 .4 .5"/>
        <geom type="ellipsoid" size=".1" fromto="0 0 0 .3 -.4 .5"/></body>"""
    ),
    "frames": world(
        """<frame euler="10 20 30" pos="1 2 3"><body pos=".1 .2 .3" euler="5 6 7"><frame pos=".3 0 0" euler="0 40 0">
        <joint axis="1 1 0" pos=".1 0 .2"/><geom size=".1" pos=".2 .1 0"/>
        <inertial pos="0 .1 0" mass="1" diaginertia="1 2 2.5"/>
        <body><joint type="ball"/><geom size=".2" pos="1 0 0"/></body></frame></body></frame>"""
    ),
    "replicas": world(
        """<replicate count="11" offset=".1 .2 .3" euler="10 20 30" sep="_">
        <body name="b" pos="1 0 0"><joint name="j"/><geom size=".1"/><replicate count="2" offset="0 0 1">
        <body name="c"><joint name="k" axis="1 0 0"/><geom size=".1" pos=".5 0 0"/></body>
        </replicate></body></replicate>"""
    ),
    "default classes": world(
        """<body childclass="a"><joint/><geom/><body><joint class="main"/><geom class="main" size=".2"/></body></body>""",
        """<default><joint damping="1" armature=".1"/><default class="a"><joint type="slide" axis="1 0 0"/>
        <geom type="box" size=".1 .2 .3"/></default></default>""",
    ),
    "euler sequence, radians": world(
        """<body euler=".1 .2 .3"><joint axis="0 1 0" ref=".3"/>
        <geom type="capsule" fromto="0 0 0 1 2 3" size=".1"/></body>""",
        """<compiler eulerseq="zYx" angle="radian"/>""",
    ),
    "full inertia": world(
        """<body><joint/><inertial pos=".1 .2 .3" mass="2" fullinertia="1 2 2.5 .1 .2 -.3"/></body>"""
    ),
    "many joints on a body": world(
        """<body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0" ref=".2"/>
        <joint axis="0 0 1" pos=".1 .2 0" ref="20" springref="30" stiffness="5" armature=".1"/><joint type="ball" pos="0 0 .3"/>
        <geom type="box" size=".1 .2 .3"/></body>"""
    ),
    "springs of attitudes": world(
        """<body pos="1 2 3" euler="10 20 30"><joint type="free" stiffness="7" damping=".1"/><geom size=".1"/>
        <body pos="1 0 0"><joint type="ball" stiffness="3"/><geom size=".1" pos=".3 0 0"/></body></body>"""
    ),
    "no gravity": world(
        """<body><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body>""",
        """<option><flag gravity="disable"/></option>""",
    ),
    "bodies without joints": world(
        """<body pos="1 0 0"><geom size=".1"/><body><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/>
        <body pos=".3 0 0" euler="10 20 0"><geom type="box" size=".1 .2 .3"/></body></body></body>"""
    ),
    "masses adjusted": world(
        """<body><geom size=".1"/><body><joint axis="0 1 0"/><geom size=".01" pos="1 0 0"/>
        <body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body></body></body>""",
        """<compiler settotalmass="7" boundmass=".1" boundinertia=".01" balanceinertia="true"/>""",
    ),
    "groups that count": world(
        """<body><joint axis="0 1 0"/><geom size=".1" group="1"/><geom size=".2" group="3"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>""",
        """<compiler inertiagrouprange="1 2" inertiafromgeom="true"/>""",
    ),
    "axes": world(
        """<body zaxis="1 1 1"><joint axis="0 1 0"/><geom size=".1 .2 .3" xyaxes="1 1 0 0 1 1" type="box"/></body>"""
    ),
    "a medium": world(
        """<body><freejoint/><geom type="box" size=".1 .2 .3"/><body pos="0 0 .5"><joint axis="0 1 0"/>
        <geom type="capsule" size=".05 .3" pos="0 0 .3"/></body></body>""",
        """<option density="1000" viscosity=".7" wind="1 .5 0"/>""",
    ),
    "springs by time constant": world(
        """<body><joint axis="0 1 0" springdamper=".1 .5"/><geom size=".1" pos="1 0 0"/>
        <body pos="1 0 0"><joint type="ball" springdamper=".2 1"/><geom type="box" size=".1 .2 .3" pos="0 0 1"/></body>
        </body>"""
    ),
}

MODELS |= {
    f"class {theirs.split('=')[0]}, own {own.split('=')[0]}": world(
        f"""<body><joint axis="0 1 0"/><geom class="c" type="box" size=".1 .2 .3" pos=".1 .2 .3" {own}/></body>""",
        f"""<default><default class="c"><geom {theirs}/></default></default>""",
    )
    for theirs, own in [
        ("axisangle='1 0 0 30'", "euler='10 20 30'"),
        ("xyaxes='1 1 0 0 1 1'", "zaxis='1 1 1'"),
        ("euler='10 20 30'", "quat='1 .2 .3 .4'"),
        ("quat='1 .2 .3 .4'", "euler='10 20 30'"),
    ]
}

ARM = """<body><joint name="a" axis="0 1 0" range="-10 30"/><geom size=".1" pos="1 0 0"/>
    <body pos="1 0 0"><joint name="b" axis="0 1 0"/><geom type="box" size=".1 .2 .3" pos="0 0 1"/></body></body>"""
TENDON = """<tendon><fixed name="t" stiffness="3" damping="2" springlength=".1 .2"><joint joint="a" coef="2"/>
    <joint joint="b" coef="-3"/></fixed></tendon>"""
LAYERS = [
    "",
    '<position kp="50"/>',
    '<position kp="50" kv="3" timeconst=".2"/>',
    '<velocity kv="5"/>',
    '<general gainprm="3"/>',
    '<general gainprm="3" biastype="affine" biasprm="1 2 -4" dyntype="filter" dynprm=".7"/>',
    '<cylinder area="6" bias="1 2 3" timeconst=".5"/>',
    '<motor gear="2" ctrlrange="-.1 .1"/>',
    '<intvelocity kp="8" kv="1"/>',
    '<general gainprm="3"/><position kp="50"/>',
    '<position kp="50"/><general gainprm="3"/>',
]
ACTUATORS = """<motor joint="a"/><position joint="a"/><position joint="a" kp="7" kv="2"/><velocity joint="b"/>
    <intvelocity joint="b" actrange="-1 1"/><cylinder joint="b"/><damper joint="b" kv="3" ctrlrange="0 1"/>
    <general joint="a"/><position tendon="t" kp="9" dampratio=".7" gear="2"/><position joint="a" kp="2" inheritrange="1"/>
    <motor tendon="t" forcerange="-.1 .1"/>"""
MODELS |= {
    f"actuators after {layer or 'nothing'}": world(
        ARM, f"<default>{layer}</default>", f"{TENDON}<actuator>{ACTUATORS}</actuator>"
    )
    for layer in LAYERS
}

MODELS |= {
    "a spring of negative lengths": world(
        ARM, after=TENDON.replace(".1 .2", "-.5 -.2") + """<actuator><motor tendon="t"/></actuator>"""
    ),
    "damping instead of a ratio": world(
        ARM,
        """<default><position kp="9" dampratio=".7" timeconst=".1"/></default>""",
        """<actuator><position joint="a" kv="3" timeconst="0"/><position joint="b"/></actuator>""",
    ),
    "controls not clamped": world(
        ARM,
        """<option><flag clampctrl="disable"/></option>""",
        """<actuator><motor joint="a" ctrlrange="-.01 .01"/></actuator>""",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_small_model(name):
    text = MODELS[name]
    m, model = mujoco.MjModel.from_xml_string(text), poinsot.loads(text)
    errors = structure(model, m) | inertias(model, m)
    for seed in range(3):
        for quantity, off in state(model, m, seed).items():
            errors[quantity] = max(off, errors.get(quantity, 0))
    # a tensor off its axes is subject to the search for axes too
    tolerance = TOLERANCE | ({"inertias": 1e-6} if name == "full inertia" else {})
    wrong = {k: e for k, e in errors.items() if not e <= tolerance.get(k, USUAL)}
    assert not wrong




def test_what_a_file_has_besides_its_model_is_warned_of():
    with pytest.warns(poinsot.ModelWarning, match="there|no element <freejiont>"):
        model = poinsot.loads(world("<body><freejiont/><geom size='.1'/></body>"))
    assert model.nv == 0 and model.diagnostics[0].line == 1
