//! MTL, the materials of OBJ files: `newmtl NAME`, the colour `Kd`, opacity `d` or `Tr`, the picture `map_Kd`.

use super::painted::MeshMaterial;
use crate::load::read_whole;
use std::path::{Path, PathBuf};

/// The materials of a library named by a mesh in the folder `folder`; or why there are none: the path leads elsewhere or cannot be read.
pub(super) fn read(folder: &Path, name: &str) -> Result<Vec<MeshMaterial>, String> {
    let inside = |path: PathBuf| {
        let (path, folder) = (path.canonicalize().ok()?, folder.canonicalize().ok()?);
        path.starts_with(folder).then_some(path)
    };
    let path = inside(folder.join(name)).ok_or("there is no such file next to the mesh")?;
    let bytes = read_whole(&path, true).map_err(|why| why.to_string())?;
    Ok(parse(&String::from_utf8_lossy(&bytes)))
}

fn parse(text: &str) -> Vec<MeshMaterial> {
    let mut list: Vec<MeshMaterial> = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or_default();
        if word == "newmtl" {
            list.push(MeshMaterial::white(rest.trim()));
        }
        let Some(material) = list.last_mut() else { continue };
        let numbers: Vec<f64> = rest.split_whitespace().map_while(|n| n.parse().ok()).collect();
        match (word, &numbers[..]) {
            ("Kd", [r, g, b, ..]) => material.rgba[..3].copy_from_slice(&[*r, *g, *b]),
            ("d", [d, ..]) => material.rgba[3] = *d,
            ("Tr", [clear, ..]) => material.rgba[3] = 1.0 - clear,
            // options precede the name, each with a dash
            ("map_Kd", _) => {
                let name = if rest.trim_start().starts_with('-') {
                    rest.split_whitespace().last()
                } else {
                    Some(rest.trim())
                };
                material.texture = name.map(str::to_string);
            }
            _ => {}
        }
    }
    for material in &mut list {
        // exporters write a black Kd along with a picture that replaces it, and opacity 0 for opaque materials
        let [r, g, b, opacity] = material.rgba;
        if material.texture.is_some() && r + g + b == 0.0 {
            material.rgba = [1.0, 1.0, 1.0, opacity];
        }
        if material.rgba[3] <= 0.0 {
            material.rgba[3] = 1.0;
        }
    }
    list
}
