//! `<visual>` and `<collision>`: shapes, and the mesh files they name.

use super::Reader;
use super::paths::NotFound;
use crate::description::Geom;
use crate::mesh::read_for_model;
use crate::root::Outside;
use crate::xml::{Attribute, Element, ElementId};
use poinsot_core::algebra::V3;
use poinsot_core::model::{self, Mesh, Role, Shape};
use std::path::PathBuf;
use std::sync::Arc;

impl<'t> Reader<'t> {
    /// The geom of a `<visual>` or `<collision>`; `None` (and something in the report) without a shape.
    pub fn read_geom(&mut self, id: ElementId, role: Role) -> Option<Geom> {
        let element = &self.tree[id];
        let pose = self.origin(id);
        let shape = self.child_id(id, "geometry").and_then(|g| self.tree.children(g).next());
        let Some((_, shape)) = shape else {
            let message = format!("<{}> has no shape: it is ignored", element.tag);
            self.report.warning("urdf::no-shape", message).at(element.place);
            return None;
        };
        let shape = self.read_shape(shape)?;
        if element.text("concave").is_some_and(|word| ["yes", "true", "1"].contains(&word)) {
            self.concave.insert(element.place);
        }
        let material = self.read_material_of(id);
        let rgba = material.map_or(Geom::GREY, |m| self.d.materials[m].rgba);
        let made =
            model::Geom::new(shape).named(element.text("name").unwrap_or_default()).pose(pose).rgba(rgba);
        Some(Geom {
            geom: if role == Role::Visual { made.visual().group(1) } else { made.collision() },
            mass: None,
            density: 0.0,
            shell: false,
            fluid_ellipsoid: false,
            material,
            place: element.place,
        })
    }

    fn read_shape(&mut self, shape: &'t Element) -> Option<Shape> {
        let mut length = |name: &str| self.length(shape, name);
        match shape.tag.as_str() {
            "box" => {
                let size = self.required(shape, "size").and_then(|a| self.numbers::<3>(a))?;
                size.iter().for_each(|edge| self.refuse_negative(shape, "size", *edge));
                Some(Shape::Box { size: V3::from(size) })
            }
            "sphere" => Some(Shape::Sphere { radius: length("radius")? }),
            "cylinder" => Some(Shape::Cylinder { radius: length("radius")?, length: length("length")? }),
            "capsule" => Some(Shape::Capsule { radius: length("radius")?, length: length("length")? }),
            "plane" => Some(Shape::Plane { x: 0.0, y: 0.0 }),
            "mesh" => {
                let file = self.required(shape, "filename")?;
                let scale = self.vector_or(shape, "scale", V3::new(1.0, 1.0, 1.0));
                Some(Shape::Mesh(self.mesh(file, scale)))
            }
            _ => None, // reported already, as an unknown element
        }
    }

    fn length(&mut self, shape: &'t Element, name: &str) -> Option<f64> {
        let value = self.required_number(shape, name)?;
        self.refuse_negative(shape, name, value);
        Some(value)
    }

    fn refuse_negative(&mut self, shape: &Element, name: &str, value: f64) {
        if value < 0.0 {
            let message = format!("`{name}` of <{}> has {value}, which is negative", shape.tag);
            let place = shape.get(name).map_or(shape.place, |a| a.place);
            self.report.error("urdf::negative", message).at(place).help("give lengths above 0, in metres");
        }
    }

    /// The mesh with this file name and scale. Only its existence is checked: dynamics need no meshes.
    fn mesh(&mut self, file: &Attribute, scale: V3) -> Arc<Mesh> {
        let key = (file.value.clone(), scale.array().map(f64::to_bits));
        if let Some(known) = self.meshes.get(&key) {
            return known.clone();
        }
        let name = file.value.clone();
        let mesh = match self.paths.find(&name) {
            Ok(path) => Mesh::in_file(name, path, read_for_model),
            Err(NotFound::In(tried)) => {
                let message = format!("there is no mesh file \"{name}\"");
                let help = format!("looked for {}; {}", places(&tried), self.paths.advice());
                self.report.warning("urdf::missing-mesh", message).at(file.place).help(help);
                match tried.into_iter().next() {
                    Some(path) => Mesh::in_file(name, path, read_for_model),
                    None => Mesh::missing(name.clone(), format!("there is no mesh file \"{name}\"")),
                }
            }
            Err(NotFound::Outside) => {
                let message = Outside::message(&name);
                self.report.warning(Outside::CODE, &message).at(file.place).help(Outside::HELP);
                Mesh::missing(name, message)
            }
        };
        let mesh = Arc::new(mesh.scaled(scale));
        self.d.meshes.push(mesh.clone());
        self.meshes.insert(key, mesh.clone());
        mesh
    }
}

/// Some of the places that were tried, relative to the working folder.
fn places(tried: &[PathBuf]) -> String {
    const MOST: usize = 2;
    let here = std::env::current_dir().unwrap_or_default();
    let short = |p: &PathBuf| p.strip_prefix(&here).unwrap_or(p).display().to_string();
    let list: Vec<String> = tried.iter().take(MOST).map(short).collect();
    let more = tried.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and in {more} other places") } else { String::new() };
    format!("{}{more}", list.join(", "))
}
