//! From a path to a model.

use crate::description::{Description, Format};
use crate::diagnostic::{Place, Report};
use crate::encoding::Text;
use crate::ground::Ground;
use crate::parts::ConvexParts;
use crate::root::{Outside, Root};
use crate::{build, encoding, gains, ground, mjcf, mocap, parts, soft_limits, unsimulated, urdf};
use poinsot_core::model::Model;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Larger files are refused.
const MOST_BYTES: u64 = 1 << 30;

/// Which joints of a URDF file get a motor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motors {
    /// None: URDF says how strong motors are, not whether there are any.
    #[default]
    None,
    /// Every hinge and slide that follows no other by `<mimic>`.
    All,
    /// The hinges and slides that `<transmission>` elements name.
    Transmissions,
}

/// How to read a file.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The format; `None`: determined by the root element.
    pub format: Option<Format>,
    /// Folders in which `package://NAME/…` and relative mesh files are looked for, in addition to those of the file itself and
    /// of `ROS_PACKAGE_PATH`.
    pub search: Vec<PathBuf>,
    /// For models from strangers: nothing outside this folder is read, whatever the model names. Absolute paths, `..`,
    /// links that lead out and `ROS_PACKAGE_PATH` end there; the model itself must be inside as well. `None`: files are read
    /// wherever they are.
    ///
    /// ```
    /// use poinsot_formats::{LoadOptions, load_with};
    /// let upload = tempfile::tempdir()?;
    /// let model = upload.path().join("model.xml");
    /// std::fs::write(&model, "<mujoco><include file='/etc/hostname'/></mujoco>")?;
    /// let options = LoadOptions { root: Some(upload.path().into()), ..LoadOptions::default() };
    /// let error = load_with(&model, &options).unwrap_err();
    /// assert!(error.to_string().contains("\"/etc/hostname\" is outside the folder that may be read"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub root: Option<PathBuf>,
    /// URDF: the root link moves freely instead of being fixed to the world.
    pub floating_base: bool,
    /// URDF: links on fixed joints are merged with their parents.
    pub merge_fixed: bool,
    /// MJCF: limits yield according to `solreflimit` instead of being rigid.
    ///
    /// ```
    /// use poinsot_formats::{LoadOptions, load_text};
    /// let text = r#"<mujoco><worldbody><body><joint range="-10 20" solreflimit="-400 -40"/><geom size="0.1" mass="2"/></body>
    ///   </worldbody></mujoco>"#;
    /// let options = LoadOptions { soft_limits: true, ..LoadOptions::default() };
    /// let (stiffness, damping) = load_text("door.xml", text, &options)?.model.joints()[0].stop.softness.unwrap();
    /// let inertia = 0.4 * 2.0 * 0.1 * 0.1; // of a ball about its middle
    /// assert!((stiffness - 400.0 * inertia).abs() < 1e-12 && (damping - 40.0 * inertia).abs() < 1e-12);
    /// # Ok::<(), poinsot_formats::LoadError>(())
    /// ```
    pub soft_limits: bool,
    /// URDF: which joints get a motor, whose control is the force or torque along the joint, within its effort. MJCF files have
    /// their own actuators.
    ///
    /// ```
    /// use poinsot_formats::{LoadOptions, Motors, load_text};
    /// let text = r#"<robot name="arm"><link name="base"/>
    ///   <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
    ///   <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>
    ///     <limit lower="-1" upper="1" effort="20" velocity="3"/></joint></robot>"#;
    /// let options = LoadOptions { motors: Motors::All, ..LoadOptions::default() };
    /// let motor = load_text("arm.urdf", text, &options)?.model.actuators()[0].clone();
    /// assert_eq!((motor.name.as_str(), motor.control_range), ("elbow", Some((-20.0, 20.0))));
    /// # Ok::<(), poinsot_formats::LoadError>(())
    /// ```
    pub motors: Motors,
    /// A floor for models that have none: a plane named `ground`, fixed to the world.
    ///
    /// ```
    /// use poinsot_formats::{Ground, LoadOptions, load_text};
    /// let text = r#"<robot name="ball"><link name="ball"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    ///   <collision><geometry><sphere radius="0.2"/></geometry></collision></link></robot>"#;
    /// let options = LoadOptions { floating_base: true, ..LoadOptions::default() };
    /// let loose = load_text("ball.urdf", text, &options)?;
    /// assert!(loose.report.to_string().contains("falls forever: there is nothing below it"));
    /// let options = LoadOptions { ground: Some(Ground::Below), ..options };
    /// let model = load_text("ball.urdf", text, &options)?.model;
    /// let ground = model.geom("ground").expect("a floor");
    /// assert_eq!(model[ground].pose.pos.z, -0.2);
    /// # Ok::<(), poinsot_formats::LoadError>(())
    /// ```
    pub ground: Option<Ground>,
    /// Decomposes concave meshes into convex parts for contact, instead of using their hulls or triangles [default: no].
    pub convex_parts: Option<ConvexParts>,
}

