//! The container: lists of JSON objects, and runs of bytes that they refer to.

use crate::bones::Bones;
use crate::picture::Picture;
use poinsot::algebra::V3;
use poinsot::spatial::Pose;
use serde_json::{Map, Value, json};
use std::io::{Error, Result, Write};

/// A glTF file being built.
pub struct File {
    pub nodes: Vec<Value>,
    pub cameras: Vec<Value>,
    pub materials: Vec<Value>,
    pub meshes: Vec<Value>,
    images: Vec<Value>,
    skins: Vec<Value>,
    accessors: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    views: [Vec<u8>; KINDS_OF_VIEWS],
    pictures: Vec<Vec<u8>>,
}

/// Which run of bytes.
#[derive(Clone, Copy)]
pub enum View {
    /// Vertices and normals.
    Vertices,
    /// Indices of vertices.
    Indices,
    /// Times, and the values of the animation at them.
    Motion,
    /// Texture coordinates of vertices.
    Places,
    /// The bones that vertices follow.
    Bones,
    /// Their weights.
    Weights,
    /// The inverse bind matrices.
    Matrices,
}

const KINDS_OF_VIEWS: usize = 7;

/// Names of rows by their length.
const KINDS: [&str; 4] = ["SCALAR", "VEC2", "VEC3", "VEC4"];
const SHORT: u32 = 5123;
const UNSIGNED: u32 = 5125;
const FLOAT: u32 = 5126;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

impl File {
    /// The root node.
    pub const ROOT: usize = 0;

    pub fn new(name: &str) -> File {
        File {
            nodes: vec![json!({"name": name})],
            cameras: Vec::new(),
            materials: Vec::new(),
            meshes: Vec::new(),
            images: Vec::new(),
            skins: Vec::new(),
            accessors: Vec::new(),
            channels: Vec::new(),
            samplers: Vec::new(),
            views: Default::default(),
            pictures: Vec::new(),
        }
    }

    /// A new node below another.
    pub fn child(&mut self, parent: usize, name: &str) -> usize {
        let number = self.nodes.len();
        self.nodes.push(json!({"name": name}));
        let children = &mut self.nodes[parent]["children"];
        match children.as_array_mut() {
            Some(list) => list.push(json!(number)),
            None => *children = json!([number]),
        }
        number
    }

    /// Rows of numbers; their bounds are part of every accessor, though few need them.
    pub fn rows<const N: usize>(&mut self, view: View, rows: &[[f32; N]]) -> usize {
        let bound = |pick: fn(f32, f32) -> f32, from: f32| -> Vec<f64> {
            let column = |k: usize| rows.iter().map(|r| r[k]).fold(from, pick);
            (0..N).map(|k| f64::from(column(k))).collect()
        };
        let (low, high) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
        let bytes = rows.as_flattened().iter().flat_map(|x| x.to_le_bytes());
        let (kind, offset) = (KINDS[N - 1], self.append(view, bytes));
        self.accessor(json!({
            "bufferView": view as usize, "byteOffset": offset, "componentType": FLOAT,
            "count": rows.len(), "type": kind, "min": low, "max": high,
        }))
    }

