//! `poinsot figure poinsot`: the ellipsoid of a free rotor that rolls on a plane, and all the paths it could take.

mod course;
mod panel;
mod picture;
mod svg;

use crate::failure::{Outcome, failure};
use crate::output::Target;
use crate::{Screen, numbers, report};
use clap::Args;
use course::Course;
use panel::Panel;
use poinsot::algebra::{Sym3, V3};
use poinsot::free::FreeBody;
use poinsot::spatial::Inertia;
use poinsot_view::film;
use std::path::{Path, PathBuf};

/// Poinsot's construction: the ellipsoid that rolls on a plane, its polhode and herpolhode
///
/// Left: in the space of angular velocities the ellipsoid of constant energy, fixed to the body, rolls without slipping on
/// a plane that never moves; the point of contact draws the polhode on it and the herpolhode on the plane. Right: all
/// polhodes on that ellipsoid, and the separatrix through its intermediate axis that divides them.
#[derive(Args)]
pub struct Poinsot {
    /// The three principal moments of inertia, kg m²
    #[arg(long, value_name = "A,B,C", default_value = "1,2,3", allow_hyphen_values = true)]
    moments: String,
    /// The initial angular velocity about the three principal axes, rad/s
    #[arg(long, value_name = "X,Y,Z", default_value = "0.8,1.6,0.2", allow_hyphen_values = true)]
    spin: String,
    /// The picture to write: a .png, .svg or .gif file
    #[arg(long, value_name = "FILE", default_value = "poinsot.png")]
    out: PathBuf,
    /// Its width and height, in pixels
    #[arg(long, value_name = "WxH", default_value = "1200x600", value_parser = size)]
    size: (usize, usize),
}

/// Pictures of a film, and how many a second.
const FILM: (usize, f64) = (150, 20.0);

/// "1200x800".
fn size(text: &str) -> Result<(usize, usize), String> {
    let pair = text.split_once(['x', 'X', '×']).map(|(w, h)| (w.trim().parse(), h.trim().parse()));
    match pair {
        Some((Ok(w @ 64..=8192), Ok(h @ 64..=8192))) => Ok((w, h)),
        _ => Err("give width and height from 64 to 8192 dots, as in 1200x800".into()),
    }
}

impl Poinsot {
    pub fn execute(self, screen: Screen) -> Outcome<u8> {
        let ending = self.out.extension().map(|e| e.to_string_lossy().to_lowercase());
        let ending = ending.filter(|e| ["png", "svg", "gif"].contains(&e.as_str())).ok_or_else(|| {
            failure(format!("{}: this figure is drawn as .png, .svg or .gif", self.out.display()))
                .help("use one of these file extensions for --out")
        })?;
        let course = Course::new(&self.body()?, self.spin()?);
        match ending.as_str() {
            "gif" => self.film(&course)?,
            "svg" => write(&self.out, svg::drawn(&still(&course), self.size).as_bytes())?,
            _ => write(&self.out, &picture::painted(&still(&course), self.size, 3).png())?,
        }
        if screen.json {
            let object = serde_json::json!({
                "out": self.out.display().to_string(), "period": course.period, "energy": 0.5 * course.twice,
                "angular_momentum": course.momentum, "distance_of_plane": course.twice / course.momentum,
            });
            report::print(&format!("{object:#}\n"))?;
        } else {
            report::print(&format!("  drawn   {}\n", self.out.display()))?;
        }
        Ok(0)
    }

    fn body(&self) -> Outcome<FreeBody> {
        let [a, b, c] = three("--moments", &self.moments)?;
        let inertia = Inertia::new(1.0, V3::ZERO, Sym3::diagonal(a, b, c));
        let body = inertia.map_err(|e| failure(e).while_doing("--moments"))?;
        FreeBody::new(&body).map_err(|e| failure(e).while_doing("--moments"))
    }

    fn spin(&self) -> Outcome<V3> {
        let spin = V3::from(three("--spin", &self.spin)?);
        if spin.norm() > 1e-100 && spin.norm() < 1e100 {
            return Ok(spin);
        }
        Err(failure("--spin: a body that does not turn has no ellipsoid")
            .help("give it a spin, as in 0.8,1.6,0.2"))
    }

    fn film(&self, course: &Course) -> Outcome<()> {
        let (count, rate) = FILM;
        let mut film = film::create(&self.out, rate)?;
        for k in 1..=count {
            let panels = panels(course, k as f64 / count as f64);
            film.frame(&picture::painted(&panels, self.size, 2))?;
        }
        Ok(film.finish()?)
    }
}

fn still(course: &Course) -> [Panel; 2] {
    panels(course, panel::best_seen(course))
}

fn panels(course: &Course, share: f64) -> [Panel; 2] {
    [panel::rolling(course, share), panel::family(course, share)]
}

fn three(flag: &str, text: &str) -> Outcome<[f64; 3]> {
    let list = numbers::read(flag, text)?;
    let count = list.len();
    <[f64; 3]>::try_from(list)
        .map_err(|_| failure(format!("{flag} has {count} numbers; give three, as in 1,2,3")))
}

fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    Target::create(path)?.fill(bytes)
}
