//! What MJCF cannot express, in its `<custom>` section, which MuJoCo reads and ignores: restitution, stiffness and damping
//! of contacts. A `<numeric>` is the model's default, a `<tuple>` sets it for geoms by name. [Constraints and
//! limits](super::custom_soft) are softened in the same way.
//!
//! ```xml
//! <custom>
//!   <numeric name="poinsot:restitution" data="0.5"/>
//!   <tuple name="poinsot:stiffness"><element objtype="geom" objname="ball" prm="1e5"/></tuple>
//! </custom>
//! ```

use super::Reader;
use super::custom_soft::SoftSettings;
use crate::diagnostic::Place;
use crate::xml::ElementId;
use poinsot_core::model::Material;

/// The prefix of our names.
const OURS: &str = "poinsot:";
/// The advice on soft contact.
pub(crate) const YIELDING: &str = "`--soft-contact` (Python: soft_contact=True) makes contacts yield as they say; poinsot:stiffness and poinsot:damping in <custom> do so for single geoms (docs/contact.md)";

/// One of our settings: what follows the prefix, what it sets, and the largest number it takes.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub word: &'static str,
    set: fn(&mut Material, f64),
    most: f64,
}

const SETTINGS: [Setting; 3] = [
    Setting { word: "restitution", set: |m, x| m.restitution = x, most: 1.0 },
    Setting { word: "stiffness", set: |m, x| m.stiffness = Some(x), most: f64::MAX },
    Setting { word: "damping", set: |m, x| m.damping = Some(x), most: f64::MAX },
];

impl Reader<'_> {
    /// Reads our settings in `<custom>`, after geoms, joints and equalities.
    pub(super) fn read_custom(&mut self) {
        let section = self.section("custom");
        let ours: Vec<(ElementId, &str, Setting)> =
            section.into_iter().filter_map(|(id, tag)| Some((id, tag, self.setting(id)?))).collect();
        // defaults first, whatever the order
        for (id, tag, setting) in &ours {
            let a = self.attributes(*id, 0);
            match *tag {
                "numeric" if a.required(self.report, "data").is_some() => {
                    if let Some(value) = self.checked(*id, "data", *setting) {
                        let geoms = self.d.bodies.iter_mut().flat_map(|b| &mut b.geoms);
                        geoms.for_each(|g| (setting.set)(&mut g.geom.material, value));
                    }
                }
                "numeric" | "tuple" => {}
                other => {
                    let message = format!("<{other}> says nothing of \"{}\"", a.name());
                    let help = "give a <numeric> for all geoms, or a <tuple> for some";
                    self.report.error("mjcf::bad-value", message).at(a.place()).help(help);
                }
            }
        }
        let mut yielding = Vec::new();
        for (id, _, setting) in ours.iter().filter(|(_, tag, _)| *tag == "tuple") {
            let elements: Vec<ElementId> = self.tree.children(*id).map(|(id, _)| id).collect();
            elements
                .into_iter()
                .for_each(|element| self.read_tuple_element(element, *setting, &mut yielding));
        }
        self.make_yield(yielding);
        let damped = ours.iter().find(|(_, _, s)| s.word == "damping").map(|(id, ..)| self.tree[*id].place);
        damped.iter().for_each(|place| self.report_idle_damping(*place));
    }

    /// The setting that an element names; an error if there is no such setting.
    fn setting(&mut self, id: ElementId) -> Option<Setting> {
        let a = self.attributes(id, 0);
        let name = a.name();
        let start = name.trim_start().get(..OURS.len())?;
        if !start.eq_ignore_ascii_case(OURS) {
            return None;
        }
        let found = SETTINGS.into_iter().find(|s| name.strip_prefix(OURS) == Some(s.word));
        if found.is_none() {
            let all = SETTINGS.map(|s| format!("{OURS}{}", s.word));
            let meant = self.report.meant(&name.trim().to_lowercase(), all.iter().map(String::as_str));
            let help = match meant {
                Some(word) => format!("did you mean \"{word}\"?"),
                None => format!("there are {}", all.join(", ")),
            };
            let message = format!("there is no custom setting \"{name}\"");
            self.report.error("mjcf::unknown-name", message).at(a.place()).help(help);
        }
        found
    }

    /// The value of an attribute, if it is valid for the setting.
    pub(super) fn checked(
        &mut self,
        id: ElementId,
        attribute: &'static str,
        setting: Setting,
    ) -> Option<f64> {
        let a = self.attributes(id, 0);
        let (given, value) = (a.required(self.report, attribute)?, a.number(self.report, attribute)?);
        if (0.0..=setting.most).contains(&value) {
            return Some(value);
        }
        let wanted =
            if setting.most == 1.0 { "a number from 0 to 1" } else { "a finite number of 0 or more" };
        let message = format!("{OURS}{} is {value}", setting.word);
        self.report.error("mjcf::bad-number", message).at(given.place).help(format!("give {wanted}"));
        None
    }

    fn read_tuple_element(&mut self, id: ElementId, setting: Setting, yielding: &mut Vec<SoftSettings>) {
        let a = self.attributes(id, 0);
        let kind = a.text("objtype").unwrap_or_default().to_string();
        match kind.as_str() {
            "geom" => {}
            "joint" | "equality" => return self.read_yielding(id, setting, yielding),
            _ => {
                let message = format!("{OURS}{} is not of objtype \"{kind}\"", setting.word);
                let help = "give objtype=\"geom\"; of stiffness and damping also \"joint\", for the ends of its range, and \"equality\"";
                self.report.error("mjcf::bad-value", message).at(a.place()).help(help);
                return;
            }
        }
        let (Some(_), Some(value)) = (self.reference(a, "objname", "geom"), self.checked(id, "prm", setting))
        else {
            return;
        };
        let name = a.text("objname").unwrap_or_default();
        let geoms = self.d.bodies.iter_mut().flat_map(|b| &mut b.geoms);
        geoms.filter(|g| g.geom.name == name).for_each(|g| (setting.set)(&mut g.geom.material, value));
    }

    /// A damper without a spring: the contact is rigid.
    fn report_idle_damping(&mut self, place: Place) {
        let idle = |m: &Material| m.damping.is_some() && m.stiffness.is_none();
        let count = self.d.geoms().filter(|(_, g)| idle(&g.geom.material)).count();
        if count > 0 {
            let geoms = if count == 1 { "1 geom has" } else { &format!("{count} geoms have") };
            let message = format!("{geoms} damping, but no stiffness: their contacts are rigid");
            let help = "give them poinsot:stiffness as well; the damping acts only against geoms that have a stiffness";
            self.report.warning("mjcf::no-effect", message).at(place).help(help);
        }
    }
}
