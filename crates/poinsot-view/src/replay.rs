//! A recording as a single page that replays it anywhere, without a server or a network.

use crate::show::{Recording, Stamp};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::DeflateEncoder};
use serde_json::json;
use std::io::{Error, Result, Write};

/// Where the recording goes in the page.
pub const PLACE: &str = "<!--RECORDING-->";

/// The page `template` with the recording in place of [`PLACE`], initially played at `speed`.
///
/// ```
/// use poinsot_view::{replay, show::Recording};
/// let page = replay::page("<body><!--RECORDING--></body>", &Recording::default(), 1.0)?;
/// assert!(page.starts_with("<body><script type=\"application/json\" id=\"recording\">{"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn page(template: &str, recording: &Recording, speed: f64) -> Result<String> {
    let Some((before, after)) = template.split_once(PLACE) else {
        return Err(Error::other(format!("the page has no place for a recording: {PLACE}")));
    };
    let element = element(recording, speed)?;
    Ok([before, &element, after].concat())
}

fn element(recording: &Recording, speed: f64) -> Result<String> {
    let meshes: Vec<String> = recording.surfaces.iter().map(|s| STANDARD.encode(s.bytes())).collect();
    let frames = STANDARD.encode(frames(recording, speed)?);
    let json = json!({"scenery": recording.scenery, "meshes": meshes, "frames": frames}).to_string();
    // a name with </script> in it would end the element, one with <!-- would hide its end
    let safe = json.replace('<', "\\u003c");
    Ok(format!("<script type=\"application/json\" id=\"recording\">{safe}</script>"))
}

/// All frames, each with its length before it, deflated.
fn frames(recording: &Recording, speed: f64) -> Result<Vec<u8>> {
    let time = |frame: Option<&crate::show::Frame>| frame.map_or(0.0, |f| f.time);
    let history = (time(recording.frames.first()), time(recording.frames.last()));
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::default());
    for (number, frame) in recording.frames.iter().enumerate() {
        let stamp = Stamp { number: number as u32, speed, history, ..Stamp::default() };
        let bytes = frame.bytes(&stamp);
        deflate.write_all(&(bytes.len() as u32).to_le_bytes())?;
        deflate.write_all(&bytes)?;
    }
    deflate.finish()
}