    /// Indices of vertices.
    pub fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes = triangles.as_flattened().iter().flat_map(|x| x.to_le_bytes());
        let offset = self.append(View::Indices, bytes);
        self.accessor(json!({
            "bufferView": View::Indices as usize, "byteOffset": offset, "componentType": UNSIGNED,
            "count": 3 * triangles.len(), "type": KINDS[0],
        }))
    }

    /// The additional attributes of a primitive that deforms.
    pub fn bones(&mut self, bones: &Bones) -> [usize; 2] {
        let bytes = bones.joints.as_flattened().iter().flat_map(|x| x.to_le_bytes());
        let offset = self.append(View::Bones, bytes);
        let joints = self.accessor(json!({
            "bufferView": View::Bones as usize, "byteOffset": offset, "componentType": SHORT,
            "count": bones.joints.len(), "type": KINDS[3],
        }));
        [joints, self.rows(View::Weights, &bones.weights)]
    }

    /// A skin whose bones are these nodes with these inverse bind matrices.
    pub fn skin(&mut self, joints: &[usize], inverses: &[Pose]) -> usize {
        let matrix = |x: &Pose| {
            // column by column
            let column = |v: V3, last: f64| [v.x, v.y, v.z, last];
            [column(x.rot.x, 0.0), column(x.rot.y, 0.0), column(x.rot.z, 0.0), column(x.pos, 1.0)]
        };
        let bytes = inverses.iter().flat_map(matrix).flatten().flat_map(|x| (x as f32).to_le_bytes());
        let offset = self.append(View::Matrices, bytes);
        let matrices = self.accessor(json!({
            "bufferView": View::Matrices as usize, "byteOffset": offset, "componentType": FLOAT,
            "count": inverses.len(), "type": "MAT4",
        }));
        self.skins.push(json!({"joints": joints, "inverseBindMatrices": matrices}));
        self.skins.len() - 1
    }

    /// The index of the texture of a picture.
    pub fn texture(&mut self, picture: &Picture) -> usize {
        let mut bytes = picture.file.clone();
        // until the view has an index it is referred to by its position among the pictures
        self.images.push(json!({"bufferView": self.pictures.len(), "mimeType": picture.media_type()}));
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        self.pictures.push(bytes);
        self.images.len() - 1
    }

    fn append(&mut self, view: View, bytes: impl Iterator<Item = u8>) -> usize {
        let run = &mut self.views[view as usize];
        let offset = run.len();
        run.extend(bytes);
        offset
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Animates a property of a node by rows at these times. Constant rows are not animated.
    pub fn animate<const N: usize>(&mut self, node: usize, path: &str, times: usize, rows: &[[f32; N]]) {
        let Some(first) = rows.first() else { return };
        self.nodes[node][path] = first.iter().map(|x| f64::from(*x)).collect();
        if rows.iter().all(|row| row == first) {
            return;
        }
        let output = self.rows(View::Motion, rows);
        let target = json!({"node": node, "path": path});
        self.channels.push(json!({"sampler": self.samplers.len(), "target": target}));
        self.samplers.push(json!({"input": times, "output": output, "interpolation": "LINEAR"}));
    }

    /// The views that have bytes. Empty ones are not allowed, so the views of accessors are renumbered.
    fn buffer_views(&mut self) -> Vec<Value> {
        let (mut offset, mut list, mut renumbered) = (0, Vec::new(), [0; KINDS_OF_VIEWS]);
        for (k, bytes) in self.views.iter().enumerate().filter(|(_, b)| !b.is_empty()) {
            let mut view = json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()});
            if k == View::Vertices as usize {
                view["target"] = json!(ARRAY_BUFFER);
                view["byteStride"] = json!(12);
            } else if let Some(stride) = [(View::Places, 8), (View::Bones, 8), (View::Weights, 16)]
                .into_iter()
                .find_map(|(view, stride)| (k == view as usize).then_some(stride))
            {
                view["target"] = json!(ARRAY_BUFFER);
                view["byteStride"] = json!(stride);
            } else if k == View::Indices as usize {
                view["target"] = json!(ELEMENT_ARRAY_BUFFER);
            }
            renumbered[k] = list.len();
            list.push(view);
            offset += bytes.len();
        }
        for accessor in &mut self.accessors {
            let view = accessor["bufferView"].as_u64().unwrap_or(0) as usize;
            accessor["bufferView"] = json!(renumbered[view]);
        }
        for (bytes, image) in self.pictures.iter().zip(&mut self.images) {
            image["bufferView"] = json!(list.len());
            list.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}));
            offset += bytes.len();
        }
        list
    }

    /// Header, JSON and bytes; glTF is limited to 4 GB.
    pub fn write(mut self, out: &mut impl Write) -> Result<()> {
        let views = self.buffer_views();
        let binary: usize = self.views.iter().chain(&self.pictures).map(Vec::len).sum();
        let mut json = self.object(views, binary).to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let chunks = if binary == 0 { 1 } else { 2 };
        let size = |n: usize| u32::try_from(n).map_err(|_| Error::other("more than 4 GB; take fewer frames"));
        let total = size(12 + 8 * chunks + json.len() + binary)?;
        out.write_all(b"glTF")?;
        for word in [2, total, size(json.len())?] {
            out.write_all(&word.to_le_bytes())?;
        }
        out.write_all(b"JSON")?;
        out.write_all(&json)?;
        if binary > 0 {
            out.write_all(&size(binary)?.to_le_bytes())?;
            out.write_all(b"BIN\0")?;
        }
        self.views.iter().chain(&self.pictures).try_for_each(|bytes| out.write_all(bytes))
    }

    fn object(&mut self, views: Vec<Value>, binary: usize) -> Value {
        let mut object = Map::new();
        object.insert("asset".into(), json!({"version": "2.0", "generator": "Poinsot"}));
        object.insert("scene".into(), json!(0));
        object.insert("scenes".into(), json!([{"nodes": [File::ROOT]}]));
        let mut animations = Vec::new();
        if !self.channels.is_empty() {
            let (channels, samplers) =
                (std::mem::take(&mut self.channels), std::mem::take(&mut self.samplers));
            animations.push(json!({"name": "run", "channels": channels, "samplers": samplers}));
        }
        let textures: Vec<Value> = (0..self.images.len()).map(|k| json!({"source": k})).collect();
        let buffers = if binary > 0 { vec![json!({"byteLength": binary})] } else { Vec::new() };
        // an empty list is an error
        for (name, list) in [
            ("nodes", std::mem::take(&mut self.nodes)),
            ("cameras", std::mem::take(&mut self.cameras)),
            ("materials", std::mem::take(&mut self.materials)),
            ("meshes", std::mem::take(&mut self.meshes)),
            ("images", std::mem::take(&mut self.images)),
            ("textures", textures),
            ("skins", std::mem::take(&mut self.skins)),
            ("accessors", std::mem::take(&mut self.accessors)),
            ("animations", animations),
            ("bufferViews", views),
            ("buffers", buffers),
        ] {
            if !list.is_empty() {
                object.insert(name.into(), Value::Array(list));
            }
        }
        Value::Object(object)
    }
}
