//! Convex parts in place of concave meshes, on request. Otherwise mesh geoms collide as their hulls, or triangle by triangle.

use crate::description::{ContactPair, Description, Format, Geom};
use crate::diagnostic::Report;
use poinsot_core::model::{Filter, Mesh, Role, Shape, TriangleMesh, convex_hull, mesh_inertia};
use std::sync::Arc;

/// Which meshes are decomposed, and how.
#[derive(Clone, Debug)]
pub struct ConvexParts {
    /// Their names; `None`: all that are concave.
    pub meshes: Option<Vec<String>>,
    /// Makes convex parts of a mesh, or says why not: `poinsot_collide::decompose`.
    pub by: fn(&TriangleMesh) -> Result<Vec<TriangleMesh>, String>,
}

/// A mesh that fills more than this fraction of its hull does not count as concave.
const FULL: f64 = 0.95;

/// Replaces, for contact, the concave meshes of geoms by their parts; the mesh itself is displayed.
pub(crate) fn take_apart(d: &mut Description, parts: &ConvexParts, report: &mut Report) {
    if let Some(name) = parts.meshes.iter().flatten().find(|name| !d.geoms().any(|(_, g)| names(g, name))) {
        let known: Vec<&str> = d.geoms().filter_map(|(_, g)| Some(mesh(g)?.name.as_str())).collect();
        let help = match report.meant(name, known) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => "give the name of a mesh that a geom has".into(),
        };
        report.error("mesh::unknown", format!("no geom has a mesh \"{name}\"")).help(help);
        return;
    }
    let mut made: Vec<(String, Vec<Geom>)> = Vec::new();
    let (mut first, mut geoms, mut hulls) = (None, 0, 0);
    for body in &mut d.bodies {
        let mut all = Vec::with_capacity(body.geoms.len());
        for mut geom in std::mem::take(&mut body.geoms) {
            let pieces = match pieces(&geom, parts, &mut made) {
                Ok(pieces) => pieces,
                Err(why) => {
                    let message = format!("a mesh was not decomposed: {why}");
                    report.warning("mesh::not-decomposed", message).at(geom.place);
                    Vec::new()
                }
            };
            if !pieces.is_empty() {
                first.get_or_insert(geom.place);
                (geoms, hulls) = (geoms + 1, hulls + pieces.len());
                geom.geom.filter = Filter::NOTHING;
                geom.geom.role = Role::Visual;
            }
            all.push(geom);
            all.extend(pieces);
        }
        body.geoms = all;
    }
    let pairs = std::mem::take(&mut d.pairs);
    for pair in pairs {
        let of = |name: &String| match made.iter().find(|(whole, _)| whole == name) {
            Some((_, parts)) => parts.iter().map(|part| part.geom.name.clone()).collect(),
            None => vec![name.clone()],
        };
        for a in of(&pair.geom1) {
            for b in of(&pair.geom2) {
                d.pairs.push(ContactPair { geom1: a.clone(), geom2: b, ..pair.clone() });
            }
        }
    }
    if let Some(place) = first {
        let what = if geoms == 1 {
            "a concave mesh touches".into()
        } else {
            format!("{geoms} concave meshes touch")
        };
        report.note("mesh::decomposed", format!("{what} as {hulls} convex parts")).at(place);
    }
}

/// Reports once how many concave meshes of an MJCF file collide as their hulls, which fill their concavities.
pub(crate) fn report_hulls(d: &Description, report: &mut Report) {
    if d.format != Format::Mjcf {
        return;
    }
    let (mut known, mut places): (Vec<(&Arc<Mesh>, bool)>, _) = (Vec::new(), Vec::new());
    for (_, geom) in d.geoms() {
        let Shape::Hull(mesh) = &geom.geom.shape else { continue };
        if !geom.geom.touches() {
            continue;
        }
        let seen = known.iter().find(|(other, _)| Arc::ptr_eq(other, mesh)).map(|(_, concave)| *concave);
        let concave = seen.unwrap_or_else(|| {
            let concave = mesh.surface().is_ok_and(is_concave);
            known.push((mesh, concave));
            concave
        });
        if concave {
            places.push(geom.place);
        }
    }
    if let Some(first) = places.first() {
        let what = match places.len() {
            1 => "a concave mesh touches as its convex hull".to_string(),
            n => format!("{n} geoms with concave meshes touch as their convex hulls"),
        };
        let message = format!("{what}, as in MuJoCo: hollows are filled");
        let help = "--decompose, in Python decompose=True, decomposes concave meshes";
        report.note("mjcf::hulls", message).at(*first).help(help);
    }
}

fn mesh(geom: &Geom) -> Option<&Arc<Mesh>> {
    match &geom.geom.shape {
        Shape::Hull(mesh) | Shape::Mesh(mesh) => Some(mesh),
        _ => None,
    }
}

fn names(geom: &Geom, name: &str) -> bool {
    mesh(geom).is_some_and(|mesh| mesh.name == name)
}

/// The parts of a geom; `None` if it has no contact, was not requested, or is not concave.
fn pieces(
    geom: &Geom,
    parts: &ConvexParts,
    made: &mut Vec<(String, Vec<Geom>)>,
) -> Result<Vec<Geom>, String> {
    let wanted = |mesh: &Mesh| parts.meshes.as_ref().is_none_or(|names| names.contains(&mesh.name));
    let Some(mesh) = mesh(geom).filter(|mesh| geom.geom.touches() && wanted(mesh)) else {
        return Ok(Vec::new());
    };
    let surface = mesh.surface().map_err(|e| e.to_string())?;
    if !is_concave(surface) {
        return Ok(Vec::new());
    }
    let hulls = (parts.by)(surface)?;
    let pieces: Vec<Geom> =
        hulls.into_iter().enumerate().map(|(k, hull)| part(geom, mesh, k, hull)).collect();
    if !geom.geom.name.is_empty() {
        made.push((geom.geom.name.clone(), pieces.clone()));
    }
    Ok(pieces)
}

/// True if a mesh leaves part of its hull empty.
fn is_concave(surface: &TriangleMesh) -> bool {
    let hull = convex_hull(&surface.vertices);
    let volume = |m: &TriangleMesh| mesh_inertia(&m.vertices, &m.triangles, 1.0).map_or(0.0, |i| i.mass);
    volume(surface) < FULL * volume(&hull)
}

/// A part that replaces a geom in contact and is not drawn.
fn part(whole: &Geom, mesh: &Mesh, k: usize, hull: TriangleMesh) -> Geom {
    let mut part = whole.clone();
    let name = if whole.geom.name.is_empty() { &mesh.name } else { &whole.geom.name };
    part.geom.name = format!("{name}_part{k}");
    part.geom.role = Role::Collision;
    part.geom.shape = Shape::Hull(Arc::new(Mesh::new(format!("{}_part{k}", mesh.name), hull)));
    part.mass = Some(0.0);
    part
}
