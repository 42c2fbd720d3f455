//! The appearance of Collada's materials: a `<material>` names an `<effect>`, whose profile has a colour or a picture for the light it
//! scatters (`<diffuse>`), and its transparency.

use super::collada::{child, children, numbers};
use super::painted::MeshMaterial;
use roxmltree::Node;
use std::collections::HashMap;

type Ids<'a> = HashMap<&'a str, Node<'a, 'a>>;

/// Materials less opaque than this were meant to be opaque: programs disagree on what the numbers mean.
const UNSEEN: f64 = 0.01;

/// The material with this id; `None` if there is none, or if its effect is empty.
pub(super) fn material<'a>(id: &str, ids: &Ids<'a>) -> Result<Option<MeshMaterial>, String> {
    let found = || {
        let node = *ids.get(id).filter(|n| n.tag_name().name() == "material")?;
        let url = child(node, "instance_effect")?.attribute("url")?;
        let profile = child(*ids.get(url.trim_start_matches('#'))?, "profile_COMMON")?;
        let model = child(profile, "technique")?
            .children()
            .find(|c| matches!(c.tag_name().name(), "phong" | "lambert" | "blinn" | "constant"))?;
        Some((node, profile, model))
    };
    let Some((node, profile, model)) = found() else { return Ok(None) };
    let name = node.attribute("name").or(node.attribute("id")).unwrap_or_default();
    let mut made = MeshMaterial::white(name);
    // a material that only emits light has no <diffuse>
    let scattered = child(model, "diffuse").or_else(|| child(model, "emission"));
    if let Some(colour) = scattered.and_then(|d| child(d, "color")) {
        let rgba: Vec<f64> = numbers(colour)?;
        if let [r, g, b, ..] = rgba[..] {
            made.rgba = [r, g, b, 1.0];
        }
    }
    let sampler = scattered.and_then(|d| child(d, "texture")).and_then(|t| t.attribute("texture"));
    made.texture = sampler.and_then(|s| picture(s, profile, ids));
    made.rgba[3] = opacity(model)?;
    Ok(Some(made))
}

/// The file of the picture that a sampler samples: through a surface (Collada 1.4) or directly (1.5); some programs name the
/// image itself.
fn picture<'a>(sampler: &'a str, profile: Node<'a, 'a>, ids: &Ids<'a>) -> Option<String> {
    let parameter = |sid: &str, tag: &'static str| {
        let all = children(profile, "newparam");
        all.filter(|p| p.attribute("sid") == Some(sid)).find_map(|p| child(p, tag))
    };
    let word = |node: Node<'a, 'a>, tag: &'a str| child(node, tag).and_then(|n| n.text()).map(str::trim);
    let image = match parameter(sampler, "sampler2D") {
        None => sampler,
        Some(sampler) => match word(sampler, "source") {
            Some(surface) => word(parameter(surface, "surface")?, "init_from")?,
            None => child(sampler, "instance_image")?.attribute("url")?.trim_start_matches('#'),
        },
    };
    let from = child(*ids.get(image).filter(|n| n.tag_name().name() == "image")?, "init_from")?;
    let file = child(from, "ref").or(Some(from)).and_then(|n| n.text())?.trim();
    Some(file.to_string()).filter(|f| !f.is_empty())
}

/// The opacity of a material, from its transparency.
fn opacity(model: Node) -> Result<f64, String> {
    let clear = child(model, "transparent");
    let factor = child(model, "transparency").and_then(|t| child(t, "float"));
    let factor: Vec<f64> = factor.map_or(Ok(Vec::new()), numbers)?;
    let factor = factor.first().copied().unwrap_or(1.0);
    let colour: Vec<f64> = clear.and_then(|c| child(c, "color")).map_or(Ok(Vec::new()), numbers)?;
    let [r, g, b, a] = colour[..] else { return Ok(1.0) };
    let opacity = match clear.and_then(|c| c.attribute("opaque")) {
        Some("RGB_ZERO") => 1.0 - factor * (0.2126 * r + 0.7152 * g + 0.0722 * b),
        _ => a * factor,
    };
    Ok(if opacity > UNSEEN && opacity < 1.0 { opacity } else { 1.0 })
}
