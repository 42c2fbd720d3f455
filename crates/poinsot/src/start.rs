//! Initial states: one that meets the constraints of its model, and one with random velocities.

use crate::constraint::{AssemblyError, Inequality, Multipliers, Stabilisation};
use crate::dynamics::{State, Workspace};
use crate::model::{BoundKind, Bounded, ConstraintId, Model, ModelError};

/// A state with smaller violations meets its constraints; in metres, radians, and these per second.
const MET: f64 = 1e-9;

/// Why the motion of a model is not determined, because joints move no mass; `None` if all do.
///
/// ```
/// use poinsot::prelude::*;
/// let mut b = ModelBuilder::new("nothing turns");
/// let rotor = b.body(BodyId::WORLD, BodySpec::new("rotor"));
/// b.joint(rotor, Joint::revolute(V3::Z).named("axle"));
/// b.lenient();
/// let model = b.build()?;
/// let why = poinsot::singular_sentence(&model).unwrap();
/// assert!(why.contains("the mass matrix is singular") && why.contains("joint \"axle\""), "{why}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn singular_sentence(model: &Model) -> Option<String> {
    const MOST: usize = 3;
    let singular = |d: &&ModelError| matches!(d, ModelError::Massless { .. } | ModelError::Redundant { .. });
    let defects: Vec<&ModelError> = model.defects().iter().filter(singular).collect();
    let mut why = String::from("the mass matrix is singular");
    defects.iter().take(MOST).for_each(|d| why.push_str(&format!("\n- {d}")));
    if defects.len() > MOST {
        why.push_str(&format!("\n- and {} more joints", defects.len() - MOST));
    }
    (!defects.is_empty()).then_some(why)
}

/// How an initial state was projected onto the constraints of its model.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialProjection {
    /// The constraint with the largest violation.
    pub constraint: ConstraintId,
    /// The violation, m or rad.
    pub violation: f64,
    /// How far the configuration was moved, √(eᵀ M e), in √kg m; 0 if only its velocity violated the constraints.
    pub distance: f64,
    /// The largest change of its velocities, m/s or rad/s.
    pub rate: f64,
}

/// Projects a state onto the rigid constraints of its model if it does not meet them; returns the correction, or `None` if nothing was
/// changed.
///
/// ```
/// let scene = poinsot::scenes::by_name("four-bar")?;
/// let mut state = scene.state.clone();
/// assert_eq!(poinsot::begin_on_constraints(&scene.model, &mut state)?, None);
/// state.q[0] += 0.1;
/// let moved = poinsot::begin_on_constraints(&scene.model, &mut state)?.expect("the loop was open");
/// assert!(moved.violation > 0.01 && moved.distance > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn begin_on_constraints(
    model: &Model,
    state: &mut State,
) -> Result<Option<InitialProjection>, AssemblyError> {
    if model.constraints().is_empty() {
        return Ok(None);
    }
    let (mut workspace, mut held) = (Workspace::new(model), Multipliers::new(model));
    let worst = held.violation(model, &mut workspace, &state.q);
    let Some(constraint) = worst.constraint else { return Ok(None) };
    let before = state.v.clone();
    let distance = if worst.size <= MET {
        held.project_velocity(model, &mut workspace, &state.q, &mut state.v);
        0.0
    } else {
        let named = |e: AssemblyError| AssemblyError { constraint: with_bodies(model, &e.constraint), ..e };
        let found = held.assemble(model, &mut workspace, state).map_err(named)?;
        *state = found.state;
        found.distance
    };
    let rate = before.iter().zip(&state.v).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    if worst.size <= MET && rate <= MET {
        state.v = before;
        return Ok(None);
    }
    Ok(Some(InitialProjection { constraint, violation: worst.size, distance, rate }))
}

/// The name of a constraint, with the names of its bodies if it acts on two.
pub(crate) fn with_bodies(model: &Model, name: &str) -> String {
    let bodies = model.constraints().iter().find(|c| c.name == name).and_then(|c| c.bodies());
    match bodies.map(|pair| pair.map(|b| &model.bodies()[b.index()].name)) {
        Some([a, b]) => format!("{name} of {a} and {b}"),
        None => name.to_string(),
    }
}

/// The largest violation of a limit by a state.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfRange {
    /// The name of the joint, tendon or rope.
    pub at: String,
    /// Which inequality: "lower end", "upper end" or "rope".
    pub place: &'static str,
    /// The violation, m or rad.
    pub size: f64,
    /// How many other limits are exceeded.
    pub others: usize,
    /// True if each coordinate was moved to its limit: [`begin_within_ranges`].
    pub put_back: bool,
}

