//! Sites and sensors.

use super::{Ids, Names};
use crate::description::{Description, JointType, Sensor, TendonPath};
use crate::diagnostic::Report;
use poinsot_core::model::{
    self, ActuatorId, BodyId, Frame, FrameQuantity, LimitQuantity, Measure, ModelBuilder, NearestQuantity,
    Shape, TendonId,
};
use poinsot_core::spatial::Pose;

/// What a sensor observes, by index in the description.
#[allow(clippy::large_enum_variant)] // made one at a time
enum Object {
    Nothing,
    Joint(usize),
    Tendon(usize),
    Actuator(usize),
    Body(usize),
    Frame { of: Placed, from: Option<Placed> },
    Skin { of: Placed, within: Shape },
    Geoms { of: Vec<usize>, to: Vec<usize>, within: f64 },
}

/// A frame: the number of its body, its pose there, and whether its axes are known.
#[derive(Clone, Copy)]
struct Placed {
    body: usize,
    pose: Pose,
    turned: bool,
}

/// The sensors of a file that are not evaluated, by name, and why.
///
/// ```
/// let text = r#"<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/><site name="s"/></body></worldbody>
///   <sensor><jointpos name="angle" joint="j"/><magnetometer name="north" site="s"/></sensor></mujoco>"#;
/// let loaded = poinsot_formats::load_text("arm.xml", text, &Default::default())?;
/// assert_eq!(loaded.model.sensors()[0].name, "angle");
/// let refused = poinsot_formats::refused_sensors(&loaded.description);
/// assert_eq!(refused, [("north".to_string(), "there is no magnetic field".to_string())]);
/// # Ok::<(), poinsot_formats::LoadError>(())
/// ```
pub fn refused_sensors(description: &Description) -> Vec<(String, String)> {
    let names = Names::new(description);
    let all = description.sensors.iter().zip(&names.sensors);
    all.filter_map(|(s, name)| Some((name.clone(), object(description, s).err()?))).collect()
}

/// Adds all sites, and the sensors that can be evaluated; a note for each kind of the others.
pub(super) fn add(
    builder: &mut ModelBuilder,
    description: &Description,
    names: &Names,
    ids: &Ids,
    (tendons, actuators): (&[Option<TendonId>], &[Option<ActuatorId>]),
    report: &mut Report,
) {
    for ((body, site), name) in description.sites().zip(&names.sites) {
        builder.site(model::Site { name: name.clone(), body: ids.bodies[body], pose: site.pose });
    }
    let mut refused: Vec<(&Sensor, &str, String, usize)> = Vec::new();
    for (sensor, name) in description.sensors.iter().zip(&names.sensors) {
        let made = object(description, sensor).and_then(|object| {
            let tendon = |k: usize| tendons[k].ok_or_else(|| "its tendon is not simulated".to_string());
            let actuator = |k: usize| actuators[k].ok_or_else(|| "its actuator is not simulated".to_string());
            measure(&sensor.word, &object, ids, tendon, actuator)
        });
        match made {
            Ok(measure) => {
                // for distances it is the range of the search; normals and points are not clamped
                let cuts = sensor.cutoff > 0.0
                    && sensor.cutoff.is_finite()
                    && !matches!(measure, Measure::Nearest { .. });
                let cutoff = cuts.then_some(sensor.cutoff);
                builder.sensor(model::Sensor { name: name.clone(), measure, cutoff });
            }
            Err(why) => match refused.iter_mut().find(|(s, _, w, _)| s.word == sensor.word && *w == why) {
                Some((.., count)) => *count += 1,
                None => refused.push((sensor, name, why, 1)),
            },
        }
    }
    for (sensor, name, why, count) in refused {
        let more = if count == 1 { String::new() } else { format!(" and {} more", count - 1) };
        let message = format!("{} sensor \"{name}\"{more}: not evaluated, for {why}", sensor.word);
        let what = format!("{} sensors ({count})", sensor.word);
        report.not_simulated(description.format, what, message).at(sensor.place);
    }
}

