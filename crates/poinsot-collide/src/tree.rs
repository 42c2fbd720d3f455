//! A binary bounding volume tree whose leaves can be moved.

use crate::math::{Aabb, Vec3};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    parent: u32,
    /// The two children; for a leaf, `NONE` and the number of its box.
    children: [u32; 2],
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// A tree of numbered boxes.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: u32,
    /// The node of each number, or `NONE`.
    leaf: Vec<u32>,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree { nodes: Vec::new(), free: Vec::new(), root: NONE, leaf: Vec::new() }
    }
}

impl Tree {
    /// Rebuilds the tree from numbered boxes: split at the median along the widest axis of the centres.
    pub fn build(&mut self, numbers: &mut [u32], boxes: &[Aabb]) {
        self.nodes.clear();
        self.free.clear();
        self.leaf.clear();
        self.leaf.resize(boxes.len(), NONE);
        self.root = if numbers.is_empty() { NONE } else { self.split(numbers, boxes, NONE) };
    }

    fn split(&mut self, numbers: &mut [u32], boxes: &[Aabb], parent: u32) -> u32 {
        let node = self.nodes.len() as u32;
        if let [number] = *numbers {
            self.leaf[number as usize] = node;
            self.nodes.push(Node { bounds: boxes[number as usize], parent, children: [NONE, number] });
            return node;
        }
        let centre = |k: u32| boxes[k as usize].centre();
        let spread = Aabb::of(numbers.iter().map(|k| centre(*k))).half();
        let axis = if spread.x >= spread.y && spread.x >= spread.z {
            0
        } else if spread.y >= spread.z {
            1
        } else {
            2
        };
        let middle = numbers.len() / 2;
        let along = |a: &u32, b: &u32| centre(*a)[axis].total_cmp(&centre(*b)[axis]).then(a.cmp(b));
        numbers.select_nth_unstable_by(middle, along);
        self.nodes.push(Node { bounds: Aabb::EMPTY, parent, children: [NONE, NONE] });
        let (low, high) = numbers.split_at_mut(middle);
        let children = [self.split(low, boxes, node), self.split(high, boxes, node)];
        let bounds = self.around(children);
        self.nodes[node as usize] = Node { bounds, parent, children };
        node
    }

    fn around(&self, children: [u32; 2]) -> Aabb {
        let [a, b] = children.map(|k| self.nodes[k as usize].bounds);
        a.joined(&b)
    }

    /// Inserts or moves the box with a number to where it adds least to the areas of the others.
    pub fn put(&mut self, number: u32, bounds: Aabb) {
        if number as usize >= self.leaf.len() {
            self.leaf.resize(number as usize + 1, NONE);
        }
        let known = self.leaf[number as usize];
        if known != NONE {
            self.take_out(known);
        }
        let node = Node { bounds, parent: NONE, children: [NONE, number] };
        let leaf = self.add(node);
        self.leaf[number as usize] = leaf;
        if self.root == NONE {
            self.root = leaf;
            return;
        }
        let beside = self.sibling(&bounds);
        let above = self.nodes[beside as usize].parent;
        let bounds = self.nodes[beside as usize].bounds.joined(&bounds);
        let joint = self.add(Node { bounds, parent: above, children: [beside, leaf] });
        self.nodes[beside as usize].parent = joint;
        self.nodes[leaf as usize].parent = joint;
        self.replace(above, beside, joint);
        self.refit(above);
    }

    fn add(&mut self, node: Node) -> u32 {
        match self.free.pop() {
            Some(k) => {
                self.nodes[k as usize] = node;
                k
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// Replaces the child `old` of a node by `new`.
    fn replace(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
        } else {
            let children = &mut self.nodes[parent as usize].children;
            children[(children[1] == old) as usize] = new;
        }
    }

    fn take_out(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        self.free.push(leaf);
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let [a, b] = self.nodes[parent as usize].children;
        let (stays, above) = (if a == leaf { b } else { a }, self.nodes[parent as usize].parent);
        self.nodes[stays as usize].parent = above;
        self.replace(above, parent, stays);
        self.free.push(parent);
        self.refit(above);
    }

    fn refit(&mut self, mut node: u32) {
        while node != NONE {
            self.nodes[node as usize].bounds = self.around(self.nodes[node as usize].children);
            node = self.nodes[node as usize].parent;
        }
    }

    /// Descends from the root to the node that is the cheapest sibling of a new box.
    fn sibling(&self, bounds: &Aabb) -> u32 {
        let mut at = self.root;
        loop {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                return at;
            }
            let joined = node.bounds.joined(bounds).area();
            // the cost of descending through this node: it grows
            let grown = joined - node.bounds.area();
            let cost = node.children.map(|k| {
                let child = &self.nodes[k as usize];
                let with = child.bounds.joined(bounds).area();
                grown + if child.is_leaf() { with } else { with - child.bounds.area() }
            });
            if joined < cost[0] && joined < cost[1] {
                return at;
            }
            at = node.children[(cost[1] < cost[0]) as usize];
        }
    }

    /// Visits the numbers of all boxes that overlap this one, in no particular order, until `each` returns false.
    pub fn meet(&self, bounds: &Aabb, stack: &mut Vec<u32>, mut each: impl FnMut(u32) -> bool) {
        stack.clear();
        if self.root != NONE {
            stack.push(self.root);
        }
        while let Some(k) = stack.pop() {
            let node = &self.nodes[k as usize];
            if !node.bounds.meets(bounds) {
                continue;
            }
            if !node.is_leaf() {
                stack.extend(node.children);
            } else if !each(node.children[1]) {
                return;
            }
        }
    }

    /// Visits the numbers of all boxes that a ray intersects.
    pub fn along(&self, from: Vec3, along: Vec3, most: f64, stack: &mut Vec<u32>, mut each: impl FnMut(u32)) {
        stack.clear();
        if self.root != NONE {
            stack.push(self.root);
        }
        while let Some(k) = stack.pop() {
            let node = &self.nodes[k as usize];
            if node.bounds.passed(from, along, most).is_none() {
                continue;
            }
            if node.is_leaf() {
                each(node.children[1]);
            } else {
                stack.extend(node.children);
            }
        }
    }
}