impl OutOfRange {
    /// The consequence for a run with this stabilisation, as a sentence.
    pub fn sentence(&self, by: Stabilisation) -> String {
        let OutOfRange { at, place, size, others, put_back } = self;
        let others = match others {
            0 => String::new(),
            1 => "; one other limit is exceeded too".to_string(),
            n => format!("; {n} other limits are exceeded too"),
        };
        let then = match by {
            _ if *put_back && self.others > 0 => "each is moved to its limit, and nothing else is",
            _ if *put_back => "it is moved to its limit, and nothing else is",
            Stabilisation::Projection => "the first step moves it back, with zero velocity",
            _ => "only `projection` would move it back",
        };
        format!("\"{at}\" begins {size:.2e} (m or rad) beyond its {place}{others}; {then}")
    }
}

/// Checks if a state violates the limits or ropes of its model.
///
/// ```
/// use poinsot::{algebra::V3, constraint::Stabilisation, dynamics::State, model::*};
/// let mut b = ModelBuilder::new("door");
/// let door = b.body(BodyId::WORLD, BodySpec::new("door").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(door, Joint::revolute(V3::Z).named("hinge").limits(0.5, 1.5));
/// let model = b.build()?;
/// let beyond = poinsot::beyond_range(&model, &State::new(&model)).expect("0 is less than 0.5");
/// assert_eq!((beyond.at.as_str(), beyond.place, beyond.size), ("hinge", "lower end", 0.5));
/// assert!(beyond.sentence(Stabilisation::Projection).ends_with("the first step moves it back, with zero velocity"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn beyond_range(model: &Model, state: &State) -> Option<OutOfRange> {
    if model.bounds().is_empty() && model.constraints().is_empty() {
        return None;
    }
    let (mut workspace, mut held) = (Workspace::new(model), Multipliers::new(model));
    let passed = held.limit_violations(model, &mut workspace, &state.q).filter(|p| p.size > MET);
    let (count, worst) = passed.fold((0, None), |(count, worst), p| {
        let further = worst.is_none_or(|w: crate::constraint::LimitViolation| p.size > w.size);
        (count + 1, if further { Some(p) } else { worst })
    });
    let worst = worst?;
    let (at, place) = (worst.on.name(model).to_string(), worst.on.place(model));
    Some(OutOfRange { at, place, size: worst.size, others: count - 1, put_back: false })
}

/// Moves hinges and slides that start beyond their limits to these limits, without speed; returns the one exceeded by most, or `None` if
/// all are within. Nothing else is moved, unlike in the first step of a simulation, which finds the nearest state in the mass metric and
/// also handles tendons and ropes.
///
/// ```
/// use poinsot::{algebra::V3, constraint::Stabilisation, dynamics::State, model::*};
/// let mut b = ModelBuilder::new("door");
/// let door = b.body(BodyId::WORLD, BodySpec::new("door").solid(&Shape::Sphere { radius: 0.1 }, 1.0)?);
/// b.joint(door, Joint::revolute(V3::Z).named("hinge").limits(0.5, 1.5));
/// let model = b.build()?;
/// let mut state = State::new(&model);
/// let beyond = poinsot::begin_within_ranges(&model, &mut state).expect("0 is less than 0.5");
/// assert!(beyond.sentence(Stabilisation::Projection).ends_with("it is moved to its limit, and nothing else is"));
/// assert_eq!(state.q, [0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn begin_within_ranges(model: &Model, state: &mut State) -> Option<OutOfRange> {
    let beyond = beyond_range(model, state)?;
    let (mut workspace, mut held) = (Workspace::new(model), Multipliers::new(model));
    let passed: Vec<_> = held.limit_violations(model, &mut workspace, &state.q).collect();
    let mut put_back = true;
    for bound in passed {
        let Inequality::Bound(k) = bound.on else {
            put_back = false;
            continue;
        };
        match (&model.bounds()[k].on, model.bounds()[k].kind) {
            (Bounded::Coordinate { joint, index: 0 }, BoundKind::Lower(end) | BoundKind::Upper(end)) => {
                let joint = &model[*joint];
                state.q[joint.coordinates().start] = end;
                state.v[joint.dofs().start] = 0.0;
            }
            _ => put_back = false,
        }
    }
    Some(OutOfRange { put_back, ..beyond })
}

/// Sets random velocities, each within ±1 m/s or rad/s, that satisfy the constraints at the state. The same seed gives the same velocities.
///
/// ```
/// let scene = poinsot::scenes::by_name("four-bar")?;
/// let mut state = scene.state.clone();
/// poinsot::randomise_velocities(&scene.model, &mut state, 7);
/// assert!(state.v.iter().any(|v| v.abs() > 0.01));
/// assert_eq!(poinsot::begin_on_constraints(&scene.model, &mut state)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn randomise_velocities(model: &Model, state: &mut State, seed: u64) {
    state.v = model.random_velocity(seed);
    if !model.constraints().is_empty() {
        let (mut workspace, mut held) = (Workspace::new(model), Multipliers::new(model));
        held.project_velocity(model, &mut workspace, &state.q, &mut state.v);
    }
}
