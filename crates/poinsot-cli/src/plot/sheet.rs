//! A picture before it is drawn: panels of curves below one another.

/// A picture.
pub struct Sheet {
    pub title: String,
    pub panels: Vec<Panel>,
    pub panel_height: f64,
}

/// Curves over two axes.
pub struct Panel {
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
    /// True if the names of the curves are shown.
    pub legend: bool,
    /// True if every point has a mark.
    pub marks: bool,
}

/// An axis.
pub struct Axis {
    /// A name and a unit.
    pub label: String,
    pub logarithmic: bool,
    /// The range of a linear axis; `None`: that of the curves.
    pub range: Option<(f64, f64)>,
}

/// A line through points.
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub pen: Pen,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    pub colour: &'static str,
    pub stroke: Stroke,
    pub width: f64,
}

/// Solid or dashed, and with which marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stroke {
    Solid,
    Dashed,
    Dotted,
    DashDot,
}

impl Stroke {
    const ALL: [Stroke; 4] = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted, Stroke::DashDot];
}

/// Colours that people with any colour vision can tell apart (Okabe and Ito), without the yellow that vanishes on white.
const COLOURS: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", BLACK, "#999999"];
const BLACK: &str = "#000000";
const WIDTH: f64 = 1.3;
const NARROW: f64 = 1.0;
const WIDE: f64 = 3.0;

/// A line of a legend.
const LEGEND_LINE: f64 = 22.0;

/// A height at which every legend is complete.
pub fn panel_height(least: f64, panels: &[Panel]) -> f64 {
    let lines = panels.iter().filter(|p| p.legend).map(|p| p.curves.len()).max().unwrap_or(0);
    least.max(LEGEND_LINE * lines as f64)
}

impl Pen {
    /// The style for the sum of the others.
    pub const BLACK: Pen = Pen { colour: BLACK, stroke: Stroke::Solid, width: WIDTH };

    /// Thirty-two that can be told apart: eight colours, then the same dashed, dotted and both.
    pub fn number(k: usize) -> Pen {
        let stroke = Stroke::ALL[(k / COLOURS.len()) % Stroke::ALL.len()];
        Pen { colour: COLOURS[k % COLOURS.len()], stroke, width: WIDTH }
    }

    /// As above, each narrower than the one before, so that coincident curves can all be seen.
    pub fn narrowing(k: usize, of: usize) -> Pen {
        let width = NARROW + (WIDE - NARROW) * (of - 1 - k) as f64 / of.max(2) as f64;
        Pen { width, ..Pen::number(k) }
    }
}

impl Axis {
    /// The position of a number on the axis; `None` if it cannot be shown.
    pub fn place(&self, x: f64) -> Option<f64> {
        let place = if self.logarithmic { x.log10() } else { x };
        place.is_finite().then_some(place)
    }

    /// The range of the axis: whole decades if it is logarithmic.
    pub fn ends(&self, places: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        if !self.logarithmic {
            return self.range;
        }
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let (low, high) = (low.floor(), high.ceil());
        low.is_finite().then(|| (low, high.max(low + 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_of_many_curves_look_alike() {
        let pens: Vec<Pen> = (0..32).map(Pen::number).collect();
        assert!((0..32).all(|k| (0..k).all(|j| pens[j] != pens[k])));
    }
}
