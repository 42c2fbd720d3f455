//! The page, embedded.

use rust_embed::{EmbeddedFile, RustEmbed};
use std::borrow::Cow;

#[derive(RustEmbed)]
#[folder = "$OUT_DIR/page"]
struct Page;

/// The advice when the page could not be built.
pub const MISSING: &str = "this poinsot was built without its page, for npm was missing or failed: install Node.js 20 or later \
                           with npm, and build again (touch crates/poinsot-view/build.rs makes cargo try)";

/// A file of the page with its media type; `None` if there is no such file.
pub fn file(path: &str) -> Option<(Cow<'static, [u8]>, &'static str)> {
    let EmbeddedFile { data, .. } = Page::get(path)?;
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" => "application/json",
        _ => "application/octet-stream",
    };
    Some((data, kind))
}

/// True if the page was built.
pub fn is_built() -> bool {
    Page::get("index.html").is_some()
}

/// The template of a replay, into which a recording is inserted; `None` if the page was not built.
pub fn replay_template() -> Option<String> {
    let EmbeddedFile { data, .. } = Page::get("replay.html")?;
    String::from_utf8(data.into_owned()).ok()
}
