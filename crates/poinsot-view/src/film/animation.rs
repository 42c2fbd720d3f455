//! Animated GIF: each picture has its own 255 colours, and contains only what has changed since the previous one.
//!
//! The colours are chosen for the whole picture, not only for the part that has changed: otherwise the background would reappear in colours
//! chosen for what had covered it.

use super::palette::Palette;
use super::{Film, FilmError, check_rate, check_size, unwritten};
use crate::raster::Image;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use poinsot::AtomicFile;
use std::io;
use std::path::{Path, PathBuf};

/// Writes an animated GIF that loops forever.
pub struct Animation {
    path: PathBuf,
    rate: f64,
    file: Option<AtomicFile>,
    encoder: Option<Encoder<AtomicFile>>,
    size: Option<(usize, usize)>,
    shown: Shown,
    count: u64,
    /// The picture shown until the next, and its time in hundredths of a second.
    waiting: Option<(Frame<'static>, u64)>,
}

/// Browsers show pictures that last less than this, in hundredths of a second, for much longer.
const SHORTEST: u64 = 2;
/// Colours that differ by no more than this, of 255, are the same to the eye.
const NEAR: u8 = 2;

impl Animation {
    /// A film with this many pictures per second. GIF counts hundredths of a second and browsers need at least two of them: faster films
    /// skip pictures, so that time passes at the right speed.
    pub fn create(path: &Path, rate: f64) -> Result<Animation, FilmError> {
        check_rate(rate)?;
        let path = path.to_path_buf();
        let file = AtomicFile::create(&path).map_err(|e| unwritten(&path, e))?;
        let (encoder, size, shown) = (None, None, Shown::default());
        Ok(Animation { path, rate, file: Some(file), encoder, size, shown, count: 0, waiting: None })
    }

    /// When picture `number` is shown, in hundredths of a second.
    fn hundredths(&self, number: u64) -> u64 {
        (100.0 * number as f64 / self.rate + 0.5) as u64
    }

    fn begin(&mut self, width: u16, height: u16) -> Result<(), EncodingError> {
        if let Some(file) = self.file.take() {
            let mut encoder = Encoder::new(file, width, height, &[])?;
            encoder.set_repeat(Repeat::Infinite)?;
            self.encoder = Some(encoder);
        }
        Ok(())
    }

    fn release(&mut self, until: u64) -> Result<(), EncodingError> {
        if let (Some((mut frame, since)), Some(encoder)) = (self.waiting.take(), &mut self.encoder) {
            frame.delay = u16::try_from(until - since).unwrap_or(u16::MAX);
            encoder.write_frame(&frame)?;
        }
        Ok(())
    }

    fn failed(&self, error: EncodingError) -> FilmError {
        let source = match error {
            EncodingError::Io(source) => source,
            other => io::Error::other(other.to_string()),
        };
        unwritten(&self.path, source)
    }
}

impl Film for Animation {
    fn frame(&mut self, image: &Image) -> Result<(), FilmError> {
        check_size(&mut self.size, image)?;
        let small = |n: usize| u16::try_from(n).map_err(|_| FilmError::TooLarge);
        let (width, height) = (small(image.width)?, small(image.height)?);
        self.begin(width, height).map_err(|e| self.failed(e))?;
        let now = self.hundredths(self.count);
        self.count += 1;
        if self.waiting.as_ref().is_some_and(|(_, since)| now - since < SHORTEST) {
            return Ok(());
        }
        let Some(frame) = self.shown.changes(image) else { return Ok(()) };
        self.release(now).map_err(|e| self.failed(e))?;
        self.waiting = Some((frame, now));
        Ok(())
    }

    fn complete(mut self: Box<Self>) -> Result<Option<AtomicFile>, FilmError> {
        let until = self.hundredths(self.count);
        let since = self.waiting.as_ref().map_or(0, |(_, since)| *since);
        self.release(until.max(since + SHORTEST)).map_err(|e| self.failed(e))?;
        let Some(encoder) = self.encoder.take() else {
            return Err(FilmError::Empty { path: self.path });
        };
        let written = encoder.into_inner().and_then(|mut file| {
            file.complete()?;
            Ok(Some(file))
        });
        written.map_err(|e| self.failed(e))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// What has been shown: the original picture, and the colours that it was shown in.
#[derive(Default)]
struct Shown {
    meant: Vec<u8>,
    seen: Vec<u8>,
}

impl Shown {
    /// The part of `image` that must be drawn again, with the rest of it transparent; `None` if nothing differs.
    fn changes(&mut self, image: &Image) -> Option<Frame<'static>> {
        let new = self.differences(image);
        let at = |x: usize, y: usize| y * image.width + x;
        let (columns, rows) = (0..image.width, 0..image.height);
        let row_differs = |y: &usize| columns.clone().any(|x| new[at(x, *y)]);
        let (top, bottom) = (rows.clone().find(row_differs)?, rows.rev().find(row_differs)?);
        let column_differs = |x: &usize| (top..=bottom).any(|y| new[at(*x, y)]);
        let (left, right) =
            (columns.clone().find(column_differs)?, columns.clone().rev().find(column_differs)?);
        let palette = Palette::of(&image.rgb);
        let mut indices = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
        for k in (top..=bottom).flat_map(|y| at(left, y)..=at(right, y)) {
            if !new[k] {
                indices.push(Palette::OPEN);
                continue;
            }
            let dot = 3 * k..3 * k + 3;
            let (index, colour) = palette.nearest(&image.rgb[dot.clone()]);
            indices.push(index);
            self.seen[dot].copy_from_slice(&colour);
        }
        self.meant.clone_from(&image.rgb);
        // width and height are at most those of the picture, which were checked
        let (width, height) = ((right - left + 1) as u16, (bottom - top + 1) as u16);
        let mut frame =
            Frame::from_palette_pixels(width, height, indices, palette.colours, Some(Palette::OPEN));
        (frame.left, frame.top, frame.dispose) = (left as u16, top as u16, DisposalMethod::Keep);
        Some(frame)
    }

    /// Which pixels have changed and are not shown in the right colour.
    fn differences(&mut self, image: &Image) -> Vec<bool> {
        if self.seen.len() != image.rgb.len() {
            self.seen = vec![0; image.rgb.len()];
            return vec![true; image.rgb.len() / 3];
        }
        let dots = image.rgb.chunks_exact(3).zip(self.meant.chunks_exact(3)).zip(self.seen.chunks_exact(3));
        let far = |a: &[u8], b: &[u8]| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > NEAR);
        dots.map(|((now, meant), seen)| now != meant && far(now, seen)).collect()
    }
}