/// A model from a file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is simulated.
    pub model: Model,
    /// Everything in the file.
    pub description: Description,
    /// Warnings and notes; no errors.
    pub report: Report,
}

/// Why there is no model: the report, whose text is the message.
#[derive(Clone, Debug, Error)]
#[error("{}", report.to_string().trim_end())]
pub struct LoadError {
    /// What is wrong, and where.
    pub report: Report,
}

/// Reads a model from a file, with all the files it names.
///
/// ```no_run
/// let loaded = poinsot_formats::load("robot.urdf")?;
/// println!("{} degrees of freedom\n{}", loaded.model.nv(), loaded.report);
/// # Ok::<(), poinsot_formats::LoadError>(())
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Loaded, LoadError> {
    load_with(path, &LoadOptions::default())
}

/// Reads a model from a file, with options.
pub fn load_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let path = path.as_ref();
    let (root, real) = rooted(path, options)?;
    match read_text(&real, root.is_given()) {
        Ok(read) => load_source(Sources { path, real: &real, root }, read, options),
        Err(why) => Err(refusal("file::unreadable", format!("cannot read {}: {why}", path.display()))),
    }
}

/// Reads a model from text. `name` takes the place of the file's path: messages show it, and files that the text names are
/// looked for next to it.
pub fn load_text(name: impl AsRef<Path>, text: &str, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let path = name.as_ref();
    let (root, real) = rooted(path, options)?;
    let text = Text { text: text.to_string(), warning: None };
    load_source(Sources { path, real: &real, root }, text, options)
}

/// Where the files of a model are.
struct Sources<'a> {
    /// The path of the model as the user gave it.
    path: &'a Path,
    /// The path without links, if there is a root.
    real: &'a Path,
    root: Root,
}

/// The root, and the path of the model inside it.
fn rooted(path: &Path, options: &LoadOptions) -> Result<(Root, PathBuf), LoadError> {
    let folder = options.root.as_deref();
    let root = Root::new(folder).map_err(|why| {
        let folder = folder.unwrap_or(Path::new("")).display();
        refusal("file::no-root", format!("the root {folder} cannot be used: {why}"))
    })?;
    match root.admit_model(path) {
        Ok(real) => Ok((root, real)),
        Err(Outside) => Err(refusal(Outside::CODE, format!("{} is not inside the root", path.display()))),
    }
}

fn refusal(code: &'static str, message: String) -> LoadError {
    let mut report = Report::default();
    report.error(code, message);
    LoadError { report }
}

