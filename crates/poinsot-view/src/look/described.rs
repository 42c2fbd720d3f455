//! The appearance of models from files: materials and pictures, from the model's file and from its mesh files.

use super::mapping::{Grid, Mapping, mapped};
use super::pattern::pattern;
use super::{Known, Layer, Look, Part, derived};
use crate::picture::Picture;
use crate::surface::{CornerPaint, Creases, Surface};
use poinsot::formats::{self, Description, Format, MeshMaterial, PaintedMesh, Texture, read_painted_mesh};
use poinsot::model::{BodyId, Geom, Mesh, Model, Role, Shape};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// MJCF geoms in this group and above are hidden, as in MuJoCo.
const FIRST_UNSEEN_GROUP: i32 = 3;
/// How many times a picture repeats in the half size of a shape, or, with `texuniform`, in a metre.
const HALF: f64 = 0.5;

impl Look {
    /// The geoms of a file's model with their materials and pictures; if no body has any geom, the shapes that [`Look::of_model`]
    /// derives.
    pub fn described(model: &Model, description: &Description) -> Look {
        let mut reader = Reader::new(description);
        let details: Vec<&formats::Geom> = description.geoms().map(|(_, geom)| geom).collect();
        let mut number = 0;
        for body in model.body_ids() {
            let first = reader.look.parts.len();
            let colour = derived::own_colour(model, body);
            for (_, geom) in model.geoms_of(body) {
                reader.add(body, geom, details.get(number).copied(), colour);
                number += 1;
            }
            // URDF links that have only collision shapes are shown with these
            if description.format == Format::Urdf {
                reader.look.show_collision(first);
            }
        }
        let bare = reader.look.parts.iter().all(|p| p.body == BodyId::WORLD);
        for skin in description.skins.iter().filter(|s| s.group < FIRST_UNSEEN_GROUP) {
            reader.add_skin(model, skin);
        }
        let mut look = reader.look;
        if bare && description.skins.is_empty() {
            return Look::of_model(model);
        }
        // better its collision shapes than nothing
        let skinned = look.surfaces.iter().any(|s| s.bones.is_some());
        if !skinned && !look.parts.iter().any(|p| p.layer == Layer::Visual && p.body != BodyId::WORLD) {
            let own = look.parts.iter().filter(|p| p.body != BodyId::WORLD);
            let seen: Vec<Part> = own.map(|p| Part { layer: Layer::Visual, ..p.clone() }).collect();
            look.parts.extend(seen);
        }
        look.carry_pictures();
        look.given = true;
        look
    }
}

pub(super) struct Reader<'a> {
    pub description: &'a Description,
    pub look: Look,
    known: Known,
    meshes: HashMap<*const Mesh, Option<Arc<Painted>>>,
    pictures: HashMap<PathBuf, Option<Arc<Picture>>>,
    patterns: HashMap<usize, Option<Arc<Picture>>>,
    /// The surfaces made so far, by mesh, colour and texture.
    made: HashMap<Key, Vec<(usize, [f64; 4])>>,
    /// Pictures that meshes name are read from below this folder only.
    folder: Option<PathBuf>,
}

type Key = (*const Mesh, Option<[u64; 4]>, Option<usize>);

/// A mesh with its appearance, in its own frame.
struct Painted {
    mesh: PaintedMesh,
    /// The folder of its pictures.
    folder: PathBuf,
}

