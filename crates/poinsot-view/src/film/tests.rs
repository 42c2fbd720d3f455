#![allow(clippy::unwrap_used)]

use super::*;
use std::path::PathBuf;

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("poinsot-film-{}-{name}", std::process::id()))
}

/// A dark block that moves over a bright ground.
fn moving(k: usize) -> Image {
    let mut image = Image::plain(48, 30, [230, 240, 250]);
    image.place(&Image::plain(6, 6, [200, 30, 30]), 2 + 3 * k, 12);
    image
}

fn decoded(path: &PathBuf) -> (u16, u16, Vec<u16>, Vec<u8>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(path).unwrap()).unwrap();
    let (width, height) = (decoder.width(), decoder.height());
    let (mut delays, mut screen) = (Vec::new(), vec![0; 3 * usize::from(width) * usize::from(height)]);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
        for (k, dot) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, dot)| dot[3] > 0) {
            let (across, down) = (k % usize::from(frame.width), k / usize::from(frame.width));
            let (x, y) = (usize::from(frame.left) + across, usize::from(frame.top) + down);
            screen[3 * (y * usize::from(width) + x)..][..3].copy_from_slice(&dot[..3]);
        }
    }
    (width, height, delays, screen)
}

#[test]
fn a_gif_decodes_to_its_pictures() {
    let path = scratch("moving.gif");
    let mut film = create(&path, 30.0).unwrap();
    (0..10).for_each(|k| film.frame(&moving(k)).unwrap());
    film.finish().unwrap();
    let (width, height, delays, screen) = decoded(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!((width, height, delays.len()), (48, 30, 10));
    assert_eq!(delays.iter().sum::<u16>(), 33, "ten pictures at 30 a second last a third of a second");
    let far = screen.iter().zip(&moving(9).rgb).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(far.unwrap() <= 3, "the last picture is as it was given: {far:?}");
}

#[test]
fn fast_and_still_films_last_as_long_as_they_should() {
    let path = scratch("fast.gif");
    let mut film = create(&path, 200.0).unwrap();
    (0..12).for_each(|k| film.frame(&moving(k)).unwrap());
    (0..188).for_each(|_| film.frame(&moving(11)).unwrap());
    film.finish().unwrap();
    let (_, _, delays, _) = decoded(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(delays.iter().sum::<u16>(), 100);
    assert!(delays.iter().all(|d| *d >= 2));
}

#[test]
fn a_sequence_is_numbered_png_files() {
    let folder = scratch("frames");
    let mut film = create(&folder, 25.0).unwrap();
    (0..3).for_each(|k| film.frame(&moving(k)).unwrap());
    film.finish().unwrap();
    let bytes = std::fs::read(folder.join("frame_00003.png")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    assert_eq!((info.width, info.height), (48, 30));
    assert_eq!(rgb, moving(2).rgb);
}

#[test]
fn what_is_wrong_is_said() {
    let told = |path: &str, rate: f64| create(&scratch(path), rate).err().unwrap().to_string();
    assert!(told("a.avi", 25.0).contains(".gif or .mp4"));
    assert!(told("a.gif", 0.0).contains("above 0"));
    assert!(told("none/a.gif", 25.0).contains("cannot write"));
    let path = scratch("sizes.gif");
    let mut film = create(&path, 25.0).unwrap();
    film.frame(&moving(0)).unwrap();
    assert!(film.frame(&Image::plain(3, 3, [0; 3])).is_err());
    std::fs::remove_file(&path).unwrap();
    let path = scratch("empty.gif");
    assert!(create(&path, 25.0).unwrap().finish().unwrap_err().to_string().contains("at least one"));
    std::fs::remove_file(&path).unwrap();
}
