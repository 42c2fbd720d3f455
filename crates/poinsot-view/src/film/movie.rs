//! MP4 through ffmpeg, which gets the dots through a pipe.

use super::{Film, FilmError, check_rate, check_size};
use crate::raster::Image;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Writes an MP4 film.
pub struct Movie {
    path: PathBuf,
    rate: f64,
    ffmpeg: Option<Child>,
    size: Option<(usize, usize)>,
}

impl Movie {
    /// A film of so many pictures a second.
    pub fn create(path: &Path, rate: f64) -> Result<Movie, FilmError> {
        check_rate(rate)?;
        let mut ask = Command::new("ffmpeg");
        ask.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match ask.status() {
            Ok(status) if status.success() => {}
            Ok(status) => {
                let said = format!("`ffmpeg -version` failed ({status})");
                return Err(FilmError::Ffmpeg { path: path.to_path_buf(), said });
            }
            Err(_) => return Err(FilmError::NoFfmpeg { path: path.to_path_buf() }),
        }
        Ok(Movie { path: path.to_path_buf(), rate, ffmpeg: None, size: None })
    }

    fn start(&self, image: &Image) -> Result<Child, FilmError> {
        let mut command = Command::new("ffmpeg");
        command
            .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-s", &format!("{}x{}", image.width, image.height), "-r", &self.rate.to_string()])
            .args(["-i", "-", "-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
            // players want even sides
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-f", "mp4"])
            .arg(outright(&self.path))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command.spawn().map_err(|_| FilmError::NoFfmpeg { path: self.path.clone() })
    }
}

/// A path that ffmpeg takes neither for an option nor for a protocol.
fn outright(path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_path_buf() } else { Path::new(".").join(path) }
}

impl Film for Movie {
    fn frame(&mut self, image: &Image) -> Result<(), FilmError> {
        check_size(&mut self.size, image)?;
        if self.ffmpeg.is_none() {
            self.ffmpeg = Some(self.start(image)?);
        }
        let pipe = self.ffmpeg.as_mut().and_then(|child| child.stdin.as_mut());
        if pipe.is_some_and(|pipe| pipe.write_all(&image.rgb).is_ok()) {
            return Ok(());
        }
        // it closed the pipe: it says why as it ends
        Err(match self.ffmpeg.take().map(|child| ended(child, &self.path)) {
            Some(Err(error)) => error,
            _ => FilmError::Ffmpeg { path: self.path.clone(), said: "it stopped too early".into() },
        })
    }

    fn finish(mut self: Box<Self>) -> Result<(), FilmError> {
        match self.ffmpeg.take() {
            Some(child) => ended(child, &self.path),
            None => Err(FilmError::Empty { path: self.path }),
        }
    }
}

fn ended(child: Child, path: &Path) -> Result<(), FilmError> {
    let failed = |said: String| FilmError::Ffmpeg { path: path.to_path_buf(), said };
    let output = child.wait_with_output().map_err(|e| failed(e.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_string()))
}
