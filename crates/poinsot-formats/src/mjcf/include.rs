//! `<include file="…"/>`: replaced by the children of another file's root.

use crate::diagnostic::Report;
use crate::load::{add_text, read_text};
use crate::root::{Outside, Root};
use crate::xml::{ElementId, Tree};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Resolves all includes below `root`, which is that of the file at `path`.
pub(super) fn resolve(
    report: &mut Report,
    tree: &mut Tree,
    root: ElementId,
    path: &Path,
    confined_to: &Root,
) {
    let main = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut included = HashSet::from([identity(path)]);
    // the folder of the file that contains the element
    let mut open: Vec<(ElementId, Rc<Path>)> = vec![(root, main.clone().into())];
    while let Some((id, folder)) = open.pop() {
        let mut children = Vec::with_capacity(tree[id].children.len());
        for child in tree[id].children.clone() {
            if tree[child].tag != "include" {
                children.push(child);
                open.push((child, folder.clone()));
                continue;
            }
            let Some((root, file)) =
                read_one(report, tree, child, [&main, &folder], confined_to, &mut included)
            else {
                continue;
            };
            // includes among the new children are resolved when their parent is visited again
            let inner = file.parent().unwrap_or(Path::new("")).to_path_buf();
            children.push(root);
            tree[root].tag = SPLICE.to_string();
            open.push((root, inner.into()));
        }
        tree[id].children = children;
    }
    splice(tree, root);
}

/// The tag of an included root until its children replace it; no document can contain it.
const SPLICE: &str = "<included>";

/// Replaces every included root with its children.
fn splice(tree: &mut Tree, root: ElementId) {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let mut pending: Vec<ElementId> = tree[id].children.iter().rev().copied().collect();
        let mut children = Vec::with_capacity(pending.len());
        while let Some(child) = pending.pop() {
            if tree[child].tag == SPLICE {
                pending.extend(tree[child].children.iter().rev());
            } else {
                children.push(child);
            }
        }
        open.extend(&children);
        tree[id].children = children;
    }
}

/// Reads the file that an `<include>` names, next to the main file or next to the including file.
fn read_one(
    report: &mut Report,
    tree: &mut Tree,
    include: ElementId,
    [main, folder]: [&Path; 2],
    confined_to: &Root,
    included: &mut HashSet<PathBuf>,
) -> Option<(ElementId, PathBuf)> {
    let place = tree[include].place;
    let Some(name) = tree[include].get("file").cloned() else {
        report.error("mjcf::missing-attribute", "<include> needs the attribute `file`").at(place);
        return None;
    };
    let ways = [main, folder].into_iter().filter_map(|f| confined_to.admit(&f.join(&name.value)).ok());
    let ways: Vec<PathBuf> = ways.collect();
    let Some(path) = ways.iter().find(|p| p.is_file()).or(ways.first()).cloned() else {
        let message = Outside::message(&name.value);
        report.error(Outside::CODE, message).at(name.place).help(Outside::HELP);
        return None;
    };
    if !included.insert(identity(&path)) {
        let message = format!("{} is included a second time", path.display());
        let help = "include a file once; two files cannot include each other";
        report.error("mjcf::repeated-include", message).at(name.place).help(help);
        return None;
    }
    match read_text(&path, true) {
        Ok(read) => {
            // MuJoCo accepts any root element; but a file that is not MJCF may be any file of the machine, and is not shown
            let known = begins_as_mjcf(&read.text);
            if !known && !is_xml(&read.text) {
                let message = format!("the included file {} is not MJCF", path.display());
                report
                    .error("mjcf::not-mjcf", message)
                    .at(name.place)
                    .help("its root element is <mujoco> or <mujocoinclude>");
                return None;
            }
            let file = add_text(report, &path, read);
            if !known {
                report.withhold(file);
            }
            tree.parse(report, file).map(|root| (root, path))
        }
        Err(why) => {
            let message = format!("cannot read the included file {}: {why}", path.display());
            report.error("mjcf::missing-file", message).at(name.place);
            None
        }
    }
}

/// True when the first element of a text is `<mujoco>` or `<mujocoinclude>`, whether or not the rest is valid.
fn begins_as_mjcf(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    for (open, close) in [("<?", "?>"), ("<!--", "-->")].iter().cycle().take(2 * MOST_PREAMBLES) {
        if rest.starts_with(open) {
            rest = rest.find(close).map_or("", |k| rest[k + close.len()..].trim_start());
        }
    }
    let tag = rest.strip_prefix('<').unwrap_or("");
    let end = tag.find(|c: char| !c.is_alphanumeric()).unwrap_or(tag.len());
    matches!(&tag[..end], "mujoco" | "mujocoinclude")
}

/// The largest number of comments before the root element of an included file.
const MOST_PREAMBLES: usize = 100;

/// True if a text can be parsed; reports nothing.
fn is_xml(text: &str) -> bool {
    let mut unsaid = Report::default();
    let file = unsaid.add_source("", text);
    Tree::default().parse(&mut unsaid, file).is_some()
}

/// One canonical name for a file, whatever path leads to it.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