/// What a sensor observes, or why it is not evaluated.
fn object(d: &Description, sensor: &Sensor) -> Result<Object, String> {
    let named = |key: &str| sensor.names.iter().find(|(k, _)| k == key).map(|(_, name)| name.as_str());
    let wanted = |key: &str| named(key).ok_or_else(|| format!("it names no {key}"));
    let missing = |kind: &str, name: &str| format!("there is no {kind} \"{name}\"");
    if ["delay", "interval", "nsample"].iter().any(|key| named(key).is_some()) {
        return Err("delayed and sampled readings are not kept".into());
    }
    let joint = |fits: fn(JointType) -> bool| {
        let name = wanted("joint")?;
        let found = d.joints().position(|(_, j)| j.name == name).ok_or_else(|| missing("joint", name))?;
        let kind = d.joints().nth(found).map(|(_, j)| j.kind);
        if kind.is_some_and(fits) {
            Ok(Object::Joint(found))
        } else {
            Err("its joint is of another kind".into())
        }
    };
    let single = |kind: JointType| matches!(kind, JointType::Hinge | JointType::Slide);
    let site = || {
        let name = wanted("site")?;
        let of = placed(d, "site", name).ok_or_else(|| missing("site", name))?;
        Ok(Object::Frame { of, from: None })
    };
    match sensor.word.as_str() {
        "clock" | "e_kinetic" | "e_potential" => Ok(Object::Nothing),
        "jointpos" | "jointvel" | "jointactuatorfrc" | "jointlimitpos" | "jointlimitvel"
        | "jointlimitfrc" => joint(single),
        "ballquat" | "ballangvel" => joint(|kind| kind == JointType::Ball),
        "tendonpos" | "tendonvel" => {
            let name = wanted("tendon")?;
            let found =
                d.tendons.iter().position(|t| t.name == name).ok_or_else(|| missing("tendon", name))?;
            match d.tendons[found].path {
                TendonPath::Fixed(_) => Ok(Object::Tendon(found)),
                _ => Err("spatial tendons are not simulated".into()),
            }
        }
        "actuatorpos" | "actuatorvel" | "actuatorfrc" => {
            let name = wanted("actuator")?;
            let found = d.actuators.iter().position(|a| a.name == name);
            found.map(Object::Actuator).ok_or_else(|| missing("actuator", name))
        }
        "gyro" | "velocimeter" | "accelerometer" | "force" | "torque" => site(),
        "rangefinder" if named("data").is_some() => Err("of rays only the distance is read".into()),
        "rangefinder" if named("camera").is_some() => Err("cameras cast no rays".into()),
        "rangefinder" => site(),
        "subtreecom" | "subtreelinvel" | "subtreeangmom" => {
            let name = wanted("body")?;
            let found = d.bodies.iter().position(|b| b.name == name);
            found.map(Object::Body).ok_or_else(|| missing("body", name))
        }
        word if quantity(word).is_some() => {
            let (kind, name) = (wanted("objtype")?, wanted("objname")?);
            let of = placed(d, kind, name).ok_or_else(|| missing(kind, name))?;
            let from = match (named("reftype"), named("refname")) {
                (Some(kind), Some(name)) => Some(placed(d, kind, name).ok_or_else(|| missing(kind, name))?),
                _ => None,
            };
            let turning = matches!(quantity(word), Some(FrameQuantity::Quaternion | FrameQuantity::Axis(_)));
            if (turning && !of.turned) || from.is_some_and(|from| !from.turned) {
                return Err("the axes of a body's inertia are not kept; use \"xbody\"".into());
            }
            Ok(Object::Frame { of, from })
        }
        "touch" => {
            let name = wanted("site")?;
            let found = d.sites().find(|(_, s)| s.name == name).ok_or_else(|| missing("site", name))?;
            let of = Placed { body: found.0, pose: found.1.pose, turned: true };
            Ok(Object::Skin { of, within: found.1.shape.clone() })
        }
        "contact" | "tactile" => Err("of contacts only the force on a site is read (touch)".into()),
        "distance" | "normal" | "fromto" => {
            let set = |geom: &str, body: &str| match (named(geom), named(body)) {
                (Some(name), _) => {
                    let found = d.geoms().position(|(_, g)| g.geom.name == name);
                    found.map(|k| vec![k]).ok_or_else(|| missing("geom", name))
                }
                (None, Some(name)) => {
                    let of =
                        d.bodies.iter().position(|b| b.name == name).ok_or_else(|| missing("body", name))?;
                    let geoms = d.geoms().enumerate().filter(|(_, (body, _))| *body == of);
                    Ok(geoms.map(|(k, _)| k).collect())
                }
                _ => Err(format!("it names no {geom} or {body}")),
            };
            let (of, to) = (set("geom1", "body1")?, set("geom2", "body2")?);
            Ok(Object::Geoms { of, to, within: sensor.cutoff })
        }
        "magnetometer" => Err("there is no magnetic field".into()),
        "tendonlimitpos" | "tendonlimitvel" | "tendonlimitfrc" => {
            Err("of limits only those of joints are read".into())
        }
        "user" | "plugin" => Err("it is computed by code outside the file".into()),
        _ => Err("sensors of this kind are not known".into()),
    }
}

