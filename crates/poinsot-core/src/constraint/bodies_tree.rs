//! The tree of free bodies along which Baraff's elimination runs: which constraints are edges, and which are auxiliary.

use super::rows::Rows;
use crate::model::Model;
use std::collections::HashMap;

/// A body, and the edge to its parent.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub link: usize,
    pub parent: Option<usize>,
    /// The rows of its edge, and for each whether it takes part.
    pub rows: Vec<usize>,
    pub on: [bool; 6],
    pub degenerate: bool,
}

/// The rows between each pair of links that may form one edge: those of a first constraint, and of its rotor.
pub(super) fn edges(model: &Model, rows: &Rows) -> Vec<([usize; 2], Vec<usize>)> {
    let mut edges: Vec<([usize; 2], Vec<usize>)> = Vec::new();
    let mut known = HashMap::new();
    for (index, constraint) in model.constraints().iter().enumerate() {
        let own = rows.of(index);
        if own.is_empty() || constraint.bodies().is_none() {
            continue;
        }
        let [a, b] = rows.links[own.start];
        let pair = [a.min(b), a.max(b)];
        let rotor = rows.kinds[own.start].terms.is_rotor();
        match known.get(&pair) {
            _ if a == b => {}
            None => {
                known.insert(pair, edges.len());
                edges.push((pair, own.collect()));
            }
            Some(&k) if rotor && edges[k].1.len() + own.len() <= 6 => edges[k].1.extend(own),
            Some(_) => {}
        }
    }
    edges
}

/// Nodes in depth-first order, parents before children.
pub(super) fn spanning_tree(links: usize, edges: &[([usize; 2], Vec<usize>)], model: &Model) -> Vec<Node> {
    // an edge that closes a loop with earlier ones is not part of the tree: joints come before the constraints that close their loops
    let mut groups: Vec<usize> = (0..links).collect();
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); links];
    for (k, ([a, b], _)) in edges.iter().enumerate() {
        let (one, two) = (group_of(&mut groups, *a), group_of(&mut groups, *b));
        if one != two {
            groups[two] = one;
            near[*a].push(k);
            near[*b].push(k);
        }
    }
    let mut seen = vec![false; links];
    let mut nodes = Vec::with_capacity(links);
    // the world first; then one body of each group that is not connected to it
    for root in 0..links {
        if seen[root] {
            continue;
        }
        let mut stack = vec![(root, None, Vec::new())];
        while let Some((link, parent, rows)) = stack.pop() {
            if std::mem::replace(&mut seen[link], true) {
                continue;
            }
            let own = (link != 0).then(|| {
                nodes.push(Node { link, parent, rows, on: [true; 6], degenerate: degenerate(model, link) });
                nodes.len() - 1
            });
            for &k in near[link].iter().rev() {
                let ([a, b], rows) = &edges[k];
                let other = if *a == link { *b } else { *a };
                if !seen[other] && other != 0 {
                    stack.push((other, own, rows.clone()));
                }
            }
        }
    }
    nodes
}

/// The group of a link, with path compression.
fn group_of(groups: &mut [usize], mut link: usize) -> usize {
    while groups[link] != link {
        groups[link] = groups[groups[link]];
        link = groups[link];
    }
    link
}

/// True for a link without inertia in some direction.
fn degenerate(model: &Model, link: usize) -> bool {
    let inertia = model.tree.inertia_of(link);
    let about = if inertia.mass > 0.0 { inertia.about_com() } else { inertia.rotational };
    let least = crate::spatial::eigen3(about).0.min();
    inertia.mass <= 0.0 || least <= 1e-12 * inertia.rotational.trace()
}

/// Typical masses and moments of inertia of this model.
pub(super) fn typical_inertia(model: &Model) -> (f64, f64) {
    let (mut mass, mut moment, mut count) = (0.0, 0.0, 0.0);
    for link in 1..model.tree.links() {
        let inertia = model.tree.inertia_of(link);
        if inertia.mass > 0.0 {
            (mass, moment, count) =
                (mass + inertia.mass, moment + inertia.rotational.trace() / 3.0, count + 1.0);
        }
    }
    if count == 0.0 { (1.0, 1.0) } else { (mass / count, (moment / count).max(1e-6 * mass / count)) }
}
