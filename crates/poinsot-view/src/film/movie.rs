//! MP4 through ffmpeg, which receives the pixels through a pipe.

use super::{Film, FilmError, check_rate, check_size, mp4, unwritten};
use crate::raster::Image;
use poinsot::AtomicFile;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Writes an MP4 film.
pub struct Movie {
    path: PathBuf,
    file: AtomicFile,
    rate: f64,
    ffmpeg: Option<Encoder>,
    size: Option<(usize, usize)>,
    frames: u64,
}

/// A running ffmpeg; it is killed if it is not waited for.
struct Encoder(Child);

impl Drop for Encoder {
    fn drop(&mut self) {
        // it may have ended already
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The encoder buffers only a few pictures larger than this: otherwise it takes gigabytes.
const MOST_DOTS: usize = 9_000_000;
const SPARING: [&str; 6] = ["-threads", "1", "-preset", "ultrafast", "-tune", "zerolatency"];

impl Movie {
    /// A film with this many pictures a second.
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
        let file = AtomicFile::create(path).map_err(|e| unwritten(path, e))?;
        Ok(Movie { path: path.to_path_buf(), file, rate, ffmpeg: None, size: None, frames: 0 })
    }

    fn start(&self, image: &Image) -> Result<Encoder, FilmError> {
        let mut command = Command::new("ffmpeg");
        command
            .args(["-y", "-xerror", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-s", &format!("{}x{}", image.width, image.height), "-r", &self.rate.to_string()])
            .args(["-i", "-", "-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
            // players need even widths and heights
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-f", "mp4"])
            .args(if image.width * image.height > MOST_DOTS { &SPARING[..] } else { &[] })
            .arg(outright(self.file.path_now().unwrap_or(&self.path)))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        // Ctrl-C in a terminal is sent to a whole process group: it ends the run, which then finishes the film
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map(Encoder).map_err(|_| FilmError::NoFfmpeg { path: self.path.clone() })
    }

    fn failed(&self, said: impl Into<String>) -> FilmError {
        let said = said.into();
        let said = match self.file.path_now() {
            Some(now) => said.replace(&outright(now).display().to_string(), &self.path.display().to_string()),
            None => said,
        };
        FilmError::Ffmpeg { path: self.path.clone(), said }
    }

    /// Waits for ffmpeg to end, and checks its messages and the file.
    fn ended(&self, mut encoder: Encoder) -> Result<(), FilmError> {
        drop(encoder.0.stdin.take());
        let mut said = String::new();
        if let Some(mut stderr) = encoder.0.stderr.take() {
            stderr.read_to_string(&mut said).map_err(|e| self.failed(e.to_string()))?;
        }
        let status = encoder.0.wait().map_err(|e| self.failed(e.to_string()))?;
        let whole = match self.file.path_now() {
            Some(path) if status.success() => mp4::check(path, self.frames),
            _ => Ok(()),
        };
        match (status.success(), whole) {
            (true, Ok(())) => Ok(()),
            (true, Err(why)) => Err(self.failed([said.trim(), &why].join("; ").trim_start_matches("; "))),
            (false, _) if said.trim().is_empty() => Err(self.failed(format!("it ended with {status}"))),
            (false, _) => Err(self.failed(said.trim())),
        }
    }
}

/// The path in a form that ffmpeg does not take for an option or a protocol.
fn outright(path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_path_buf() } else { Path::new(".").join(path) }
}

impl Film for Movie {
    fn frame(&mut self, image: &Image) -> Result<(), FilmError> {
        check_size(&mut self.size, image)?;
        if self.ffmpeg.is_none() {
            self.ffmpeg = Some(self.start(image)?);
        }
        let pipe = self.ffmpeg.as_mut().and_then(|encoder| encoder.0.stdin.as_mut());
        if pipe.is_some_and(|pipe| pipe.write_all(&image.rgb).is_ok()) {
            self.frames += 1;
            return Ok(());
        }
        // it closed the pipe, and gives the reason as it ends
        let ended = self.ffmpeg.take().map(|encoder| self.ended(encoder));
        Err(ended.and_then(Result::err).unwrap_or_else(|| self.failed("it stopped too early")))
    }

    fn complete(mut self: Box<Self>) -> Result<Option<AtomicFile>, FilmError> {
        let Some(encoder) = self.ffmpeg.take() else {
            return Err(FilmError::Empty { path: self.path });
        };
        self.ended(encoder)?;
        let Movie { path, mut file, .. } = *self;
        file.complete().map_err(|e| unwritten(&path, e))?;
        Ok(Some(file))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
