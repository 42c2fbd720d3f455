//! MJCF.

use crate::description::Description;
use crate::diagnostic::Report;
use crate::xml::{ElementId, Tree};
use std::path::Path;

/// What the file says; `None` and errors in the report when it says nothing that can be understood.
pub(crate) fn read(report: &mut Report, tree: Tree, root: ElementId, _path: &Path) -> Option<Description> {
    report.error("mjcf::not-built", "not built yet").at(tree[root].place);
    None
}