impl<'a> Reader<'a> {
    fn new(description: &'a Description) -> Reader<'a> {
        let files = description.meshes.iter().filter_map(|m| m.file());
        let files = files.chain(description.textures.iter().filter_map(|t| t.file.as_deref()));
        let folders = files.filter_map(|f| f.parent()?.canonicalize().ok());
        Reader {
            description,
            look: Look::default(),
            known: Known::new(),
            meshes: HashMap::new(),
            pictures: HashMap::new(),
            patterns: HashMap::new(),
            made: HashMap::new(),
            folder: folders.reduce(|a, b| common(&a, &b)),
        }
    }

    fn add(&mut self, body: BodyId, geom: &Geom, details: Option<&formats::Geom>, [r, g, b]: [f64; 3]) {
        let layers: &[Layer] = match geom.role {
            Role::Collision => &[Layer::Collision],
            _ if self.is_unseen(geom) => &[Layer::Collision],
            Role::Visual => &[Layer::Visual],
            Role::Both => &[Layer::Visual, Layer::Collision],
        };
        let rgba = geom.rgba.unwrap_or([r, g, b, 1.0]);
        for layer in layers {
            let pieces = match layer {
                Layer::Visual => self.painted(geom, details),
                Layer::Collision => None,
            };
            let pieces = pieces.unwrap_or_else(|| {
                let surface = self.look.surface(&geom.shape, &mut self.known);
                surface.map(|s| (s, rgba)).into_iter().collect()
            });
            for (surface, rgba) in pieces {
                let (shape, pose) = (geom.shape.clone(), geom.pose);
                self.look.parts.push(Part { body, shape, surface, pose, rgba, layer: *layer });
            }
        }
    }

    fn is_unseen(&self, geom: &Geom) -> bool {
        self.description.format == Format::Mjcf && geom.group >= FIRST_UNSEEN_GROUP
    }

    /// The surfaces of a geom with more than one colour.
    fn painted(
        &mut self,
        geom: &Geom,
        details: Option<&formats::Geom>,
    ) -> Option<Vec<(Option<usize>, [f64; 4])>> {
        let details = details?;
        let material = details.material.and_then(|m| self.description.materials.get(m));
        let texture = material.and_then(|m| m.texture);
        let own = details.geom.rgba.unwrap_or([1.0; 4]);
        let pieces = match &geom.shape {
            Shape::Hull(mesh) | Shape::Mesh(mesh) => {
                // the colours of the model's file take precedence; in URDF only if it gives any
                let over = (self.description.format == Format::Mjcf || material.is_some()).then_some(own);
                self.mesh(mesh, over, texture, material)?
            }
            Shape::HeightField(_) => return None,
            shape => {
                let picture = self.texture(texture?)?;
                let mapping = self.mapping(texture?, material, half_sizes(shape));
                let mut surface = mapped(&Surface::of(shape)?, &mapping);
                surface.picture = Some(picture);
                vec![(self.push(surface), own)]
            }
        };
        Some(pieces.into_iter().map(|(surface, rgba)| (Some(surface), rgba)).collect())
    }

    pub fn push(&mut self, surface: Surface) -> usize {
        self.look.surfaces.push(surface);
        self.look.surfaces.len() - 1
    }

    /// The pieces of a mesh, each with one picture and opacity; `None` if it has only one colour.
    fn mesh(
        &mut self,
        mesh: &Arc<Mesh>,
        over: Option<[f64; 4]>,
        texture: Option<usize>,
        material: Option<&formats::Material>,
    ) -> Option<Vec<(usize, [f64; 4])>> {
        let key = (Arc::as_ptr(mesh), over.map(|c| c.map(f64::to_bits)), texture);
        if let Some(made) = self.made.get(&key) {
            return Some(made.clone());
        }
        let painted = self.paint_of(mesh);
        let picture = texture.and_then(|t| self.texture(t));
        let pieces = match (painted, picture) {
            (Some(painted), picture) => self.cut(&painted, over, picture, texture, material),
            // no texture coordinates: mapped as on any shape
            (None, Some(picture)) => {
                let number = self.look.surface(&Shape::Mesh(mesh.clone()), &mut self.known)??;
                let half = half_extent(&self.look.surfaces[number]);
                let mapping = self.mapping(texture?, material, half);
                let mut surface = mapped(&self.look.surfaces[number], &mapping);
                surface.picture = Some(picture);
                vec![(self.push(surface), over.unwrap_or([1.0; 4]))]
            }
            (None, None) => return None,
        };
        self.made.insert(key, pieces.clone());
        Some(pieces)
    }

    /// The appearance in a mesh file, if it has any.
    fn paint_of(&mut self, mesh: &Arc<Mesh>) -> Option<Arc<Painted>> {
        if let Some(known) = self.meshes.get(&Arc::as_ptr(mesh)) {
            return known.clone();
        }
        // a file that cannot be read is reported where its triangles are requested
        let read = mesh.file().filter(|f| has_looks(f)).and_then(|file| {
            let painted = read_painted_mesh(file).ok()?;
            // MJCF has its own materials and ignores those of meshes
            let unread = painted.unread.iter().filter(|_| self.description.format != Format::Mjcf);
            for (library, why) in unread {
                let text =
                    format!("the materials of the mesh \"{}\" are not drawn: {library}: {why}", mesh.name);
                self.look.missing.push(text);
            }
            let bare =
                painted.material_of.is_empty() && painted.texture_at.is_empty() && painted.colours.is_empty();
            let folder = file.parent().unwrap_or(Path::new(".")).to_path_buf();
            (!bare).then(|| Arc::new(Painted { mesh: placed(mesh, painted), folder }))
        });
        self.meshes.insert(Arc::as_ptr(mesh), read.clone());
        read
    }

    /// One surface for each picture and opacity.
    fn cut(
        &mut self,
        painted: &Painted,
        over: Option<[f64; 4]>,
        picture: Option<Arc<Picture>>,
        texture: Option<usize>,
        material: Option<&formats::Material>,
    ) -> Vec<(usize, [f64; 4])> {
        let PaintedMesh { mesh, materials, material_of, texture_at, colours, .. } = &painted.mesh;
        let mjcf = self.description.format == Format::Mjcf;
        let plain = MeshMaterial { name: String::new(), rgba: GREY, texture: None };
        let own =
            |k: usize| material_of.get(k).copied().flatten().and_then(|m| materials.get(m)).unwrap_or(&plain);
        let named: Vec<Option<Arc<Picture>>> = materials
            .iter()
            .map(|m| {
                let name = m.texture.as_ref().filter(|_| !mjcf && picture.is_none())?;
                self.picture_in(&painted.folder, name)
            })
            .collect();
        let repeat = material.filter(|_| mjcf).map_or([1.0, 1.0], |m| m.texrepeat.map(|x| x as f32));
        let mut groups: Vec<(Option<Arc<Picture>>, f64, Vec<usize>)> = Vec::new();
        for k in 0..mesh.triangles.len() {
            let number = material_of.get(k).copied().flatten();
            let own_picture = number.and_then(|m| named.get(m).cloned().flatten());
            let shown = picture.clone().or(own_picture).filter(|_| !texture_at.is_empty());
            let opacity = over.map_or(own(k).rgba[3], |c| c[3]);
            let same = |g: &(Option<Arc<Picture>>, f64, Vec<usize>)| {
                g.1 == opacity && g.0.as_ref().map(Arc::as_ptr) == shown.as_ref().map(Arc::as_ptr)
            };
            match groups.iter_mut().find(|g| same(g)) {
                Some(group) => group.2.push(k),
                None => groups.push((shown, opacity, vec![k])),
            }
        }
        let creases = Creases::of(&mesh.vertices, &mesh.triangles);
        let mut pieces = Vec::new();
        for (shown, opacity, triangles) in groups {
            let colour = |k: usize, c: usize| {
                let base = over.unwrap_or(own(k).rgba);
                let corner = colours.get(k).filter(|_| over.is_none()).map_or([1.0; 4], |t| t[c]);
                [0, 1, 2].map(|i| (255.0 * (base[i] * f64::from(corner[i])).clamp(0.0, 1.0)).round() as u8)
            };
            let first = colour(triangles[0], 0);
            let even = triangles.iter().all(|k| (0..3).all(|c| colour(*k, c) == first));
            let paint = |k: usize, c: usize| {
                let [r, g, b] = colour(k, c);
                let at = texture_at.get(k).filter(|_| shown.is_some()).map_or([0.0; 2], |t| t[c]);
                CornerPaint {
                    colour: if even { [0; 4] } else { [r, g, b, 255] },
                    texture_at: [at[0] * repeat[0], at[1] * repeat[1]],
                }
            };
            let mut surface = creases.surface(&triangles, paint);
            // all corners may have the same texture coordinates
            if shown.is_some() && surface.texture_at.is_empty() {
                surface.texture_at = vec![[0.0; 2]; surface.points.len()];
            }
            surface.picture = shown;
            let rgb = if even { first.map(|x| f64::from(x) / 255.0) } else { [1.0; 3] };
            pieces.push((self.push(surface), [rgb[0], rgb[1], rgb[2], opacity]));
        }
        let flat = texture.filter(|_| texture_at.is_empty()).zip(picture);
        if let Some((texture, picture)) = flat {
            for (number, _) in &pieces {
                let half = half_extent(&self.look.surfaces[*number]);
                let mapping = self.mapping(texture, material, half);
                let mut surface = mapped(&self.look.surfaces[*number], &mapping);
                surface.picture = Some(picture.clone());
                self.look.surfaces[*number] = surface;
            }
        }
        pieces
    }

    fn mapping(&self, texture: usize, material: Option<&formats::Material>, half: [f64; 3]) -> Mapping {
        let Texture { kind, grid, .. } = &self.description.textures[texture];
        let uniform = material.is_some_and(|m| m.texuniform);
        if kind == "2d" {
            let repeat = material.map_or([1.0, 1.0], |m| m.texrepeat);
            let scale = |k: usize| HALF * repeat[k] / if uniform { 1.0 } else { half[k] };
            return Mapping::Flat([scale(0), scale(1)]);
        }
        Mapping::Cube { half: if uniform { [1.0; 3] } else { half }, faces: Grid::of(&grid.0, &grid.1) }
    }

    /// The picture of a texture of the model's file.
    pub fn texture(&mut self, number: usize) -> Option<Arc<Picture>> {
        let texture = self.description.textures.get(number)?;
        match &texture.file {
            Some(file) => self.picture(file, &texture.name),
            None => self.patterns.entry(number).or_insert_with(|| pattern(texture).map(Arc::new)).clone(),
        }
    }

    /// A picture that a mesh names: where it says, or by its name alone next to the mesh; nowhere but below the folder that all files
    /// of the model share.
    fn picture_in(&mut self, folder: &Path, name: &str) -> Option<Arc<Picture>> {
        let name = name.trim_start_matches("file://").replace('\\', "/").replace("%20", " ");
        let last = Path::new(&name).file_name().map(PathBuf::from).unwrap_or_default();
        let inside = |path: PathBuf| {
            let path = path.canonicalize().ok()?;
            self.folder.as_ref().is_some_and(|f| path.starts_with(f)).then_some(path)
        };
        match inside(folder.join(&name)).or_else(|| inside(folder.join(last))) {
            Some(path) => self.picture(&path, &name),
            None => {
                let known = self.pictures.contains_key(Path::new(&name));
                if !known {
                    let why = "there is no such file next to the meshes of the model";
                    self.look.missing.push(format!("the texture \"{name}\" is not drawn: {why}"));
                    self.pictures.insert(PathBuf::from(name), None);
                }
                None
            }
        }
    }

    fn picture(&mut self, path: &Path, name: &str) -> Option<Arc<Picture>> {
        if let Some(known) = self.pictures.get(path) {
            return known.clone();
        }
        let read = Picture::read(path)
            .map_err(|why| {
                self.look
                    .missing
                    .push(format!("the texture \"{name}\" is not drawn: {}: {why}", path.display()))
            })
            .ok()
            .map(Arc::new);
        self.pictures.insert(path.to_path_buf(), read.clone());
        read
    }
}

/// The colour of meshes whose file gives none.
const GREY: [f64; 4] = [0.7, 0.7, 0.7, 1.0];

/// STL has no appearance, and is not read for one.
fn has_looks(file: &Path) -> bool {
    let ending = file.extension().map(|e| e.to_string_lossy().to_lowercase());
    matches!(ending.as_deref(), Some("dae" | "obj" | "msh"))
}

/// The deepest folder that contains both.
fn common(a: &Path, b: &Path) -> PathBuf {
    let shared = a.components().zip(b.components()).take_while(|(x, y)| x == y);
    shared.map(|(part, _): (Component, Component)| part).collect()
}

/// The mesh in its own frame, as [`Mesh::surface`] has it.
fn placed(mesh: &Mesh, mut painted: PaintedMesh) -> PaintedMesh {
    let (back, s) = (mesh.reference.inverse(), mesh.scale);
    for v in &mut painted.mesh.vertices {
        let p = back.point(*v);
        (v.x, v.y, v.z) = (p.x * s.x, p.y * s.y, p.z * s.z);
    }
    if s.x * s.y * s.z < 0.0 {
        painted.mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        painted.texture_at.iter_mut().for_each(|t| t.swap(1, 2));
        painted.colours.iter_mut().for_each(|t| t.swap(1, 2));
    }
    painted
}

fn half_sizes(shape: &Shape) -> [f64; 3] {
    match *shape {
        Shape::Sphere { radius } => [radius; 3],
        Shape::Ellipsoid { radii } => radii.array(),
        Shape::Capsule { radius, length } => [radius, radius, radius + 0.5 * length],
        Shape::Cylinder { radius, length } => [radius, radius, 0.5 * length],
        Shape::Box { size } => (size * 0.5).array(),
        // an infinite plane has no size: its picture repeats by the metre
        Shape::Plane { x, y } => [x, y, 2.0].map(|e| if e > 0.0 { 0.5 * e } else { 1.0 }),
        Shape::Hull(_) | Shape::Mesh(_) | Shape::HeightField(_) => [1.0; 3],
    }
}

fn half_extent(surface: &Surface) -> [f64; 3] {
    let reach = |k: usize| surface.points.iter().map(|p| f64::from(p[k].abs())).fold(1e-9, f64::max);
    [reach(0), reach(1), reach(2)]
}
