//! The settings of `<compiler>` and the orientations that depend on them.

use super::attributes::Attributes;
use crate::diagnostic::Report;
use crate::root::{Outside, Root};
use poinsot_core::algebra::{M3, V3};
use poinsot_core::spatial::{Quat, exp_so3};
use std::path::{Path, PathBuf};

/// The ways to give an orientation.
pub(super) const ORIENTATIONS: [&str; 5] = ["axisangle", "euler", "xyaxes", "zaxis", "quat"];

/// Whether a body's inertia comes from its geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromGeoms {
    Never,
    Always,
    /// Where no `<inertial>` is given.
    Missing,
}

/// What `<compiler>` says.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    /// Radians per unit of angle.
    pub angle: f64,
    euler: [(V3, bool); 3],
    pub autolimits: bool,
    pub bound_mass: f64,
    pub bound_inertia: f64,
    pub balance_inertia: bool,
    pub total_mass: f64,
    pub from_geoms: FromGeoms,
    pub groups: (i64, i64),
    pub fit_aabb: bool,
    strip_path: bool,
    mesh_dir: PathBuf,
    texture_dir: PathBuf,
    /// The folder of the main file.
    folder: PathBuf,
    root: Root,
}

impl Compiler {
    pub fn new(path: &Path, root: &Root) -> Compiler {
        Compiler {
            angle: 1f64.to_radians(),
            euler: [(V3::X, true), (V3::Y, true), (V3::Z, true)],
            autolimits: true,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance_inertia: false,
            total_mass: -1.0,
            from_geoms: FromGeoms::Missing,
            groups: (0, 5),
            fit_aabb: false,
            strip_path: false,
            mesh_dir: PathBuf::new(),
            texture_dir: PathBuf::new(),
            folder: path.parent().unwrap_or(Path::new("")).to_path_buf(),
            root: root.clone(),
        }
    }

    /// Applies the settings of one `<compiler>`.
    pub fn read(&mut self, report: &mut Report, a: Attributes) {
        match a.word(report, "angle", &["radian", "degree"]) {
            Some("radian") => self.angle = 1.0,
            Some(_) => self.angle = 1f64.to_radians(),
            None => {}
        }
        if a.text("coordinate") == Some("global") {
            let help = "use local coordinates: MuJoCo 2.3.3 and older can load and save such a model";
            let error = report.error("mjcf::global-coordinates", "global coordinates are not supported");
            error.at(a.place()).help(help);
        }
        if let Some(attribute) = a.get("eulerseq") {
            match euler_sequence(&attribute.value) {
                Some(sequence) => self.euler = sequence,
                None => {
                    let message = format!("`eulerseq` is \"{}\"", attribute.value);
                    let error = report.error("mjcf::bad-keyword", message).at(attribute.place);
                    error.help("give three letters of xyz (moving axes) or XYZ (fixed axes)");
                }
            }
        }
        for (name, flag) in [
            ("autolimits", &mut self.autolimits),
            ("balanceinertia", &mut self.balance_inertia),
            ("fitaabb", &mut self.fit_aabb),
            ("strippath", &mut self.strip_path),
        ] {
            *flag = a.flag_or(report, name, *flag);
        }
        for (name, number) in [
            ("boundmass", &mut self.bound_mass),
            ("boundinertia", &mut self.bound_inertia),
            ("settotalmass", &mut self.total_mass),
        ] {
            *number = a.number_or(report, name, *number);
        }
        for (name, kept) in [
            (
                "fusestatic",
                "bodies without joints are kept, not fused with their parents; the model moves the same",
            ),
            ("alignfree", "the frames of free bodies stay as they are given, not aligned with the inertia"),
            ("discardvisual", "geoms that are only displayed are kept"),
        ] {
            if a.flag_or(report, name, false) {
                report.warning("mjcf::kept", format!("`{name}`: {kept}")).place =
                    a.get(name).map(|x| x.place);
            }
        }
        match a.word(report, "inertiafromgeom", &["false", "true", "auto"]) {
            Some("false") => self.from_geoms = FromGeoms::Never,
            Some("true") => self.from_geoms = FromGeoms::Always,
            Some(_) => self.from_geoms = FromGeoms::Missing,
            None => {}
        }
        if let Some([low, high]) = a.exact::<2>(report, "inertiagrouprange") {
            self.groups = (low as i64, high as i64);
        }
        if let Some(folder) = a.text("assetdir") {
            (self.mesh_dir, self.texture_dir) = (folder.into(), folder.into());
        }
        if let Some(folder) = a.text("meshdir") {
            self.mesh_dir = folder.into();
        }
        if let Some(folder) = a.text("texturedir") {
            self.texture_dir = folder.into();
        }
    }

