"""What users hold where bodies touch: sensors compared with MuJoCo, contacts, events, tally, certificate; what is said of contact."""

import copy
import pickle
import warnings

import mujoco
import numpy as np
import pytest

import poinsot

PILE = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
  <body name="box" pos="0 0 0.1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" mass="2"/>
    <site name="under" pos="0 0 -0.1" type="box" size="0.2 0.2 0.01"/><site name="top" pos="0 0 0.1" type="box" size="0.2 0.2 0.01"/>
    <site name="aside" pos="0.5 0 0" size="0.05"/>
    <body name="plate" pos="0 0 0.12"><geom name="plate" type="box" size="0.1 0.1 0.02" mass="1"/><site name="seam" pos="0 0 -0.02"/>
      <site name="tray" pos="0 0 0.02" type="cylinder" size="0.1 0.02"/></body></body>
  <body name="block" pos="0 0 0.34"><freejoint/><geom name="block" type="box" size="0.05 0.05 0.1" mass="0.5"/></body></worldbody>
  <sensor><touch name="under" site="under"/><touch name="top" site="top"/><touch name="aside" site="aside"/>
    <touch name="tray" site="tray"/><accelerometer name="acceleration" site="under"/><framelinacc name="lin" objtype="body" objname="box"/>
    <force name="force" site="seam"/><torque name="torque" site="seam"/></sensor></mujoco>"""

BALL = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
  <body name="ball" pos="0 0 0.6"><freejoint/><geom name="ball" size="0.1" mass="2"/></body></worldbody>
  <custom><tuple name="poinsot:restitution"><element objtype="geom" objname="ball" prm="0.5"/></tuple></custom></mujoco>"""


def test_sensors_at_rest_read_what_mujoco_reads():
    m, model = mujoco.MjModel.from_xml_string(PILE), poinsot.loads(PILE)
    assert not model.refused_sensors
    d, sim = mujoco.MjData(m), poinsot.Simulation(model)
    for _ in range(2000):
        mujoco.mj_step(m, d)
    mujoco.mj_forward(m, d)
    sim.step(500)
    exact = {"under": 3.5, "top": 0, "aside": 0, "tray": 0.5, "acceleration": [0, 0, 1], "lin": [0, 0, 1],
             "force": [0, 0, 1.5], "torque": [0, 0, 0]}
    for name, ours in sim.sensors.items():
        weight = np.multiply(exact[name], 9.81)
        assert np.abs(ours - weight).max() < 1e-7, f"{name}: {ours}"
        assert np.abs(ours - d.sensor(name).data).max() < 1e-3 * 3.5 * 9.81, f"{name}: {ours}, MuJoCo {d.sensor(name).data}"


def test_copies_sense_and_go_on_alike():
    sim = poinsot.Simulation(poinsot.loads(PILE))
    sim.step(20)
    other = copy.deepcopy(sim)
    for name, reading in sim.sensors.items():
        assert (other.sensor(name) == reading).all(), name
    sim.step()
    other.step()
    assert (sim.q == other.q).all() and (sim.contact_events == other.contact_events).all()
    assert set(sim.contact_events["kind"]) == {"persist"}


def test_contacts_and_events():
    sim = poinsot.Simulation(poinsot.loads(BALL))
    sim.step(1000)
    events = sim.contact_events
    impact = events[0]
    assert impact["kind"] == "impact" and list(impact["geoms"]) == [0, 1] and list(impact["bodies"]) == [0, 1]
    assert abs(impact["time"] - (2 * 0.5 / 9.81) ** 0.5) < 1e-9
    speed = (2 * 9.81 * 0.5) ** 0.5
    assert abs(impact["velocity_before"][2] + speed) < 1e-8 and abs(impact["velocity_after"][2] - 0.5 * speed) < 1e-8
    assert abs(impact["impulse"][2] - 2 * 1.5 * speed) < 1e-8 and abs(impact["position"][2]) < 1e-9
    assert "begin" in events["kind"] and "persist" not in events["kind"] and (np.diff(events["time"]) >= 0).all()
    kinds = [kind for _, kind, name in sim.events if name == "floor and ball"]
    assert kinds[0] == "impact" and "begin" in kinds, sim.events
    contact, = sim.contacts
    assert abs(contact["force"][2] - 2 * 9.81) < 1e-6 and abs(contact["impulse"][2] - 2 * 9.81 * sim.dt) < 1e-8
    assert contact["normal"][2] == 1 and abs(contact["gap"]) < 1e-6 and np.abs(contact["velocity"]).max() < 1e-6
    sim.v = [0, 0, 3, 0, 0, 0]  # thrown up
    assert len(sim.contact_events) == 0
    tally = sim.tally["contacts"]
    assert tally == {"most": 0, "collisions": 0, "residual": 0.0, "penetration": 0.0, "rested": 0, "unsolved": 0}
    sim.step(100)
    assert len(sim.contact_events) == 0


