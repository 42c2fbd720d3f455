//! What is done with an input: all that a user would do with a file.

use crate::format::Format;
use crate::random::Random;
use poinsot::Simulation;
use poinsot::dynamics::{MassMatrix, State, Workspace};
use poinsot::formats::{self, LoadOptions, Loaded};
use poinsot::integrate::Method;
use poinsot::model::BodyId;

/// Models with more bodies or degrees of freedom are not simulated: it is the readers that are tested.
const MOST: usize = 200;

/// Reads the input; true when it is a model or a mesh, an error when something does not fit together.
pub fn run(format: Format, bytes: &[u8], r: &mut Random) -> Result<bool, String> {
    let ending = match format {
        Format::Mjcf => return model(bytes, formats::Format::Mjcf, r),
        Format::Urdf => return model(bytes, formats::Format::Urdf, r),
        Format::Stl => "stl",
        Format::Obj => "obj",
        Format::Collada => "dae",
        Format::Msh => "msh",
    };
    let Ok(mesh) = formats::parse_mesh(bytes, ending) else { return Ok(false) };
    let count = mesh.vertices.len();
    expect(mesh.triangles.iter().flatten().all(|v| *v < count), "a triangle names no vertex")?;
    expect(mesh.vertices.iter().all(|v| v.is_finite()), "a vertex is not finite")?;
    Ok(true)
}

fn expect(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_string()) }
}

fn model(bytes: &[u8], format: formats::Format, r: &mut Random) -> Result<bool, String> {
    // as files are read: bytes that are not UTF-8 are replaced
    let text = String::from_utf8_lossy(bytes);
    let options = LoadOptions {
        format: r.one_in(2).then_some(format),
        floating_base: r.one_in(4),
        merge_fixed: r.one_in(4),
        ..LoadOptions::default()
    };
    let loaded = match formats::load_text("/nowhere/input.xml", &text, &options) {
        Ok(loaded) => loaded,
        Err(error) => {
            expect(!error.to_string().is_empty(), "an error without words")?;
            return Ok(false);
        }
    };
    expect(!loaded.report.has_errors(), "a model in spite of errors")?;
    let _ = loaded.report.to_string();
    consistent(&loaded)?;
    if loaded.model.bodies().len().max(loaded.model.nv()) <= MOST {
        written_again(&loaded, r)?;
        simulate(&loaded, r)?;
    }
    Ok(true)
}

fn consistent(Loaded { model, description, .. }: &Loaded) -> Result<(), String> {
    expect(model.bodies().len() == description.bodies.len(), "another number of bodies")?;
    expect(model.joints().len() == description.joints().count(), "another number of joints")?;
    expect(model.actuators().len() == description.actuators.len(), "another number of actuators")?;
    let nq: usize = model.joints().iter().map(|j| j.coordinates().len()).sum();
    let nv: usize = model.joints().iter().map(|j| j.dofs().len()).sum();
    expect((nq, nv) == (model.nq(), model.nv()), "the coordinates of the joints are not all")?;
    expect(model.neutral().len() == model.nq(), "the neutral configuration has another size")
}

/// What is written can be read, or is refused with words, but is XML.
fn written_again(Loaded { description, .. }: &Loaded, r: &mut Random) -> Result<(), String> {
    let (text, losses) =
        if r.one_in(2) { formats::to_mjcf(description) } else { formats::to_urdf(description) };
    let _ = losses.to_string();
    match formats::load_text("/nowhere/written.xml", &text, &LoadOptions::default()) {
        Ok(_) => Ok(()),
        Err(error) => expect(
            error.report.diagnostics().iter().all(|d| d.code != "xml::syntax"),
            "what was written is not XML",
        ),
    }
}

/// Kinematics, dynamics and a few steps: the numbers may be of any kind, but there must be some.
fn simulate(Loaded { model, description, .. }: &Loaded, r: &mut Random) -> Result<(), String> {
    let mut workspace = Workspace::new(model);
    let mut state = State::new(model);
    for key in &description.keyframes {
        let fits = key.qpos.len() == model.nq();
        expect(key.qpos.is_empty() || fits, "a keyframe of another size")?;
        if fits {
            state.q.clone_from(&key.qpos);
        }
    }
    let at = workspace.at(model, &state);
    let last = model.body_ids().last().unwrap_or(BodyId::WORLD);
    let _ = (at.pose(last), at.velocity(last), at.com(), at.energy(), at.momentum(), at.jacobian(last));
    let zeros = vec![0.0; model.nv()];
    let mut out = zeros.clone();
    workspace.inverse_dynamics(model, &state.q, &state.v, &zeros, &mut out);
    workspace.forward_dynamics(model, &state.q, &state.v, &zeros, &mut out);
    let mut matrix = MassMatrix::new(model);
    workspace.mass_matrix(model, &state.q, &mut matrix);
    matrix.factor();
    matrix.solve(&mut out);
    // steps may be refused, and a model may fly apart; the adaptive one makes steps as small as it needs, for hours
    let method = *r.pick(&Method::ALL);
    if method == Method::Adaptive {
        return Ok(());
    }
    if let Ok(mut simulation) = Simulation::new(model, state, method) {
        simulation.control_mut().fill(0.5);
        let _ = simulation.run(2, description.options.timestep);
    }
    Ok(())
}
