//! From numbers to SVG and PNG.

use super::{Curve, Figure, MOST_IN_PANEL, Panel};
use kuva::backend::svg::SvgBackend;
use kuva::plot::LinePlot;
use kuva::plot::legend::LegendPosition;
use kuva::render::figure::Figure as Sheet;
use kuva::render::layout::Layout;
use kuva::render::plots::Plot;
use kuva::render::render::Scene;

/// Colours that people with any colour vision tell apart (Okabe and Ito), without the yellow that white swallows.
const COLOURS: [&str; MOST_IN_PANEL] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", BLACK, "#999999"];
const BLACK: &str = "#000000";

const WIDTH: f64 = 900.0;
const PANEL_HEIGHT: f64 = 270.0;
/// A PNG has this many dots for each unit of the SVG.
const SCALE: f32 = 2.0;

/// The picture as SVG text.
pub fn svg(figure: &Figure) -> String {
    SvgBackend.render_scene(&scene(figure))
}

/// The picture as the bytes of a PNG file.
pub fn png(figure: &Figure) -> Result<Vec<u8>, String> {
    kuva::RasterBackend::new().with_scale(SCALE).render_scene(&scene(figure))
}

fn scene(figure: &Figure) -> Scene {
    let count = figure.panels.len();
    let (mut plots, mut layouts) = (Vec::new(), Vec::new());
    let longest = figure.panels.iter().flat_map(|p| &p.curves).map(|c| c.name.chars().count()).max();
    // room for the names at the right, the same for all panels so that their axes stand below one another
    let right = 55.0 + 7.2 * longest.unwrap_or(0).clamp(8, 40) as f64;
    for (k, panel) in figure.panels.iter().enumerate() {
        let (lines, left_out) = lines(panel, &figure.times);
        let mut layout = Layout::auto_from_plots(&lines)
            .with_y_label(axis(panel, left_out))
            .with_legend_position(LegendPosition::OutsideRightTop)
            .with_legend_box(false)
            .with_grid_line_width(0.5)
            .with_axis_line_width(0.8)
            .with_title_size(16)
            .with_label_size(13)
            .with_tick_size(11)
            .with_body_size(12)
            .with_force_margins(95.0, right);
        if let (Some(first), Some(last)) = (figure.times.first(), figure.times.last())
            && last > first
        {
            layout = layout.with_x_axis_min(*first).with_x_axis_max(*last);
        }
        if k + 1 == count {
            layout = layout.with_x_label("time, s");
        }
        plots.push(lines);
        layouts.push(layout);
    }
    Sheet::new(count, 1)
        .with_title(figure.title.clone())
        .with_title_size(18)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_spacing(8.0)
        .with_figure_size(WIDTH, 60.0 + PANEL_HEIGHT * count as f64)
        .render()
}

/// What the axis says; where curves were left out it says so.
fn axis(panel: &Panel, left_out: usize) -> String {
    match left_out {
        0 => panel.axis.clone(),
        n => format!("{} (top {MOST_IN_PANEL} of {})", panel.axis, n + MOST_IN_PANEL),
    }
}

/// The curves of a panel, and how many were left out: of too many, those that move most are drawn.
fn lines(panel: &Panel, times: &[f64]) -> (Vec<Plot>, usize) {
    let mut chosen: Vec<usize> = (0..panel.curves.len()).collect();
    if chosen.len() > MOST_IN_PANEL {
        chosen.sort_by(|a, b| range(&panel.curves[*b]).total_cmp(&range(&panel.curves[*a])));
        chosen.truncate(MOST_IN_PANEL);
        chosen.sort_unstable();
    }
    let left_out = panel.curves.len() - chosen.len();
    let drawn = chosen.iter().enumerate().map(|(n, k)| line(panel, &panel.curves[*k], n, times));
    (drawn.collect(), left_out)
}

fn line(panel: &Panel, curve: &Curve, number: usize, times: &[f64]) -> Plot {
    let first = if panel.changes { curve.values.first().copied().unwrap_or(0.0) } else { 0.0 };
    let points = times.iter().zip(&curve.values).map(|(t, x)| (*t, x - first));
    // the sum of the others is black
    let colour = if curve.name == "total" { BLACK } else { COLOURS[number % COLOURS.len()] };
    LinePlot::new()
        .with_data(points)
        .with_color(colour)
        .with_stroke_width(1.3)
        .with_legend(curve.name.clone())
        .into()
}

fn range(curve: &Curve) -> f64 {
    let (low, high) =
        curve.values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    high - low
}
