//! Surface colour: colours at vertices, and a picture, averaged over the area that a pixel covers [Williams83].

use super::vector::{Vector, add, mix, scale};
use crate::picture::Picture;

/// A picture at full size, half size, and so on down to one pixel; brightness is linear.
pub(super) struct Pyramid {
    levels: Vec<Level>,
}

struct Level {
    size: [usize; 2],
    dots: Vec<Vector>,
}

impl Pyramid {
    pub fn of(picture: &Picture) -> Pyramid {
        let bright = |x: u8| {
            let seen = f32::from(x) / 255.0;
            seen * seen
        };
        let dots = picture.rgba.chunks_exact(4).map(|d| [bright(d[0]), bright(d[1]), bright(d[2])]).collect();
        let mut levels = vec![Level { size: [picture.width, picture.height], dots }];
        while let Some(half) = levels.last().and_then(Level::half) {
            levels.push(half);
        }
        Pyramid { levels }
    }

    /// The level whose pixels have about the size `part`, a fraction of the picture's area.
    pub fn level(&self, part: f32) -> usize {
        let [width, height] = self.levels[0].size;
        let mut dots = part * (width * height) as f32;
        let mut level = 0;
        while dots > 2.0 && level + 1 < self.levels.len() {
            dots *= 0.25;
            level += 1;
        }
        level
    }

    /// The brightness at a place, in widths and heights of the picture, which repeats.
    pub fn at(&self, [u, v]: [f32; 2], level: usize) -> Vector {
        let Level { size: [width, height], dots } = &self.levels[level];
        let place = |x: f32, n: usize| {
            let x = (x - x.floor()) * n as f32 - 0.5;
            let first = x.floor();
            let number = |k: i64| k.rem_euclid(n as i64) as usize;
            (number(first as i64), number(first as i64 + 1), x - first)
        };
        if !(u.is_finite() && v.is_finite()) {
            return dots[0];
        }
        let ((left, right, x), (above, below, y)) = (place(u, *width), place(v, *height));
        let row = |r: usize| mix(dots[r * width + left], dots[r * width + right], x);
        mix(row(above), row(below), y)
    }
}

impl Level {
    /// The means of two by two pixels; `None` for a single pixel.
    fn half(&self) -> Option<Level> {
        let [width, height] = self.size;
        if width * height <= 1 {
            return None;
        }
        let size = [(width / 2).max(1), (height / 2).max(1)];
        let dot = |x: usize, y: usize| self.dots[y.min(height - 1) * width + x.min(width - 1)];
        let mean = |x: usize, y: usize| {
            let (x, y) = (2 * x, 2 * y);
            scale(add(add(dot(x, y), dot(x + 1, y)), add(dot(x, y + 1), dot(x + 1, y + 1))), 0.25)
        };
        let dots =
            (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y))).map(|(x, y)| mean(x, y)).collect();
        Some(Level { size, dots })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_repeats_and_is_averaged() {
        let rgba = [255, 0, 0, 255].into_iter().flat_map(|x| [x, x, x, 255]).collect();
        let pyramid = Pyramid::of(&Picture::made(2, 2, rgba).unwrap());
        assert_eq!(pyramid.at([0.25, 0.25], 0), [1.0; 3]);
        assert_eq!(pyramid.at([-2.25, 7.25], 0), [0.0; 3]);
        assert_eq!((pyramid.at([0.1, 0.6], 1), pyramid.level(4.0), pyramid.level(0.01)), ([0.5; 3], 1, 0));
    }
}