fn placed(d: &Description, kind: &str, name: &str) -> Option<Placed> {
    let at = |body: usize, pose: Pose| Placed { body, pose, turned: true };
    let body = || d.bodies.iter().position(|b| b.name == name);
    match kind {
        "xbody" => Some(at(body()?, Pose::IDENTITY)),
        "body" => {
            let (number, inertia) = (body()?, d.bodies[body()?].inertia);
            let com = if inertia.mass > 0.0 { inertia.com() } else { poinsot_core::algebra::V3::ZERO };
            Some(Placed { body: number, pose: Pose::translation(com), turned: false })
        }
        "site" => d.sites().find(|(_, s)| s.name == name).map(|(b, s)| at(b, s.pose)),
        "geom" => d.geoms().find(|(_, g)| g.geom.name == name).map(|(b, g)| at(b, g.geom.pose)),
        "camera" => {
            let cameras =
                d.bodies.iter().enumerate().flat_map(|(k, b)| b.cameras.iter().map(move |c| (k, c)));
            cameras.into_iter().find(|(_, c)| c.name == name && c.mode == "fixed").map(|(b, c)| at(b, c.pose))
        }
        _ => None,
    }
}

fn quantity(word: &str) -> Option<FrameQuantity> {
    Some(match word {
        "framepos" => FrameQuantity::Position,
        "framequat" => FrameQuantity::Quaternion,
        "framexaxis" => FrameQuantity::Axis(0),
        "frameyaxis" => FrameQuantity::Axis(1),
        "framezaxis" => FrameQuantity::Axis(2),
        "framelinvel" => FrameQuantity::LinearVelocity,
        "frameangvel" => FrameQuantity::AngularVelocity,
        "framelinacc" => FrameQuantity::LinearAcceleration,
        "frameangacc" => FrameQuantity::AngularAcceleration,
        _ => return None,
    })
}

fn measure(
    word: &str,
    object: &Object,
    ids: &Ids,
    tendon: impl Fn(usize) -> Result<TendonId, String>,
    actuator: impl Fn(usize) -> Result<ActuatorId, String>,
) -> Result<Measure, String> {
    let frame = |p: Placed| Frame { body: ids.bodies[p.body], pose: p.pose };
    let body = |k: usize| -> BodyId { ids.bodies[k] };
    Ok(match (word, object) {
        ("clock", _) => Measure::Clock,
        ("e_kinetic", _) => Measure::KineticEnergy,
        ("e_potential", _) => Measure::PotentialEnergy,
        ("jointpos" | "ballquat", Object::Joint(k)) => Measure::JointPosition(ids.joints[*k]),
        ("jointvel" | "ballangvel", Object::Joint(k)) => Measure::JointVelocity(ids.joints[*k]),
        ("jointlimitpos", Object::Joint(k)) => Measure::JointLimit(ids.joints[*k], LimitQuantity::Distance),
        ("jointlimitvel", Object::Joint(k)) => Measure::JointLimit(ids.joints[*k], LimitQuantity::Rate),
        ("jointlimitfrc", Object::Joint(k)) => Measure::JointLimit(ids.joints[*k], LimitQuantity::Force),
        (_, Object::Joint(k)) => Measure::JointActuatorForce(ids.joints[*k]),
        ("tendonpos", Object::Tendon(k)) => Measure::TendonLength(tendon(*k)?),
        (_, Object::Tendon(k)) => Measure::TendonVelocity(tendon(*k)?),
        ("actuatorpos", Object::Actuator(k)) => Measure::ActuatorLength(actuator(*k)?),
        ("actuatorvel", Object::Actuator(k)) => Measure::ActuatorVelocity(actuator(*k)?),
        (_, Object::Actuator(k)) => Measure::ActuatorForce(actuator(*k)?),
        ("subtreecom", Object::Body(k)) => Measure::SubtreeCom(body(*k)),
        ("subtreelinvel", Object::Body(k)) => Measure::SubtreeVelocity(body(*k)),
        (_, Object::Body(k)) => Measure::SubtreeMomentum(body(*k)),
        ("gyro", Object::Frame { of, .. }) => Measure::Gyro(frame(*of)),
        ("velocimeter", Object::Frame { of, .. }) => Measure::Velocimeter(frame(*of)),
        ("accelerometer", Object::Frame { of, .. }) => Measure::Accelerometer(frame(*of)),
        ("force", Object::Frame { of, .. }) => Measure::Force(frame(*of)),
        ("torque", Object::Frame { of, .. }) => Measure::Torque(frame(*of)),
        ("rangefinder", Object::Frame { of, .. }) => Measure::Range(frame(*of)),
        (word, Object::Geoms { of, to, within }) => {
            let quantity = match word {
                "distance" => NearestQuantity::Distance,
                "normal" => NearestQuantity::Normal,
                _ => NearestQuantity::Points,
            };
            let geoms = |set: &[usize]| set.iter().map(|k| ids.geoms[*k]).collect();
            Measure::Nearest { quantity, of: geoms(of), to: geoms(to), within: *within }
        }
        (_, Object::Skin { of, within }) => Measure::Touch(frame(*of), within.clone()),
        (word, Object::Frame { of, from }) => {
            let quantity = quantity(word).ok_or("sensors of this kind are not known")?;
            Measure::Frame { quantity, of: frame(*of), from: from.map(frame) }
        }
        (_, Object::Nothing) => return Err("sensors of this kind are not known".into()),
    })
}
