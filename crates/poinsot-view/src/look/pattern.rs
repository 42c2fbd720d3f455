//! MJCF's built-in textures.

use crate::picture::Picture;
use poinsot::formats::Texture;

/// Pixels in each direction.
const SIZE: usize = 256;
/// The width of a mark, in pixels.
const MARK: usize = 2;
/// One pixel in this many is marked at random.
const SELDOM: u32 = 100;

/// The picture of a pattern; `None` if it has none.
pub(super) fn pattern(texture: &Texture) -> Option<Picture> {
    let dot = |x: usize, y: usize| match texture.builtin.as_str() {
        "flat" => Some(texture.rgb1),
        // the first colour is in the lower left and in the upper right
        "checker" if (x < SIZE / 2) == (y >= SIZE / 2) => Some(texture.rgb1),
        "checker" => Some(texture.rgb2),
        "gradient" => {
            // from the first colour in the middle to the second at the corners
            let from = |k: usize| 2.0 * (k as f64 + 0.5) / SIZE as f64 - 1.0;
            let share = (0.5 * (from(x) * from(x) + from(y) * from(y))).sqrt();
            let mixed = |k: usize| texture.rgb1[k] + (texture.rgb2[k] - texture.rgb1[k]) * share;
            Some([mixed(0), mixed(1), mixed(2)])
        }
        _ => None,
    };
    let mut random = 1_u32;
    let mut marked = |x: usize, y: usize| match texture.mark.0.as_str() {
        "edge" => [x, y].iter().any(|k| *k < MARK || *k >= SIZE - MARK),
        "cross" => [x, y].iter().any(|k| k.abs_diff(SIZE / 2) < MARK),
        "random" => {
            // any numbers will do, provided they are the same every time
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8).is_multiple_of(SELDOM)
        }
        _ => false,
    };
    let mut rgba = Vec::with_capacity(4 * SIZE * SIZE);
    for y in 0..SIZE {
        for x in 0..SIZE {
            let colour = if marked(x, y) { texture.mark.1 } else { dot(x, y)? };
            rgba.extend(colour.map(|c| (255.0 * c.clamp(0.0, 1.0) + 0.5) as u8));
            rgba.push(255);
        }
    }
    Picture::made(SIZE, SIZE, rgba)
}
