//! `poinsot.ModelBuilder`: sites and sensors.

use crate::builder::{Given, Object, PyModelBuilder, find, pose, wrong};
use poinsot::model::{Frame, FrameQuantity, Measure, Sensor, Shape, Site};
use pyo3::prelude::*;

/// The part that a sensor is attached to, and MJCF's words for what it measures there.
const WORDS: [(&str, &str); 6] = [
    ("joint", "jointpos, jointvel, jointactuatorfrc"),
    ("tendon", "tendonpos, tendonvel"),
    ("actuator", "actuatorpos, actuatorvel, actuatorfrc"),
    (
        "site",
        "gyro, velocimeter, accelerometer, force, torque, touch, framepos, framequat, framelinvel, frameangvel, framelinacc, \
         frameangacc",
    ),
    ("body", "subtreecom, subtreelinvel, subtreeangmom"),
    ("", "clock, e_kinetic, e_potential"),
];

#[pymethods]
impl PyModelBuilder {
    /// Adds a site: a named frame on a body. Returns its number.
    #[pyo3(signature = (name, body, *, pos=None, quat=None))]
    fn site(
        &self,
        name: &str,
        body: &Object<'_>,
        pos: Given<'_, '_>,
        quat: Given<'_, '_>,
    ) -> PyResult<usize> {
        let mut parts = self.parts()?;
        let part = format!("site \"{name}\"");
        let (body, pose) = (parts.body(&part, body)?, pose(&part, pos, quat)?);
        parts.builder.site(Site { name: name.to_string(), body, pose });
        Ok(parts.sites.push(name.to_string(), Frame { body, pose }))
    }

    /// Adds a sensor, by MJCF's word for what it measures, and the part it is attached to. Returns its number.
    ///
    /// joint: "jointpos", "jointvel" (of one coordinate, or a ball), "jointactuatorfrc"; tendon: "tendonpos", "tendonvel"; actuator:
    /// "actuatorpos", "actuatorvel", "actuatorfrc"; site: "gyro", "velocimeter", "accelerometer", "force", "torque" in its own axes, "touch"
    /// (the sum of normal forces on its body from contacts within radius of the site, m),
    /// "framepos", "framequat", "framelinvel", "frameangvel", "framelinacc", "frameangacc" in those of the world; body: "subtreecom",
    /// "subtreelinvel", "subtreeangmom"; nothing: "clock", "e_kinetic", "e_potential".
    /// cutoff: readings are clamped to this.
    #[pyo3(signature = (name, kind, *, joint=None, tendon=None, actuator=None, site=None, body=None, cutoff=None,
                        radius=None))]
    #[allow(clippy::too_many_arguments)] // Python has names for them
    fn sensor(
        &self,
        name: &str,
        kind: &str,
        joint: Given<'_, '_>,
        tendon: Given<'_, '_>,
        actuator: Given<'_, '_>,
        site: Given<'_, '_>,
        body: Given<'_, '_>,
        cutoff: Option<f64>,
        radius: Option<f64>,
    ) -> PyResult<usize> {
        let mut parts = self.parts()?;
        let part = format!("sensor \"{name}\"");
        let given =
            [("joint", joint), ("tendon", tendon), ("actuator", actuator), ("site", site), ("body", body)];
        let wanted = WORDS.iter().find(|(_, words)| words.split(", ").any(|word| word == kind));
        let Some((of, _)) = wanted else {
            let known: Vec<&str> = WORDS.iter().map(|(_, words)| *words).collect();
            return Err(wrong(
                &part,
                format!("there is no kind \"{kind}\"; there are: {}", known.join(", ")),
            ));
        };
        let fits = given.iter().all(|(key, value)| value.is_some() == (key == of));
        if !fits {
            let what =
                if of.is_empty() { "nothing".to_string() } else { format!("a {of}, and nothing else") };
            return Err(wrong(&part, format!("\"{kind}\" looks at {what}")));
        }
        let within = match (kind, radius) {
            ("touch", None) => return Err(wrong(&part, "give the radius within which contacts are felt")),
            (_, radius) if kind == "touch" || radius.is_none() => radius.unwrap_or(0.0),
            _ => return Err(wrong(&part, format!("\"{kind}\" has no radius; leave it out"))),
        };
        let frame = |quantity, of| Measure::Frame { quantity, of, from: None };
        let measure = match given.into_iter().find_map(|(key, value)| Some((key, value?))) {
            Some(("joint", x)) => {
                let id = parts.joint(&part, x)?;
                match kind {
                    "jointpos" => Measure::JointPosition(id),
                    "jointvel" => Measure::JointVelocity(id),
                    _ => Measure::JointActuatorForce(id),
                }
            }
            Some(("tendon", x)) => {
                let id = find(&part, "tendon", &parts.tendons, x)?;
                if kind == "tendonpos" { Measure::TendonLength(id) } else { Measure::TendonVelocity(id) }
            }
            Some(("actuator", x)) => {
                let id = find(&part, "actuator", &parts.actuators, x)?;
                match kind {
                    "actuatorpos" => Measure::ActuatorLength(id),
                    "actuatorvel" => Measure::ActuatorVelocity(id),
                    _ => Measure::ActuatorForce(id),
                }
            }
            Some(("site", x)) => {
                let at = find(&part, "site", &parts.sites, x)?;
                match kind {
                    "gyro" => Measure::Gyro(at),
                    "velocimeter" => Measure::Velocimeter(at),
                    "accelerometer" => Measure::Accelerometer(at),
                    "force" => Measure::Force(at),
                    "torque" => Measure::Torque(at),
                    "touch" => Measure::Touch(at, Shape::Sphere { radius: within }),
                    "framepos" => frame(FrameQuantity::Position, at),
                    "framequat" => frame(FrameQuantity::Quaternion, at),
                    "framelinvel" => frame(FrameQuantity::LinearVelocity, at),
                    "frameangvel" => frame(FrameQuantity::AngularVelocity, at),
                    "framelinacc" => frame(FrameQuantity::LinearAcceleration, at),
                    _ => frame(FrameQuantity::AngularAcceleration, at),
                }
            }
            Some((_, x)) => {
                let id = parts.body(&part, x)?;
                match kind {
                    "subtreecom" => Measure::SubtreeCom(id),
                    "subtreelinvel" => Measure::SubtreeVelocity(id),
                    _ => Measure::SubtreeMomentum(id),
                }
            }
            None => match kind {
                "clock" => Measure::Clock,
                "e_kinetic" => Measure::KineticEnergy,
                _ => Measure::PotentialEnergy,
            },
        };
        parts.builder.sensor(Sensor { name: name.to_string(), measure, cutoff });
        parts.sensors += 1;
        Ok(parts.sensors - 1)
    }
}
