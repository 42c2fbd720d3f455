//! From numbers to SVG and PNG.

use super::sheet::{Curve, Panel, Sheet, Stroke};
use kuva::backend::svg::SvgBackend;
use kuva::plot::legend::LegendPosition;
use kuva::plot::scatter::MarkerShape;
use kuva::plot::{LinePlot, ScatterPlot};
use kuva::render::figure::Figure;
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::Scene;
use std::sync::Arc;

const WIDTH: f64 = 900.0;
/// A PNG has this many dots for each unit of the SVG.
const SCALE: f32 = 2.0;

/// The picture as SVG text.
pub fn svg(sheet: &Sheet) -> String {
    SvgBackend.render_scene(&scene(sheet))
}

/// The picture as the bytes of a PNG file.
pub fn png(sheet: &Sheet) -> Result<Vec<u8>, String> {
    kuva::RasterBackend::new().with_scale(SCALE).render_scene(&scene(sheet))
}

fn scene(sheet: &Sheet) -> Scene {
    let count = sheet.panels.len();
    let longest = sheet.panels.iter().flat_map(|p| &p.curves).map(|c| c.name.chars().count()).max();
    // room for the names on the right, the same for all panels so that their axes are aligned
    let right = 55.0 + 7.2 * longest.unwrap_or(0).clamp(8, 40) as f64;
    let plots: Vec<Vec<Plot>> = sheet.panels.iter().map(plots).collect();
    let layouts = sheet.panels.iter().zip(&plots).map(|(panel, plots)| layout(panel, plots, right));
    let layouts = layouts.collect();
    Figure::new(count, 1)
        .with_title(sheet.title.clone())
        .with_title_size(18)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_spacing(8.0)
        .with_figure_size(WIDTH, 60.0 + sheet.panel_height * count as f64)
        .render()
}

fn layout(panel: &Panel, plots: &[Plot], right: f64) -> Layout {
    let mut layout = Layout::auto_from_plots(plots)
        .with_y_label(panel.y.label.clone())
        .with_legend_position(LegendPosition::OutsideRightTop)
        .with_legend_box(false)
        .with_grid_line_width(0.5)
        .with_axis_line_width(0.8)
        .with_title_size(16)
        .with_label_size(13)
        .with_tick_size(11)
        .with_body_size(12)
        .with_force_margins(95.0, right);
    if !panel.x.label.is_empty() {
        layout = layout.with_x_label(panel.x.label.clone());
    }
    let places = || panel.curves.iter().flat_map(|c| shown(panel, c));
    if let Some((low, high)) = panel.x.ends(places().map(|(x, _)| x)) {
        layout = layout.with_x_axis_min(low).with_x_axis_max(high);
        if panel.x.logarithmic {
            layout = layout.with_x_tick_step(decades(low, high)).with_x_tick_format(powers());
        }
    }
    if let Some((low, high)) = panel.y.ends(places().map(|(_, y)| y)) {
        layout = layout.with_y_axis_min(low).with_y_axis_max(high);
        if panel.y.logarithmic {
            layout = layout.with_y_tick_step(decades(low, high)).with_y_tick_format(powers());
        }
    }
    layout
}

/// Decades between ticks: at most about ten ticks. (kuva's own logarithmic axes end at 1e-10.)
fn decades(low: f64, high: f64) -> f64 {
    ((high - low) / 10.0).ceil()
}

/// 10⁻³ at −3.
fn powers() -> TickFormat {
    let superscript = |c: char| match c {
        '-' => '⁻',
        digit => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize - '0' as usize],
    };
    TickFormat::Custom(Arc::new(move |x| {
        format!("10{}", format!("{}", x.round() as i64).chars().map(superscript).collect::<String>())
    }))
}

fn plots(panel: &Panel) -> Vec<Plot> {
    let marks = panel.curves.iter().filter(|_| panel.marks).map(|c| marks(panel, c));
    panel.curves.iter().map(|c| line(panel, c)).chain(marks).collect()
}

/// The positions of the points of a curve.
fn shown<'a>(panel: &'a Panel, curve: &'a Curve) -> impl Iterator<Item = (f64, f64)> + 'a {
    curve.points.iter().filter_map(|(x, y)| Some((panel.x.place(*x)?, panel.y.place(*y)?)))
}

fn line(panel: &Panel, curve: &Curve) -> Plot {
    let mut line = LinePlot::new()
        .with_data(shown(panel, curve))
        .with_color(curve.pen.colour)
        .with_stroke_width(curve.pen.width);
    line = match curve.pen.stroke {
        Stroke::Solid => line,
        Stroke::Dashed => line.with_dashed(),
        Stroke::Dotted => line.with_dotted(),
        Stroke::DashDot => line.with_dashdot(),
    };
    if panel.legend {
        line = line.with_legend(curve.name.clone());
    }
    line.into()
}

fn marks(panel: &Panel, curve: &Curve) -> Plot {
    let shape = match curve.pen.stroke {
        Stroke::Solid => MarkerShape::Circle,
        Stroke::Dashed => MarkerShape::Square,
        Stroke::Dotted => MarkerShape::Triangle,
        Stroke::DashDot => MarkerShape::Diamond,
    };
    ScatterPlot::new()
        .with_data(shown(panel, curve))
        .with_color(curve.pen.colour)
        .with_size(2.5)
        .with_marker(shape)
        .into()
}
