//! Pictures for textures: PNG and JPEG files, and generated ones.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Larger files and pictures are refused.
const MOST_BYTES: u64 = 64 << 20;
const MOST_DOTS: usize = 8192;

/// A picture, decoded and as the bytes of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Dots across.
    pub width: usize,
    /// Dots down.
    pub height: usize,
    /// Red, green, blue, opacity of each dot, row by row from the top.
    pub rgba: Vec<u8>,
    /// A PNG or JPEG file of it.
    pub file: Vec<u8>,
}

impl Picture {
    /// Reads a PNG or JPEG file, whatever its name; the error says why it cannot be read.
    pub fn read(path: &Path) -> Result<Picture, String> {
        let file = File::open(path).map_err(|e| e.to_string())?;
        if !file.metadata().is_ok_and(|m| m.is_file()) {
            return Err("it is not a file".into());
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(format!("it is larger than {} MiB", MOST_BYTES >> 20));
        }
        Picture::decode(bytes)
    }

    /// The picture in the bytes of a PNG or JPEG file.
    ///
    /// ```
    /// use poinsot_view::picture::Picture;
    /// let red = Picture::made(1, 1, vec![255, 0, 0, 255]).expect("one dot");
    /// assert_eq!(Picture::decode(red.file.clone()), Ok(red));
    /// assert!(Picture::decode(b"BM".to_vec()).is_err());
    /// ```
    pub fn decode(file: Vec<u8>) -> Result<Picture, String> {
        let (width, height, rgba) = match &file[..] {
            [0x89, b'P', b'N', b'G', ..] => png_dots(&file)?,
            [0xff, 0xd8, ..] => jpeg_dots(&file)?,
            _ => return Err("it is neither PNG nor JPEG".into()),
        };
        Ok(Picture { width, height, rgba, file })
    }

    /// The picture with these pixels; `None` if their number is wrong.
    pub fn made(width: usize, height: usize, rgba: Vec<u8>) -> Option<Picture> {
        if rgba.len() != 4 * width * height {
            return None;
        }
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width.try_into().ok()?, height.try_into().ok()?);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().and_then(|mut w| w.write_image_data(&rgba)).ok()?;
        Some(Picture { width, height, rgba, file })
    }

    /// What glTF and browsers call the format of its file.
    pub fn media_type(&self) -> &'static str {
        if self.file.first() == Some(&0xff) { "image/jpeg" } else { "image/png" }
    }
}

type Dots = (usize, usize, Vec<u8>);

fn png_dots(file: &[u8]) -> Result<Dots, String> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let (width, height) = check(reader.info().width as usize, reader.info().height as usize)?;
    let size = reader.output_buffer_size().ok_or("it is too large")?;
    let mut dots = vec![0; size];
    let info = reader.next_frame(&mut dots).map_err(|e| e.to_string())?;
    dots.truncate(info.buffer_size());
    let rgba = match info.color_type {
        png::ColorType::Rgba => dots,
        png::ColorType::GrayscaleAlpha => {
            dots.chunks_exact(2).flat_map(|d| [d[0], d[0], d[0], d[1]]).collect()
        }
        other => return Err(format!("its colours, {other:?}, are not known")),
    };
    Ok((width, height, rgba))
}

fn jpeg_dots(file: &[u8]) -> Result<Dots, String> {
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGBA)
        .set_max_width(MOST_DOTS)
        .set_max_height(MOST_DOTS)
        // the same pixels on every processor
        .set_use_unsafe(false);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    let rgba = decoder.decode().map_err(|e| e.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("it has no size")?;
    let (width, height) = check(width, height)?;
    if rgba.len() == 4 * width * height { Ok((width, height, rgba)) } else { Err("it is cut off".into()) }
}

fn check(width: usize, height: usize) -> Result<(usize, usize), String> {
    let fits = |n: usize| (1..=MOST_DOTS).contains(&n);
    if fits(width) && fits(height) {
        return Ok((width, height));
    }
    Err(format!("it has {width} × {height} dots; 1 to {MOST_DOTS} each way are read"))
}
