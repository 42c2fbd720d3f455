//! Animated GIF: each picture has its own 256 colours, and holds only what has changed since the one before.

use super::{Film, FilmError, check_rate, check_size};
use crate::raster::Image;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes an animated GIF that runs for ever.
pub struct Animation {
    path: PathBuf,
    rate: f64,
    file: Option<File>,
    encoder: Option<Encoder<BufWriter<File>>>,
    size: Option<(usize, usize)>,
    shown: Vec<u8>,
    count: u64,
    /// The picture that is shown until the next, and since when, in hundredths of a second.
    waiting: Option<(Frame<'static>, u64)>,
}

/// Browsers show pictures that last less than this, in hundredths of a second, for much longer.
const SHORTEST: u64 = 2;
/// How fast colours are chosen: 1 (best) to 30.
const HASTE: i32 = 10;

impl Animation {
    /// A film of so many pictures a second. GIF counts hundredths of a second and browsers want two of them: of faster
    /// films some pictures are left out, so that time goes by as it should.
    pub fn create(path: &Path, rate: f64) -> Result<Animation, FilmError> {
        check_rate(rate)?;
        let path = path.to_path_buf();
        let file = File::create(&path).map_err(|source| FilmError::Write { path: path.clone(), source })?;
        let (encoder, size, shown) = (None, None, Vec::new());
        Ok(Animation { path, rate, file: Some(file), encoder, size, shown, count: 0, waiting: None })
    }

    /// When picture `number` is shown, in hundredths of a second.
    fn hundredths(&self, number: u64) -> u64 {
        (100.0 * number as f64 / self.rate + 0.5) as u64
    }

    fn begin(&mut self, width: u16, height: u16) -> Result<(), EncodingError> {
        if let Some(file) = self.file.take() {
            let mut encoder = Encoder::new(BufWriter::new(file), width, height, &[])?;
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
        FilmError::Write { path: self.path.clone(), source }
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
        let Some(frame) = changes(&self.shown, image) else { return Ok(()) };
        self.release(now).map_err(|e| self.failed(e))?;
        self.shown.clone_from(&image.rgb);
        self.waiting = Some((frame, now));
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), FilmError> {
        let until = self.hundredths(self.count);
        let since = self.waiting.as_ref().map_or(0, |(_, since)| *since);
        self.release(until.max(since + SHORTEST)).map_err(|e| self.failed(e))?;
        let Some(encoder) = self.encoder.take() else {
            return Err(FilmError::Empty { path: self.path });
        };
        let written = encoder.into_inner().and_then(|mut out| out.flush().map_err(EncodingError::Io));
        written.map_err(|e| self.failed(e))
    }
}

/// The part of `image` that differs from what is `shown`, what is equal in it left open; none where nothing differs.
fn changes(shown: &[u8], image: &Image) -> Option<Frame<'static>> {
    let new = |x: usize, y: usize| {
        let at = 3 * (y * image.width + x);
        shown.get(at..at + 3) != image.rgb.get(at..at + 3)
    };
    let (columns, rows) = (0..image.width, 0..image.height);
    let row_differs = |y: &usize| columns.clone().any(|x| new(x, *y));
    let (top, bottom) = (rows.clone().find(row_differs)?, rows.rev().find(row_differs)?);
    let column_differs = |x: &usize| (top..=bottom).any(|y| new(*x, y));
    let (left, right) = (columns.clone().find(column_differs)?, columns.clone().rev().find(column_differs)?);
    let (width, height) = (right - left + 1, bottom - top + 1);
    let mut rgba = Vec::with_capacity(4 * width * height);
    for y in top..=bottom {
        for x in left..=right {
            let at = 3 * (y * image.width + x);
            rgba.extend_from_slice(&image.rgb[at..at + 3]);
            rgba.push(if new(x, y) { 255 } else { 0 });
        }
    }
    // the sides are at most those of the picture, which were checked
    let mut frame = Frame::from_rgba_speed(width as u16, height as u16, &mut rgba, HASTE);
    (frame.left, frame.top, frame.dispose) = (left as u16, top as u16, DisposalMethod::Keep);
    Some(frame)
}
