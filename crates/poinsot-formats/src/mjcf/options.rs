//! `<option>`.

use super::Reader;
use super::attributes::Attributes;

const INTEGRATORS: [&str; 4] = ["Euler", "RK4", "implicit", "implicitfast"];

impl Reader<'_> {
    pub(super) fn read_options(&mut self) {
        let tree = self.tree;
        let (mut o_margin, mut overrides) = (0.0, false);
        let (mut o_friction, mut o_soft) = ([1.0, 1.0, 0.005, 0.0001, 0.0001], None);
        for (id, element) in tree.children(self.root).filter(|(_, e)| e.tag == "option") {
            let a = Attributes::new(tree, element, &[]);
            let o = &mut self.d.options;
            o.timestep = a.number_or(self.report, "timestep", o.timestep);
            o.gravity = a.vector(self.report, "gravity").unwrap_or(o.gravity);
            o.wind = a.vector(self.report, "wind").unwrap_or(o.wind);
            o.density = a.number_or(self.report, "density", o.density);
            o.viscosity = a.number_or(self.report, "viscosity", o.viscosity);
            o_margin = a.number_or(self.report, "o_margin", o_margin);
            if let Some(word) = a.word(self.report, "integrator", &INTEGRATORS) {
                o.integrator = word.to_string();
            }
            if !(o.timestep > 0.0 && o.timestep.is_finite()) {
                let message = format!("`timestep` is {} s, not a positive number", o.timestep);
                self.report.error("mjcf::bad-number", message).at(element.place);
            }
            if a.fill(self.report, "o_friction", &mut o_friction) {
                self.refuse_negative(a, "o_friction", &o_friction);
            }
            o_soft = a.get("o_solref").or(a.get("o_solimp")).or(o_soft);
            for (_, flags) in tree.children(id).filter(|(_, e)| e.tag == "flag") {
                for flag in &flags.attributes {
                    if !matches!(flag.value.as_str(), "enable" | "disable") {
                        let message = format!("flag `{}` is \"{}\"", flag.name, flag.value);
                        let error = self.report.error("mjcf::bad-keyword", message);
                        error.at(flag.place).help("it is `enable` or `disable`");
                    }
                    self.d.options.disabled.retain(|f| *f != flag.name);
                    // `override` is off by default, as few flags are
                    if flag.name == "override" {
                        overrides = flag.value == "enable";
                    } else if flag.value == "disable" {
                        self.d.options.disabled.push(flag.name.clone());
                    }
                }
            }
        }
        self.d.options.contact_margin = overrides.then_some(o_margin);
        self.d.options.contact_friction = overrides.then_some(o_friction);
        let [slide, across, _, roll, other] = o_friction;
        if overrides && (slide != across || roll != other) {
            let message = format!(
                "`o_friction` differs along the two directions: of geoms {slide} and {roll} are taken"
            );
            self.report.warning("mjcf::no-effect", message).help("pairs given by name have both directions");
        }
        if let (true, Some(given)) = (overrides, o_soft) {
            let message = format!("`{}` is read, but not used: contacts are rigid", given.name);
            self.report.note("mjcf::rigid-contact", message).at(given.place).help(super::YIELDING);
        }
        if self.d.options.is_disabled("gravity") {
            self.d.options.gravity = Default::default();
        }
    }
}
