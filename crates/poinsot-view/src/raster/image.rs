//! Pictures as bytes.

/// A picture of red, green and blue bytes, row by row from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Three bytes for each pixel.
    pub rgb: Vec<u8>,
}

impl Image {
    /// A picture of one colour.
    pub fn plain(width: usize, height: usize, colour: [u8; 3]) -> Image {
        Image { width, height, rgb: colour.repeat(width * height) }
    }

    /// The colour at column `x` and row `y`; `None` outside.
    pub fn dot(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        let inside = x < self.width && y < self.height;
        let at = 3 * (y * self.width + x);
        inside.then(|| [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]])
    }

    /// Copies `other` with its upper left corner at column `x` and row `y`; parts outside are clipped.
    pub fn place(&mut self, other: &Image, x: usize, y: usize) {
        let across = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let (to, from) = (3 * ((y + row) * self.width + x), 3 * row * other.width);
            self.rgb[to..to + 3 * across].copy_from_slice(&other.rgb[from..from + 3 * across]);
        }
    }

    /// Blends `colour` into a pixel with weight `share`.
    pub(super) fn blend(&mut self, x: usize, y: usize, colour: [u8; 3], share: f32) {
        let at = 3 * (y * self.width + x);
        for (old, new) in self.rgb[at..at + 3].iter_mut().zip(colour) {
            *old = (f32::from(*old) + (f32::from(new) - f32::from(*old)) * share + 0.5) as u8;
        }
    }

    /// The bytes of a PNG file; `None` for an empty picture.
    pub fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let sizes = (u32::try_from(self.width), u32::try_from(self.height));
        if let (Ok(width), Ok(height)) = sizes {
            let mut encoder = png::Encoder::new(&mut bytes, width, height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            let written = encoder.write_header().and_then(|mut w| w.write_image_data(&self.rgb));
            if written.is_err() {
                bytes.clear();
            }
        }
        bytes
    }
}
