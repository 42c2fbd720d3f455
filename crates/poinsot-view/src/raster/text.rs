//! Letters as strokes with a pen.
//!
//! A glyph is a list of strokes separated by spaces; a stroke is a list of points, each a column and a row: columns from 0, rows from 0 at the
//! foot of a descender; the base line is at 2, the tops of small letters at 6, of capitals at 8.

use super::image::Image;

const GLYPHS: [(char, &str); 76] = [
    ('a', "4536160503123243 4642"),
    ('b', "0802 0516364543321203"),
    ('c', "4536160503123243"),
    ('d', "4536160503123243 4842"),
    ('e', "04444536160503123243"),
    ('f', "38281712 0636"),
    ('g', "4536160503123243 46413010"),
    ('h', "0802 0516364542"),
    ('i', "0602 08"),
    ('j', "161100 18"),
    ('k', "0802 3604 1532"),
    ('l', "0802"),
    ('m', "0602 0516263532 3546566562"),
    ('n', "0602 0516364542"),
    ('o', "163645433212030516"),
    ('p', "0600 0516364543321203"),
    ('q', "4536160503123243 4640"),
    ('r', "0602 051636"),
    ('s', "45361605143443321203"),
    ('t', "18132232 0636"),
    ('u', "0603123243 4642"),
    ('v', "062246"),
    ('w', "0612365266"),
    ('x', "0642 0246"),
    ('y', "0622 4610"),
    ('z', "06460242"),
    ('A', "022842 1434"),
    ('B', "02083847463505 3544433202"),
    ('C', "4738180703123243"),
    ('D', "02082846442202"),
    ('E', "48080242 0535"),
    ('F', "480802 0535"),
    ('G', "47381807031232434525"),
    ('H', "0802 4842 0545"),
    ('I', "0802"),
    ('J', "4843321203"),
    ('K', "0802 4804 1542"),
    ('L', "080242"),
    ('M', "0208254842"),
    ('N', "02084248"),
    ('O', "183847433212030718"),
    ('P', "02083847463505"),
    ('Q', "183847433212030718 2442"),
    ('R', "02083847463505 2542"),
    ('S', "473818070615354443321203"),
    ('T', "0848 2822"),
    ('U', "080312324348"),
    ('V', "082248"),
    ('W', "0812365268"),
    ('X', "0842 0248"),
    ('Y', "082548 2522"),
    ('Z', "08480242"),
    ('0', "183847433212030718"),
    ('1', "071812"),
    ('2', "07183847460242"),
    ('3', "07183847463515 354443321203"),
    ('4', "32380444"),
    ('5', "480805354443321203"),
    ('6', "473818070312324344351504"),
    ('7', "084812"),
    ('8', "183847463515060718 153544433212030415"),
    ('9', "031232434738180706153546"),
    ('.', "02"),
    (',', "1201"),
    (':', "03 06"),
    ('-', "0434"),
    ('−', "0444"),
    ('+', "0444 2622"),
    ('=', "0343 0545"),
    ('(', "18070312"),
    (')', "08171302"),
    ('/', "0238"),
    ('_', "0141"),
    ('ω', "16050312223335 334252636556"),
    ('|', "0900"),
    ('?', "07183847463524 22"),
];

/// The height of capitals, in rows.
const CAPITAL: f32 = 6.0;

/// Text on a picture.
#[derive(Clone, Copy, Debug)]
pub struct Lettering {
    /// The height of capitals, in pixels.
    pub height: f32,
    /// Red, green, blue.
    pub colour: [u8; 3],
}

impl Lettering {
    /// The width of `text`, in pixels.
    pub fn width(&self, text: &str) -> f32 {
        let columns: f32 = text.chars().map(|c| advance(strokes(c))).sum();
        (columns - GAP).max(0.0) * self.height / CAPITAL
    }

    /// Writes `text` with its left end and base line at column `x` and row `y`, on a pale halo.
    pub fn write(&self, image: &mut Image, text: &str, x: f32, y: f32) {
        let unit = self.height / CAPITAL;
        let pen = (0.085 * self.height).max(0.5);
        let mut pen_at = x;
        let mut segments = Vec::new();
        for c in text.chars() {
            let glyph = strokes(c);
            for stroke in glyph.split(' ').filter(|s| !s.is_empty()) {
                let digits: Vec<f32> = stroke.bytes().map(|b| f32::from(b - b'0')).collect();
                let place = |p: &[f32]| [pen_at + p[0] * unit, y - (p[1] - 2.0) * unit];
                let points: Vec<[f32; 2]> = digits.chunks_exact(2).map(place).collect();
                let pairs = points.windows(2).map(|p| [p[0], p[1]]);
                segments.extend(pairs);
                segments.extend((points.len() == 1).then(|| [points[0], points[0]]));
            }
            pen_at += advance(glyph) * unit;
        }
        ink(image, &segments, 2.2 * pen + 0.5, [255; 3], 0.6);
        ink(image, &segments, pen, self.colour, 1.0);
    }
}

/// Columns between letters.
const GAP: f32 = 2.0;

fn strokes(c: char) -> &'static str {
    GLYPHS.iter().find(|(g, _)| *g == c).map_or("", |(_, s)| s)
}

fn advance(glyph: &str) -> f32 {
    let columns = glyph.split(' ').flat_map(|s| s.bytes().step_by(2));
    columns.max().map_or(3.0, |widest| f32::from(widest - b'0') + GAP)
}

/// Draws segments with a round pen, each pixel once, however many segments cross it.
fn ink(image: &mut Image, segments: &[[[f32; 2]; 2]], pen: f32, colour: [u8; 3], strength: f32) {
    let all = || segments.iter().flatten();
    let bound = |k: usize, size: usize| {
        let low = all().map(|p| p[k]).fold(f32::INFINITY, f32::min) - pen - 1.0;
        let high = all().map(|p| p[k]).fold(f32::NEG_INFINITY, f32::max) + pen + 2.0;
        (low.clamp(0.0, size as f32) as usize)..(high.clamp(0.0, size as f32) as usize)
    };
    let (columns, rows) = (bound(0, image.width), bound(1, image.height));
    let mut cover = vec![0.0_f32; columns.len() * rows.len()];
    for [a, b] in segments {
        let within = |k: usize, range: &std::ops::Range<usize>| {
            let (low, high) = (a[k].min(b[k]) - pen - 1.0, a[k].max(b[k]) + pen + 2.0);
            (low.max(range.start as f32) as usize)..(high.max(0.0) as usize).min(range.end)
        };
        for y in within(1, &rows) {
            for x in within(0, &columns) {
                let share = (pen + 0.5 - distance([x as f32 + 0.5, y as f32 + 0.5], *a, *b)).clamp(0.0, 1.0);
                let here = &mut cover[(y - rows.start) * columns.len() + x - columns.start];
                *here = here.max(share);
            }
        }
    }
    for (k, share) in cover.into_iter().enumerate().filter(|(_, share)| *share > 0.0) {
        image.blend(
            columns.start + k % columns.len(),
            rows.start + k / columns.len(),
            colour,
            strength * share,
        );
    }
}

fn distance(p: [f32; 2], a: [f32; 2], b: [f32; 2]) -> f32 {
    let (along, d) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let square = (along[0] * along[0] + along[1] * along[1]).max(1e-12);
    let t = ((d[0] * along[0] + d[1] * along[1]) / square).clamp(0.0, 1.0);
    let off = [d[0] - t * along[0], d[1] - t * along[1]];
    (off[0] * off[0] + off[1] * off[1]).sqrt()
}
