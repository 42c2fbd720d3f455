//! Builds the page with npm, where it is there, and puts it where `src/page.rs` embeds it.
//!
//! A published crate carries `web/dist`; then nothing is built. In a clone `npm ci` and `npm run build` fill it, once for each
//! state of its sources. Without npm the crate builds all the same, and `view` says what is missing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() {
    let web = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("web");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("page");
    for source in
        ["src", "index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json"]
    {
        println!("cargo::rerun-if-changed=web/{source}");
    }
    println!("cargo::rerun-if-env-changed=PATH");
    if let Err(why) = built(&web) {
        println!("cargo::warning=the page of `poinsot view` is not built: {why}");
    }
    let outcome = fresh(&out).and_then(|()| match web.join("dist").is_dir() {
        true => copy(&web.join("dist"), &out),
        false => Ok(()),
    });
    if let Err(error) = outcome {
        println!("cargo::error=cannot copy the page: {error}");
    }
}

/// Makes sure that `web/dist` is made of the sources as they are.
fn built(web: &Path) -> Result<(), String> {
    let (stamp, now) = (web.join("dist/.sources"), fingerprint(web));
    if !web.join("src").is_dir() || fs::read_to_string(&stamp).is_ok_and(|s| s == now) {
        return Ok(());
    }
    // two builds at once would tread on each other
    let _lock = Lock::take(web).map_err(|e| format!("cannot lock {}: {e}", web.display()))?;
    if fs::read_to_string(&stamp).is_ok_and(|s| s == now) {
        return Ok(());
    }
    npm(web, &["ci", "--no-audit", "--no-fund"])?;
    npm(web, &["run", "build"])?;
    fs::write(&stamp, now).map_err(|e| e.to_string())
}

fn npm(web: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(program).args(arguments).current_dir(web).output();
    let output = output
        .map_err(|e| format!("npm does not run ({e}); install Node.js 20 or later, and build again"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].map(|s| String::from_utf8_lossy(&s).into_owned()).concat();
    let last: Vec<&str> = said.lines().filter(|l| !l.trim().is_empty()).collect();
    let tail = last[last.len().saturating_sub(6)..].join(" | ");
    Err(format!("`npm {}` failed: {tail}", arguments.join(" ")))
}

/// All sources, as one number.
fn fingerprint(web: &Path) -> String {
    let mut files = Vec::new();
    list(&web.join("src"), &mut files);
    let tops = fs::read_dir(web).into_iter().flatten().flatten().map(|e| e.path()).filter(|p| p.is_file());
    files.extend(tops.filter(|p| p.extension().is_some_and(|e| e != "md")));
    files.sort();
    // FNV-1a: the same on every machine
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let name = file.strip_prefix(web).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&file).unwrap_or_default();
        for byte in name.bytes().chain(bytes) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

fn list(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => list(&path, into),
            path => into.push(path),
        }
    }
}

fn fresh(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::copy(path, target)?;
        }
    }
    Ok(())
}

/// A file that is locked while it is held.
struct Lock(fs::File);

impl Lock {
    fn take(web: &Path) -> io::Result<Lock> {
        let file = fs::File::create(web.join(".build-lock"))?;
        file.lock()?;
        Ok(Lock(file))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // closing the file unlocks it, too
        let _ = self.0.unlock();
    }
}