/// The bytes of a file. A path that the user gives may also be a pipe, but a path in a file must be a file: reading a device or
/// a pipe may never end.
pub(crate) fn read_whole(path: &Path, named_by_file: bool) -> std::io::Result<Vec<u8>> {
    let refuse = |why: &str| Err(Error::new(ErrorKind::InvalidInput, why));
    let about = std::fs::metadata(path)?;
    if about.is_dir() {
        return refuse("it is a folder");
    }
    if named_by_file && !about.is_file() {
        return refuse("it is not a file");
    }
    let too_large = "it is larger than 1 GiB";
    if about.len() > MOST_BYTES {
        return refuse(too_large);
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES { refuse(too_large) } else { Ok(bytes) }
}

/// The text of a file in the encoding that it declares.
pub(crate) fn read_text(path: &Path, named_by_file: bool) -> std::io::Result<Text> {
    let mut bytes = read_whole(path, named_by_file)?;
    // some programs write their string's terminating zero into the file
    if bytes.last() == Some(&0) && !bytes.starts_with(b"\xff\xfe") && bytes.get(1) != Some(&0) {
        bytes.truncate(bytes.iter().rposition(|b| *b != 0).map_or(0, |k| k + 1));
    }
    encoding::decode(bytes).map_err(|why| Error::new(ErrorKind::InvalidData, why))
}

fn load_source(sources: Sources, read: Text, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let mut report = Report::default();
    let file = add_text(&mut report, sources.path, read);
    let mut description = describe(&mut report, &sources, file, options);
    if let (Some(d), Some(ground)) = (&mut description, options.ground) {
        ground::add(d, ground, &mut report);
    }
    if let (Some(d), Some(parts)) = (&mut description, &options.convex_parts) {
        parts::take_apart(d, parts, &mut report);
    } else if let Some(d) = &description {
        parts::report_hulls(d, &mut report);
    }
    let mut model = description.as_ref().and_then(|d| build::model(d, &mut report));
    // some gains depend on the inertias
    if let (Some(d), Some(m)) = (&mut description, &model)
        && resolve(d, m, options, &mut report)
    {
        // the diagnostics of the model have been reported already, unless it fails now
        model = build::model(d, &mut Report::default()).or_else(|| build::model(d, &mut report));
    }
    if let Some(d) = &description {
        ground::report_nothing_below(d, &mut report);
        unsimulated::tell(d, &mut report);
    }
    report.sort();
    match (description, model) {
        (Some(description), Some(model)) if !report.has_errors() => Ok(Loaded { model, description, report }),
        _ => {
            report.errors_first();
            Err(LoadError { report })
        }
    }
}

/// Adds the text of a file and any remark on how it was read; returns its index.
pub(crate) fn add_text(report: &mut Report, path: &Path, read: Text) -> u32 {
    let file = report.add_source(path.display().to_string(), read.text);
    if let Some(warning) = read.warning {
        let help = "save it as UTF-8, or declare its encoding: <?xml version=\"1.0\" encoding=\"…\"?>";
        report.warning("file::encoding", warning).at(Place { file, start: 0, end: 1 }).help(help);
    }
    file
}

/// Fills in what depends on the inertias; true if anything does.
fn resolve(d: &mut Description, model: &Model, options: &LoadOptions, report: &mut Report) -> bool {
    let gains = gains::resolve(d, model, report) | mocap::resolve(d, model, report);
    let soft = options.soft_limits && d.format == Format::Mjcf;
    soft && soft_limits::resolve(d, model, report) || gains
}

fn describe(report: &mut Report, sources: &Sources, file: u32, options: &LoadOptions) -> Option<Description> {
    let mut tree = crate::xml::Tree::default();
    let root = tree.parse(report, file)?;
    let format = match (options.format, tree[root].tag.as_str()) {
        (Some(format), _) => format,
        (None, "mujoco" | "mujocoinclude") => Format::Mjcf,
        (None, "robot") => Format::Urdf,
        (None, other) => {
            let message = format!("the root element is <{other}>, which is neither MJCF nor URDF");
            let help = "an MJCF file begins with <mujoco>, a URDF file with <robot>";
            report.error("file::unknown-format", message).at(tree[root].place).help(help);
            return None;
        }
    };
    match format {
        Format::Mjcf => mjcf::read(report, tree, root, sources.real, &sources.root),
        Format::Urdf => {
            urdf::read(report, &tree, root, urdf::Paths::new(sources.real, &sources.root, options), options)
        }
    }
}
