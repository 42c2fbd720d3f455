//! Small pictures of exhibits, drawn when first requested.

use crate::cast::TrackSetup;
use crate::gallery::Exhibit;
use crate::projector::Now;
use crate::raster::{Options, Painter};
use crate::show::Frame;

/// Width and height in pixels.
const SIZE: (usize, usize) = (400, 250);
/// The number of frames recorded on the way, for the traces.
const FRAMES: usize = 240;

/// The picture as the bytes of a PNG file.
pub fn of(exhibit: &Exhibit) -> Result<Vec<u8>, String> {
    let (mut projector, setups) = exhibit.show().map_err(|e| e.to_string())?.begin();
    let begun: Result<Vec<_>, _> = setups.iter().map(TrackSetup::simulation).collect();
    let mut simulations = begun.map_err(|e| e.to_string())?;
    let options = Options { stamp: false, labels: false, ..Options::default() };
    let mut painter = Painter::new(projector.scenery(), projector.surfaces(), SIZE.0, SIZE.1, options);
    let mut frame = Frame::default();
    for k in 0..=FRAMES {
        let until = exhibit.thumbnail * k as f64 / FRAMES as f64;
        for (simulation, setup) in simulations.iter_mut().zip(&setups) {
            let steps = ((until - simulation.state().time) / setup.dt).round().max(0.0) as usize;
            // a track that fails stays where it is, as in the show
            let _ = simulation.advance(steps, setup.dt);
        }
        let now: Vec<Now> =
            simulations.iter().map(|s| Now { state: s.state(), control: s.control() }).collect();
        projector.project(&now, &mut frame);
        frame.time = until;
        painter.note(&frame);
        if exhibit.thumbnail == 0.0 {
            break;
        }
    }
    Ok(painter.paint(&frame).png())
}
