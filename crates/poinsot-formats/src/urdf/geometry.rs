//! `<visual>` and `<collision>`: shapes, and the mesh files they name.

use super::Reader;
use crate::description::{ContactParameters, Form, Geom, Mesh, Role};
use crate::xml::{Attribute, Element, ElementId};
use poinsot_core::algebra::V3;
use poinsot_core::spatial::Pose;

/// The colour of what has none.
pub(super) const GREY: [f64; 4] = [0.5, 0.5, 0.5, 1.0];

impl<'t> Reader<'t> {
    /// The geom of a `<visual>` or `<collision>`; `None` (and something in the report) without a shape.
    pub fn read_geom(&mut self, id: ElementId, role: Role) -> Option<Geom> {
        let element = &self.tree[id];
        let pose = self.origin(id);
        let shape = self.child_id(id, "geometry").and_then(|g| self.tree.children(g).next());
        let Some((_, shape)) = shape else {
            let message = format!("<{}> has no shape: it is left out", element.tag);
            self.report.warning("urdf::no-shape", message).at(element.place);
            return None;
        };
        let form = self.read_form(shape)?;
        let material = self.read_material_of(id);
        let seen = role == Role::Visual;
        let contact = ContactParameters::default();
        Some(Geom {
            name: element.text("name").unwrap_or_default().to_string(),
            form,
            pose,
            role,
            mass: None,
            density: 0.0,
            shell: false,
            fluid_ellipsoid: false,
            contact: if seen { ContactParameters { contype: 0, conaffinity: 0, ..contact } } else { contact },
            group: i32::from(seen),
            rgba: material.map_or(GREY, |m| self.d.materials[m].rgba),
            material,
            place: element.place,
        })
    }

    fn read_form(&mut self, shape: &'t Element) -> Option<Form> {
        let mut length = |name: &str| self.length(shape, name);
        match shape.tag.as_str() {
            "box" => {
                let size = self.required(shape, "size").and_then(|a| self.numbers::<3>(a))?;
                Some(Form::Box { size: V3::from(size) })
            }
            "sphere" => Some(Form::Sphere { radius: length("radius")? }),
            "cylinder" => Some(Form::Cylinder { radius: length("radius")?, length: length("length")? }),
            "capsule" => Some(Form::Capsule { radius: length("radius")?, length: length("length")? }),
            "plane" => Some(Form::Plane { x: 0.0, y: 0.0 }),
            "mesh" => {
                let file = self.required(shape, "filename")?;
                let scale = self.vector_or(shape, "scale", V3::new(1.0, 1.0, 1.0));
                Some(Form::Mesh { mesh: self.mesh_number(file), scale })
            }
            _ => None, // told already, as an unknown element
        }
    }

    fn length(&mut self, shape: &'t Element, name: &str) -> Option<f64> {
        let value = self.required_number(shape, name)?;
        if value < 0.0 {
            let message = format!("`{name}` of <{}> is {value}, which is negative", shape.tag);
            let place = shape.get(name).map_or(shape.place, |a| a.place);
            self.report.warning("urdf::negative", message).at(place);
        }
        Some(value)
    }

    /// The number of the mesh with this file name. Only its existence is looked at: dynamics need no meshes.
    fn mesh_number(&mut self, file: &Attribute) -> usize {
        if let Some(number) = self.meshes.get(&file.value) {
            return *number;
        }
        let found = self.paths.find(&file.value);
        if let Err(tried) = &found {
            let message = format!("there is no mesh file \"{}\"", file.value);
            let d = self.report.warning("urdf::missing-mesh", message).at(file.place);
            let list: Vec<String> = tried.iter().map(|p| p.display().to_string()).collect();
            d.help(if list.is_empty() {
                "no folder to look in is known; name one with the search path".to_string()
            } else {
                format!(
                    "looked for {}; name a folder with the search path or ROS_PACKAGE_PATH",
                    list.join(", ")
                )
            });
        }
        let number = self.d.meshes.len();
        self.d.meshes.push(Mesh {
            name: file.value.clone(),
            file: Some(
                found.unwrap_or_else(|tried| tried.into_iter().next().unwrap_or((&file.value).into())),
            ),
            scale: V3::new(1.0, 1.0, 1.0),
            reference: Pose::IDENTITY,
            vertices: Vec::new(),
            triangles: Vec::new(),
            place: file.place,
        });
        self.meshes.insert(file.value.clone(), number);
        number
    }
}
