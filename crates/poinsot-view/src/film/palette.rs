//! 255 colours for a picture of many.
//!
//! Colours are sorted into cells of 64 steps in each of red, green and blue. A cell has the weight of the square root of the number of pixels it
//! contains, so that a thin line counts as well as a wide sky. From these a network learns its colours [Dekker94].

use color_quant::NeuQuant;

/// Colours, and which of them represents each cell.
pub struct Palette {
    /// Red, green and blue of each.
    pub colours: Vec<u8>,
    /// The colour of each cell that the picture has.
    of_cell: Vec<u8>,
}

const CELLS: usize = 1 << 18;

fn cell(dot: &[u8]) -> usize {
    usize::from(dot[0] >> 2) << 12 | usize::from(dot[1] >> 2) << 6 | usize::from(dot[2] >> 2)
}

impl Palette {
    /// The index that means no colour, after all others.
    pub const OPEN: u8 = 255;

    /// Colours for a picture.
    pub fn of(rgb: &[u8]) -> Palette {
        // red, green, blue and number of the pixels in a cell
        let mut sums = vec![[0u32; 4]; CELLS];
        for dot in rgb.chunks_exact(3) {
            let sum = &mut sums[cell(dot)];
            (0..3).for_each(|k| sum[k] += u32::from(dot[k]));
            sum[3] += 1;
        }
        let used = sums.iter().enumerate().filter(|(_, sum)| sum[3] > 0);
        let means: Vec<(usize, u32, [u8; 4])> = used
            .map(|(cell, [r, g, b, n])| {
                let mean = |sum: &u32| ((sum + n / 2) / n) as u8;
                (cell, *n, [mean(r), mean(g), mean(b), 255])
            })
            .collect();
        let mut of_cell = vec![0; CELLS];
        if means.len() <= usize::from(Palette::OPEN) {
            means.iter().zip(0..).for_each(|((cell, ..), k)| of_cell[*cell] = k);
            let colours = means.iter().flat_map(|(_, _, mean)| mean[..3].to_vec()).collect();
            return Palette { colours, of_cell };
        }
        let lesson: Vec<u8> = means
            .iter()
            .flat_map(|(_, n, mean)| {
                std::iter::repeat_n(*mean, f64::from(*n).sqrt().ceil() as usize).flatten()
            })
            .collect();
        let network = NeuQuant::new(1, usize::from(Palette::OPEN), &lesson);
        for (cell, _, mean) in &means {
            of_cell[*cell] = network.index_of(mean) as u8;
        }
        Palette { colours: network.color_map_rgb(), of_cell }
    }

    /// The index of the colour for a pixel of the picture, and the colour.
    pub fn nearest(&self, dot: &[u8]) -> (u8, [u8; 3]) {
        let index = self.of_cell[cell(dot)];
        let at = 3 * usize::from(index);
        (index, [self.colours[at], self.colours[at + 1], self.colours[at + 2]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thin_line_over_a_wide_sky_keeps_its_colour() {
        let mut rgb: Vec<u8> =
            (0..300_000u32).flat_map(|k| [(200 + k / 10_000) as u8, 220, (230 + k / 20_000) as u8]).collect();
        let ball = (0..5000u32).flat_map(|k| [(k % 120) as u8, (60 + k % 120) as u8, (100 + k % 120) as u8]);
        rgb.extend(ball);
        rgb.extend([213, 94, 0].repeat(60));
        let palette = Palette::of(&rgb);
        assert!(palette.colours.len() <= 3 * 255);
        for dot in rgb.chunks_exact(3).step_by(97).chain([&[213, 94, 0][..]]) {
            let (_, colour) = palette.nearest(dot);
            let far = dot.iter().zip(&colour).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(far <= Some(12), "{dot:?} became {colour:?}");
        }
    }
}