    /// The path of a mesh or height field.
    pub fn mesh_file(&self, name: &str) -> Result<PathBuf, Outside> {
        self.asset(&self.mesh_dir, name)
    }
    /// The path of a texture.
    pub fn texture_file(&self, name: &str) -> Result<PathBuf, Outside> {
        self.asset(&self.texture_dir, name)
    }
    fn asset(&self, dir: &Path, name: &str) -> Result<PathBuf, Outside> {
        let bare = Path::new(name).file_name().filter(|_| self.strip_path);
        // joining an absolute path replaces the part before it
        self.root.admit(&self.folder.join(dir).join(bare.map_or(Path::new(name), Path::new)))
    }

    /// The rotation of an element, given in any of five ways; if in none, the identity.
    pub fn rotation(&self, report: &mut Report, a: Attributes) -> M3 {
        self.given_rotation(report, a).unwrap_or(M3::IDENTITY)
    }

    fn given_rotation(&self, report: &mut Report, a: Attributes) -> Option<M3> {
        let way = a.nearest(report, &ORIENTATIONS)?;
        let rotation = match way {
            "axisangle" => {
                let [x, y, z, angle] = a.exact::<4>(report, way)?;
                V3::new(x, y, z).unit().map(|axis| exp_so3(axis * (angle * self.angle)))
            }
            "euler" => Some(self.euler_rotation(a.exact::<3>(report, way)?.map(|x| x * self.angle))),
            "xyaxes" => {
                let [x0, x1, x2, y0, y1, y2] = a.exact::<6>(report, way)?;
                from_axes(V3::new(x0, x1, x2), V3::new(y0, y1, y2))
            }
            "zaxis" => a.vector(report, way)?.unit().map(turn_z_to),
            _ => {
                let [w, x, y, z] = a.exact::<4>(report, way)?;
                let quat = Quat { w, x, y, z };
                (quat.norm() > 1e-15).then(|| quat.normalized().matrix())
            }
        };
        if rotation.is_none() {
            let message = format!("`{way}` gives no direction");
            let error = report.error("mjcf::bad-orientation", message);
            error.help("its vectors must not be 0, nor parallel").place = a.get(way).map(|x| x.place);
        }
        rotation
    }

    /// Three rotations about the axes of `eulerseq`: moving axes multiply on the right, fixed ones on the left.
    pub fn euler_rotation(&self, angles: [f64; 3]) -> M3 {
        let mut rotation = M3::IDENTITY;
        for ((axis, moving), angle) in self.euler.iter().zip(angles) {
            let turn = exp_so3(*axis * angle);
            rotation = if *moving { rotation * turn } else { turn * rotation };
        }
        rotation
    }
}

fn euler_sequence(text: &str) -> Option<[(V3, bool); 3]> {
    let axis = |c: char| {
        let axis = match c.to_ascii_lowercase() {
            'x' => V3::X,
            'y' => V3::Y,
            'z' => V3::Z,
            _ => return None,
        };
        Some((axis, c.is_ascii_lowercase()))
    };
    let letters: Vec<char> = text.trim().chars().collect();
    let [a, b, c] = letters[..] else { return None };
    Some([axis(a)?, axis(b)?, axis(c)?])
}

/// The frame with this x axis and y axis; the second is made orthogonal to the first.
fn from_axes(x: V3, y: V3) -> Option<M3> {
    let x = x.unit()?;
    let y = (y - x * x.dot(y)).unit()?;
    Some(M3::columns(x, y, x.cross(y)))
}

/// The smallest rotation that takes z to the unit vector `to`.
pub(super) fn turn_z_to(to: V3) -> M3 {
    let axis = V3::Z.cross(to);
    let (sin, cos) = (axis.norm(), to.z);
    match axis.unit() {
        Some(axis) => exp_so3(axis * libm::atan2(sin, cos)),
        None if cos > 0.0 => M3::IDENTITY,
        // any half turn about an axis perpendicular to z
        None => M3::columns(V3::X, -V3::Y, -V3::Z),
    }
}