@pytest.mark.parametrize("e, bounces", [(1, 20), (0.7, 1), (0.3, 1), (0, 1)])
def test_a_ball_rises_to_its_apex(e, bounces):
    b = poinsot.ModelBuilder("ball")
    b.geom("world", "plane")
    b.body("ball", pos=(0, 0, 1.1))
    b.solid("ball", "sphere", 1.0, radius=0.1, restitution=e)
    b.joint("ball", "free")
    sim = poinsot.Simulation(b.build(), dt=1e-3)
    fall = (2 / 9.81) ** 0.5
    sim.run(fall * (2 * bounces - 1) + 0.5 * e * fall)  # on the way up from the last of them
    apex = 0.0
    while sim.time < fall * (2 * bounces - 1 + 1.5 * e):
        sim.step()
        apex = max(apex, sim.q[2] - 0.1)
    assert abs(apex - e * e) < 1e-3 * max(e * e, 1e-6)


def test_an_end_is_an_event():
    sim = poinsot.Simulation(poinsot.loads(BALL.replace("0 0 0.6", "0 0 0.1")))
    sim.step(10)
    sim.apply_force("ball", [0, 0, 100])
    sim.step(10)
    assert list(sim.contact_events["kind"]) == ["end"]
    assert [kind for _, kind, _ in sim.events] == ["end"]


def test_tally_and_certificate():
    sim = poinsot.Simulation(poinsot.loads(PILE))
    assert sim.certificate is None
    sim.step(50)
    worst = sim.tally["contacts"]
    assert worst["most"] == 8 and worst["unsolved"] == 0 and worst["residual"] < 1e-8 and worst["penetration"] < 1e-6
    found = sim.certificate
    assert (found["status"], found["reason"]) in (("solved", ""), ("not unique", "other impulses give the same velocities"))
    assert found["iterations"] == found["sweeps"] + found["newton_steps"] + found["interior_steps"] + found["pivots"]
    assert sim.drift().momentum is None  # the floor holds it


def test_runge_kutta_of_files_touches():
    model = poinsot.loads(BALL.replace("<worldbody>", '<option integrator="RK4"/><worldbody>'))
    assert model.integrator == "leapfrog" and poinsot.Simulation(model).contact == "exact"
    assert any("geoms that may touch" in d.message for d in model.diagnostics)


def test_contact_that_is_asked_for_in_vain_is_said():
    off = poinsot.loads(BALL.replace("<worldbody>", '<option><flag contact="disable"/></option><worldbody>'))
    with pytest.warns(poinsot.StepWarning, match="no effect: contact is switched off"):
        poinsot.Simulation(off, contact="exact")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        poinsot.Simulation(off)
        poinsot.Simulation(poinsot.loads(BALL), contact="exact")


def test_bad_surfaces_are_refused_where_they_stand():
    with pytest.raises(poinsot.ModelError, match="poinsot:restitution is 1.5"):
        poinsot.loads(BALL.replace('prm="0.5"', 'prm="1.5"'))
    with pytest.raises(poinsot.ModelError, match="did you mean"):
        poinsot.loads(BALL.replace("poinsot:restitution", "Poinsot:Restitution"))


