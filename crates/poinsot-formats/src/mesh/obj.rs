//! Wavefront OBJ: vertices `v`, faces `f`, texture coordinates `vt`, and the materials that `usemtl` names. Normals and groups are
//! ignored. If the appearance is not needed, only vertices and faces are read, so that no other file is opened.

use super::mtl;
use super::painted::{Look, MeshMaterial, PaintedMesh};
use poinsot_core::algebra::V3;
use std::path::Path;

/// The triangles; with their appearance if the folder of the file is given.
pub(super) fn read(bytes: &[u8], folder: Option<&Path>) -> Result<PaintedMesh, String> {
    // a backslash at the end joins lines
    let text = String::from_utf8_lossy(bytes).replace("\\\r\n", " ").replace("\\\n", " ");
    let mut file = File::default();
    for (k, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let done = match (word, folder) {
            ("v", _) => file.vertex(rest, folder.is_some()),
            ("f", _) => file.face(rest),
            ("vt", Some(_)) => file.texture_at(rest),
            ("usemtl", Some(_)) => {
                file.material = Some(file.material(rest.trim()));
                Ok(())
            }
            ("mtllib", Some(folder)) => {
                match mtl::read(folder, rest.trim()) {
                    Ok(materials) => materials.into_iter().for_each(|m| file.define(m)),
                    Err(why) => file.painted.unread.push((rest.trim().to_string(), why)),
                }
                Ok(())
            }
            _ => Ok(()),
        };
        done.map_err(|why| format!("line {}: {why}", k + 1))?;
    }
    Ok(file.painted)
}

#[derive(Default)]
struct File {
    painted: PaintedMesh,
    texture_at: Vec<[f32; 2]>,
    /// The colours of the vertices; empty until one has a colour.
    colours: Vec<[f32; 4]>,
    /// The material of the faces that follow.
    material: Option<usize>,
}

impl File {
    fn vertex(&mut self, rest: &str, paint: bool) -> Result<(), String> {
        let numbers: Vec<f64> = rest.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let vertex = match numbers[..] {
            // four numbers: with a weight; more: with a colour
            [x, y, z, w] if w != 0.0 => V3::new(x, y, z) * (1.0 / w),
            [x, y, z, ..] => V3::new(x, y, z),
            _ => return Err("a vertex has fewer than 3 numbers".into()),
        };
        if let ([_, _, _, r, g, b, ..], true) = (&numbers[..], paint) {
            self.colours.resize(self.painted.mesh.vertices.len(), [1.0; 4]);
            self.colours.push([*r as f32, *g as f32, *b as f32, 1.0]);
        }
        self.painted.mesh.vertices.push(vertex);
        Ok(())
    }

    fn texture_at(&mut self, rest: &str) -> Result<(), String> {
        let mut numbers = rest.split_whitespace().map_while(|word| word.parse::<f32>().ok());
        let u = numbers.next().ok_or("a texture coordinate has no number")?;
        self.texture_at.push([u, 1.0 - numbers.next().unwrap_or(0.0)]);
        Ok(())
    }

    /// The index of a material, which may be defined later.
    fn material(&mut self, name: &str) -> usize {
        let list = &mut self.painted.materials;
        list.iter().position(|m| m.name == name).unwrap_or_else(|| {
            list.push(MeshMaterial::white(name));
            list.len() - 1
        })
    }

    fn define(&mut self, material: MeshMaterial) {
        let number = self.material(&material.name);
        self.painted.materials[number] = material;
    }

    /// The fan of triangles of a polygon.
    fn face(&mut self, rest: &str) -> Result<(), String> {
        let corners = rest.split_whitespace().map(|word| self.corner(word));
        let corners = corners.collect::<Result<Vec<Corner>, String>>()?;
        let Some((first, others)) = corners.split_first() else { return Ok(()) };
        for pair in others.windows(2) {
            let fan = [*first, pair[0], pair[1]];
            let textured = fan.iter().all(|c| c.texture.is_some());
            let coloured = !self.colours.is_empty();
            let colour = |v: usize| self.colours.get(v).copied().unwrap_or([1.0; 4]);
            let look = Look {
                material: self.material,
                texture_at: textured.then(|| fan.map(|c| c.texture.unwrap_or_default())),
                colours: coloured.then(|| fan.map(|c| colour(c.vertex))),
            };
            self.painted.push(fan.map(|c| c.vertex), &look);
        }
        Ok(())
    }

    /// `vertex/texture/normal`; all but the first may be left out.
    fn corner(&self, word: &str) -> Result<Corner, String> {
        let count = self.painted.mesh.vertices.len();
        let mut numbers = word.split('/').map(|n| n.parse::<i64>().ok());
        let vertex = numbers.next().flatten().and_then(|n| counted(n, count));
        let vertex =
            vertex.ok_or_else(|| format!("\"{word}\" names none of the {count} vertices before it"))?;
        let texture = numbers.next().flatten().and_then(|n| counted(n, self.texture_at.len()));
        Ok(Corner { vertex, texture: texture.map(|k| self.texture_at[k]) })
    }
}

#[derive(Clone, Copy)]
struct Corner {
    vertex: usize,
    texture: Option<[f32; 2]>,
}

/// An index counted from 1, or backwards from the last of `count`.
fn counted(number: i64, count: usize) -> Option<usize> {
    let index = if number < 0 { number.saturating_add_unsigned(count as u64) } else { number - 1 };
    usize::try_from(index).ok().filter(|k| *k < count)
}
