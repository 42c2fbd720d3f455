//! Which pixels a triangle covers: those whose centres lie inside, found in integer arithmetic so that triangles with a common
//! edge share it without gap or overlap [Pineda88].

/// The corners of triangles are rounded to the nearest of this many positions in a pixel.
const PLACES: i64 = 16;
/// Beyond this, in pixels, integers might overflow; clipping keeps corners within.
pub(super) const FAR: f32 = 1e7;

/// Neighbouring pixels of a row.
pub(super) struct Span {
    /// The index of the first.
    pub start: usize,
    /// Their number.
    pub length: usize,
    /// The weights of the second and third corner at the first pixel.
    pub weights: [f32; 2],
    /// Their change from pixel to pixel.
    pub steps: [f32; 2],
}

/// Calls `row` with the pixels of each row that the triangle covers in a picture `width` × `height`. Triangles whose corners
/// appear counter-clockwise are drawn; others, seen from inside, only if `both`.
pub(super) fn spans(
    corners: [[f32; 2]; 3],
    [width, height]: [usize; 2],
    both: bool,
    mut row: impl FnMut(Span),
) {
    let [a, b, c] = corners.map(|p| p.map(nearest_place));
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area == 0 || (area > 0 && !both) {
        return;
    }
    let (b, c, swapped) = if area < 0 { (c, b, true) } else { (b, c, false) };
    let area = area.abs();
    let lowest = |k: usize| first_centre(a[k].min(b[k]).min(c[k])).max(0);
    let highest =
        |k: usize, size: usize| (first_centre(a[k].max(b[k]).max(c[k]) + 1) - 1).min(size as i64 - 1);
    let (left, right) = (lowest(0), highest(0, width));
    // the edge opposite to each corner: its value is area at that corner and 0 on the edge
    let edges = [Edge::new(b, c), Edge::new(c, a), Edge::new(a, b)];
    let scale = 1.0 / area as f32;
    let steps = [edges[1].step as f32 * scale, edges[2].step as f32 * scale];
    for y in lowest(1)..=highest(1, height) {
        let (mut from, mut to) = (left, right);
        edges.iter().for_each(|e| e.narrow(y, &mut from, &mut to));
        if from > to {
            continue;
        }
        let weight = |e: &Edge| (e.value(from, y)) as f32 * scale;
        let weights = [weight(&edges[1]), weight(&edges[2])];
        let turn = |[u, v]: [f32; 2]| if swapped { [v, u] } else { [u, v] };
        let start = y as usize * width + from as usize;
        row(Span { start, length: (to - from + 1) as usize, weights: turn(weights), steps: turn(steps) });
    }
}

/// Rounds by truncation, which is fast on every machine.
fn nearest_place(x: f32) -> i64 {
    const POSITIVE: i64 = 1 << 40;
    (f64::from(x) * PLACES as f64 + 0.5 + POSITIVE as f64) as i64 - POSITIVE
}

/// The first pixel whose centre is not before `x`.
fn first_centre(x: i64) -> i64 {
    (x - PLACES / 2 + PLACES - 1).div_euclid(PLACES)
}

struct Edge {
    from: [i64; 2],
    along: [i64; 2],
    /// Change of the value from pixel to pixel of a row.
    step: i64,
    /// Centres on an edge belong to one of the two triangles that share it.
    least: i64,
}

impl Edge {
    fn new(from: [i64; 2], to: [i64; 2]) -> Edge {
        let along = [to[0] - from[0], to[1] - from[1]];
        let mine = along[1] > 0 || (along[1] == 0 && along[0] > 0);
        Edge { from, along, step: -along[1] * PLACES, least: i64::from(!mine) }
    }

    fn value(&self, x: i64, y: i64) -> i64 {
        let centre = |k: i64| PLACES * k + PLACES / 2;
        self.along[0] * (centre(y) - self.from[1]) - self.along[1] * (centre(x) - self.from[0])
    }

    /// Restricts `from..=to` to the part inside.
    fn narrow(&self, y: i64, from: &mut i64, to: &mut i64) {
        let missing = self.least - self.value(0, y);
        match self.step {
            0 if missing > 0 => *to = *from - 1,
            0 => {}
            step if step > 0 => *from = (*from).max(-(-missing).div_euclid(step)),
            step => *to = (*to).min((-missing).div_euclid(-step)),
        }
    }
}