def test_the_builder_makes_floors_and_surfaces():
    b = poinsot.ModelBuilder("a block on a mat")
    b.geom("world", "plane", name="mat", friction=0.3, stiffness=2e4, damping=200.0)
    b.body("block", pos=(0, 0, 0.1))
    b.solid("block", "box", 2.0, size=(0.2, 0.2, 0.2), friction=(0.1, 0.0, 0.0), restitution=0.5, priority=0)
    b.joint("block", "free")
    b.site("under", "block", pos=(0, 0, -0.1))
    b.sensor("pressed", "touch", site="under", radius=1.0)
    model = b.build()
    assert [g["friction"][0] for g in model.geoms] == [0.3, 0.1] and model.geoms[1]["restitution"] == 0.5
    sim = poinsot.Simulation(model, integrator="leapfrog")
    assert sim.contact == "exact"
    sim.step(1000)
    # four springs side by side yield
    assert abs(sim.q[2] - 0.1 + 2 * 9.81 / (4 * 2e4)) < 1e-6 and abs(sim.sensor("pressed") - 2 * 9.81) < 1e-5
    for keywords, message in [
        ({"restitution": 1.5}, "restitution is 1.5"),
        ({"friction": -1.0}, "friction is -1"),
        ({"stiffness": -1.0}, "stiffness is -1"),
        ({"damping": 1.0}, "no stiffness"),
        ({"bounce": 1.0}, "has no bounce"),
        ({"condim": 2}, "not in 2"),
    ]:
        b = poinsot.ModelBuilder("bad")
        with pytest.raises((ValueError, TypeError, poinsot.ModelError), match=message):
            b.geom("world", "plane", **keywords)
            b.build()


def test_integrators_that_step_no_contacts_say_so():
    model = poinsot.loads(BALL)
    with pytest.warns(poinsot.StepWarning, match="pass through each other: backward does not support contact"):
        poinsot.Simulation(model, integrator="backward")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        poinsot.Simulation(model, integrator="backward", contact=None)


def test_a_ball_falls_from_event_to_event():
    model = poinsot.loads(BALL)
    sim = poinsot.Simulation(model, dt=0.01, stepping="events")
    assert sim.integrator == "adaptive"
    impacts = []
    for _ in range(200):
        sim.step()
        impacts += [c["time"] for c in sim.collisions]
    fall = np.sqrt(2.0 * 0.5 / 9.81)
    assert np.allclose(impacts[:3], [fall, 2.0 * fall, 2.5 * fall], rtol=0, atol=1e-11)
    assert abs(sim.q[2] - 0.1) < 1e-12 and sim.certificate["level"] == "acceleration"
    with pytest.raises(ValueError, match="leapfrog"):
        poinsot.Simulation(model, integrator="leapfrog", stepping="events")


BROKEN = """<mujoco><asset><mesh name="m" file="bad.stl"/></asset><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom name="hull" type="mesh" mesh="m"/></body>
  <body pos="1 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""


@pytest.mark.filterwarnings("ignore::poinsot.ModelWarning")
@pytest.mark.parametrize("contact", ["auto", "exact"])
def test_a_geom_that_cannot_be_read_is_left_out_alone(contact, tmp_path):
    (tmp_path / "bad.stl").write_text("no triangles")
    (tmp_path / "model.xml").write_text(BROKEN)
    model = poinsot.load(tmp_path / "model.xml")
    with pytest.warns(poinsot.StepWarning, match='contact of this geom.*"hull" .hull..*bad.stl') as found:
        sim = poinsot.Simulation(model, contact=contact)
        again = copy.deepcopy(sim)
    assert len(found) == 1
    sim.run(1.5)
    again.run(1.5)
    assert sim.contact == "exact" and sim.q[2] < -5 and abs(sim.q[9] - 0.1) < 1e-6
    assert (again.q == sim.q).all()
    with pytest.warns(poinsot.StepWarning, match="contacts are not found: .*bad.stl"):
        assert len(model.contacts(sim.q, 1e-3)) == 1


FOOT = """<robot name="r"><link name="trunk"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  <collision><origin xyz="0 0 -0.4"/><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""


def test_a_ground_under_a_robot(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(FOOT)
    with pytest.warns(poinsot.ModelWarning, match='"trunk" falls forever: there is nothing below it'):
        model = poinsot.load(path, floating_base=True)
    with pytest.warns(poinsot.ModelWarning, match="falls forever"):
        poinsot.loads(FOOT, "r.urdf", floating_base=True)
    for ground, z in [(True, -0.5), (-1.0, -1.0), (np.float64(-0.6), -0.6)]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            models = [
                poinsot.load(path, floating_base=True, ground=ground),
                poinsot.loads(FOOT, "r.urdf", floating_base=True, ground=ground),
            ]
        for model in models + [pickle.loads(pickle.dumps(m)) for m in models]:
            sim = poinsot.Simulation(model)
            sim.run(1.0)
            assert abs(sim.q[2] - z - 0.5) < 1e-6
    with pytest.raises(ValueError, match="give True, False or a height"):
        poinsot.load(path, ground="low")
