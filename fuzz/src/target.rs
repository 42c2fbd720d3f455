//! What is fed: the readers, and with what they accept all that a user would do next.

use clap::ValueEnum;
use poinsot::dynamics::{MassMatrix, State, Workspace};
use poinsot::formats::{self, Format, LoadOptions, Loaded};
use poinsot::integrate::{self, System};

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// MuJoCo's models
    Mjcf,
    /// ROS's models
    Urdf,
    /// Meshes, text and binary
    Stl,
    /// Meshes
    Obj,
    /// Meshes in scenes
    Collada,
    /// MuJoCo's meshes
    Msh,
}

/// Larger models are read, but not moved: the readers are what is looked at.
const MOST_MOVED: usize = 100;

impl Target {
    /// Valid files, from which broken ones are made.
    pub fn seeds(self) -> Vec<Vec<u8>> {
        let texts: &[&str] = match self {
            Target::Mjcf => &[
                include_str!("../seeds/arm.xml"),
                include_str!("../seeds/walker.xml"),
                include_str!("../seeds/parts.xml"),
            ],
            Target::Urdf => &[include_str!("../seeds/robot.urdf"), include_str!("../seeds/joints.urdf")],
            Target::Stl => &[include_str!("../seeds/cube.stl")],
            Target::Obj => &[include_str!("../seeds/cube.obj")],
            Target::Collada => &[include_str!("../seeds/cube.dae")],
            Target::Msh => &[],
        };
        let mut seeds: Vec<Vec<u8>> = texts.iter().map(|t| t.as_bytes().to_vec()).collect();
        match self {
            Target::Stl => seeds.push(binary_stl()),
            Target::Msh => seeds.push(binary_msh()),
            _ => {}
        }
        seeds
    }

    /// Reads the input, and uses it when it is accepted. True when it was.
    pub fn run(self, input: &[u8]) -> bool {
        let ending = match self {
            Target::Mjcf | Target::Urdf => return read_model(self, input),
            Target::Stl => "stl",
            Target::Obj => "obj",
            Target::Collada => "dae",
            Target::Msh => "msh",
        };
        formats::parse_mesh(input, ending).is_ok()
    }
}

fn read_model(target: Target, input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let options = LoadOptions {
        format: (target == Target::Urdf).then_some(Format::Urdf),
        floating_base: input.len().is_multiple_of(2),
        merge_fixed: input.len().is_multiple_of(3),
        ..Default::default()
    };
    match formats::load_text("seed.xml", &text, &options) {
        Ok(loaded) => {
            use_model(&loaded);
            true
        }
        Err(error) => {
            // why there is no model must be told
            assert!(error.report.has_errors() && !error.to_string().is_empty());
            false
        }
    }
}

/// Shows the report, computes, writes, steps.
fn use_model(loaded: &Loaded) {
    let said = loaded.report.to_string();
    assert!(!loaded.report.has_errors(), "a model with errors: {said}");
    let (mjcf, _) = formats::to_mjcf(&loaded.description);
    let (urdf, _) = formats::to_urdf(&loaded.description);
    for text in [mjcf, urdf] {
        let _ = formats::load_text("written.xml", &text, &LoadOptions::default());
    }
    let model = &loaded.model;
    assert_eq!(loaded.description.bodies.len(), model.bodies().len());
    if model.nv() > MOST_MOVED {
        return;
    }
    let (mut workspace, mut state) = (Workspace::new(model), State::new(model));
    let mut mass = MassMatrix::new(model);
    workspace.mass_matrix(model, &state.q, &mut mass);
    let mut tau = vec![0.0; model.nv()];
    workspace.bias(model, &state.q, &state.v, &mut tau);
    let _ = workspace.at(model, &state).energy();
    for name in ["semi-implicit", "implicit"] {
        let mut system = System::new(model);
        if let Ok(mut integrator) = integrate::by_name(name, model) {
            let _ = system.step(&mut *integrator, &mut state, 1e-3);
        }
    }
}

fn binary_stl() -> Vec<u8> {
    let mut file = b"solid that is binary".to_vec();
    file.resize(80, b' ');
    file.extend(2u32.to_le_bytes());
    for triangle in
        [[0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]]
    {
        file.extend([0u8; 12]);
        file.extend(triangle.iter().flat_map(|x| x.to_le_bytes()));
        file.extend([0u8; 2]);
    }
    file
}

fn binary_msh() -> Vec<u8> {
    let mut file: Vec<u8> = [4i32, 0, 0, 4].iter().flat_map(|x| x.to_le_bytes()).collect();
    let corners = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    file.extend(corners.iter().flatten().flat_map(|x| x.to_le_bytes()));
    let faces = [[0i32, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    file.extend(faces.iter().flatten().flat_map(|x| x.to_le_bytes()));
    file
}
