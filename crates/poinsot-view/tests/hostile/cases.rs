//! Models that name files they have no business with. In their texts ABS stands for the absolute path of a folder next to the
//! drop, REL for a relative one; the folder holds `secret.xml`, `.stl`, `.obj`, `.mtl`, `.dae`, `.msh`, `.hf`, `.png`.

use super::server::Drop;

/// A named drop.
pub struct Case {
    pub name: &'static str,
    pub files: Drop,
    /// Something is to be said of it: files that the viewer has no use for are passed over.
    pub said: bool,
}

fn one(name: &'static str, file: &str, text: String) -> Case {
    Case { name, files: vec![(file.into(), text)], said: true }
}
fn several(name: &'static str, files: &[(&str, &str)]) -> Case {
    Case { name, files: files.iter().map(|(f, t)| (f.to_string(), t.to_string())).collect(), said: true }
}

/// A body with a mesh asset; its inertia is given, so a missing mesh is no error.
fn with_asset(compiler: &str, asset: &str, geom: &str) -> String {
    format!(
        "<mujoco><compiler {compiler}/><asset>{asset}</asset><worldbody><body><joint/>\
         <inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>{geom}</body></worldbody></mujoco>"
    )
}
fn mjcf_mesh(compiler: &str, file: &str) -> String {
    with_asset(compiler, &format!("<mesh name='m' file='{file}'/>"), "<geom type='mesh' mesh='m'/>")
}
fn mjcf_field(file: &str) -> String {
    let asset = format!("<hfield name='h' size='1 1 1 1' file='{file}'/>");
    with_asset("", &asset, "<geom type='hfield' hfield='h'/>")
}
fn mjcf_texture(compiler: &str, attribute: &str, file: &str) -> String {
    let asset =
        format!("<texture name='t' type='cube' {attribute}='{file}'/><material name='p' texture='t'/>");
    with_asset(compiler, &asset, "<geom size='1' material='p'/>")
}
fn include(file: &str) -> String {
    format!("<mujoco><include file='{file}'/></mujoco>")
}
fn urdf(element: &str, file: &str) -> String {
    format!(
        "<robot name='r'><link name='a'><{element}><geometry><mesh filename='{file}'/></geometry></{element}></link></robot>"
    )
}
fn urdf_texture(file: &str) -> String {
    format!(
        "<robot name='r'><link name='a'><visual><geometry><sphere radius='1'/></geometry><material name='m'>\
         <texture filename='{file}'/></material></visual></link></robot>"
    )
}
fn collada(image: &str, geometry: &str) -> String {
    format!(
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\
         <library_images><image id='i'><init_from>{image}</init_from></image></library_images>\
         <library_effects><effect id='e'><profile_COMMON><newparam sid='s'><surface type='2D'><init_from>i</init_from>\
         </surface></newparam><newparam sid='p'><sampler2D><source>s</source></sampler2D></newparam><technique sid='t'>\
         <phong><diffuse><texture texture='p' texcoord='c'/></diffuse></phong></technique></profile_COMMON></effect>\
         </library_effects><library_materials><material id='m'><instance_effect url='#e'/></material></library_materials>\
         <library_geometries><geometry id='g'><mesh><source id='x'><float_array id='xa' count='9'>0 0 0 1 0 0 0 1 0\
         </float_array><technique_common><accessor source='#xa' count='3' stride='3'/></technique_common></source>\
         <vertices id='v'><input semantic='POSITION' source='#x'/></vertices><triangles count='1' material='M'>\
         <input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>\
         <library_visual_scenes><visual_scene id='s'><node><instance_geometry url='{geometry}'><bind_material>\
         <technique_common><instance_material symbol='M' target='#m'/></technique_common></bind_material>\
         </instance_geometry></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene>\
         </COLLADA>"
    )
}
const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl red\nf 1/1 2/1 3/1\n";

/// All of them.
pub fn all() -> Vec<Case> {
    let quiet = [inside_meshes(), documents()].into_iter().flatten().map(|case| Case { said: false, ..case });
    [includes(), assets(), urdfs(), names()].into_iter().flatten().chain(quiet).collect()
}

fn includes() -> Vec<Case> {
    let ways = [
        ("include, absolute", "ABS/secret.xml"),
        ("include, up", "REL/secret.xml"),
        ("include, up behind a folder that is not there", "no/where/../../REL/secret.xml"),
        ("include, dots in disguise", "././/./REL/./secret.xml"),
        ("include, two slashes", "/ABS/secret.xml"),
        ("include, file URL", "file://ABS/secret.xml"),
        ("include, percent-encoded", "%2e%2e/%2E%2E%2Fsecret.xml"),
        ("include, backslashes", "..\\..\\secret.xml"),
        ("include, drive letter", "C:\\Windows\\win.ini"),
        ("include, share", "\\\\server\\share\\secret.xml"),
        ("include, home", "~/.bashrc"),
        ("include, of this process", "/proc/self/environ"),
        ("include, device", "/dev/zero"),
        ("include, character references", "&#47;&#x2e;&#x2e;REL/secret.xml"),
    ];
    let mut cases: Vec<Case> = ways.into_iter().map(|(n, file)| one(n, "m.xml", include(file))).collect();
    cases.extend([
        several(
            "include within an include, absolute",
            &[("m.xml", &include("a.xml")), ("a.xml", &include("ABS/secret.xml"))],
        ),
        several(
            "include within an include, up from its own folder",
            &[("m.xml", &include("sub/a.xml")), ("sub/a.xml", &include("../REL/secret.xml"))],
        ),
    ]);
    cases
}

fn assets() -> Vec<Case> {
    let mesh = |name, compiler: &str, file: &str| one(name, "m.xml", mjcf_mesh(compiler, file));
    let texture = |name, compiler: &str, attribute: &str, file: &str| {
        one(name, "m.xml", mjcf_texture(compiler, attribute, file))
    };
    vec![
        mesh("STL, absolute", "", "ABS/secret.stl"),
        mesh("OBJ, absolute", "", "ABS/secret.obj"),
        mesh("MSH, absolute", "", "ABS/secret.msh"),
        mesh("Collada, absolute", "", "ABS/secret.dae"),
        mesh("STL, up", "", "REL/secret.stl"),
        mesh("meshdir, absolute", "meshdir='ABS'", "secret.stl"),
        mesh("meshdir, up", "meshdir='REL/'", "secret.stl"),
        mesh("meshdir, up and down again", "meshdir='REL'", "../REL/secret.stl"),
        mesh("assetdir, absolute", "assetdir='ABS'", "secret.stl"),
        mesh("assetdir, then meshdir", "assetdir='x' meshdir='ABS'", "secret.stl"),
        mesh("strippath", "strippath='true' meshdir='ABS'", "ABS/secret.stl"),
        one(
            "mesh whose inertia is needed",
            "m.xml",
            "<mujoco><asset><mesh name='m' file='ABS/secret.stl'/></asset><worldbody><body><joint/>\
             <geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
                .into(),
        ),
        several(
            "meshdir of an included file",
            &[
                (
                    "m.xml",
                    "<mujoco><include file='a.xml'/><asset><mesh name='m' file='secret.stl'/></asset><worldbody><body><joint/>\
                     <inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
                ),
                ("a.xml", "<mujocoinclude><compiler meshdir='ABS'/></mujocoinclude>"),
            ],
        ),
        one("height field, absolute", "m.xml", mjcf_field("ABS/secret.hf")),
        one("height field of a picture, up", "m.xml", mjcf_field("REL/secret.png")),
        texture("texture, absolute", "", "file", "ABS/secret.png"),
        texture("texture, up", "", "file", "REL/secret.png"),
        texture("texturedir, absolute", "texturedir='ABS'", "file", "secret.png"),
        texture("texturedir, up", "texturedir='REL'", "file", "secret.png"),
        texture("face of a cube", "", "fileright", "ABS/secret.png"),
        texture("last face of a cube", "", "fileback", "ABS/secret.png"),
        one("model within a model", "m.xml", with_asset("", "<model name='s' file='ABS/secret.xml'/>", "")),
    ]
}

fn urdfs() -> Vec<Case> {
    let ways = [
        ("URDF, absolute", "ABS/secret.stl"),
        ("URDF, up", "REL/secret.stl"),
        ("URDF, backslashes", "..\\..\\ABS\\secret.stl"),
        ("URDF, drive letter", "C:/secret.stl"),
        ("file URL, absolute", "file://ABS/secret.stl"),
        ("file URL, up", "file://REL/secret.stl"),
        ("file URL of a host", "file://localhostABS/secret.stl"),
        ("package URL, up", "package://REL/secret.stl"),
        ("package without a name", "package:///ABS/secret.stl"),
        ("package URL, up from a folder", "package://x/../../REL/secret.stl"),
        ("package URL, percent-encoded", "package://x/%2e%2e/%2e%2e/secret.stl"),
        ("package of dots", "package://.././REL/secret.stl"),
        ("model URL, up", "model://REL/secret.stl"),
        ("URL of another scheme", "http://127.0.0.1:9/secret.stl"),
        ("FTP", "ftp://127.0.0.1/secret.stl"),
    ];
    let mut cases: Vec<Case> =
        ways.into_iter().map(|(n, file)| one(n, "r.urdf", urdf("visual", file))).collect();
    cases.extend([
        one("URDF, collision", "r.urdf", urdf("collision", "ABS/secret.stl")),
        one("URDF texture, absolute", "r.urdf", urdf_texture("ABS/secret.png")),
        one("URDF texture, up", "r.urdf", urdf_texture("REL/secret.png")),
        one("URDF texture in a package", "r.urdf", urdf_texture("package://REL/secret.png")),
        several(
            "package that was dropped, up from it",
            &[
                ("pkg/package.xml", "<package><name>pkg</name></package>"),
                ("pkg/urdf/r.urdf", &urdf("visual", "package://pkg/../REL/secret.stl")),
            ],
        ),
        several(
            "package named as a path",
            &[
                ("pkg/package.xml", "<package><name>..</name></package>"),
                ("pkg/r.urdf", &urdf("visual", "package://../REL/secret.stl")),
            ],
        ),
    ]);
    cases
}

fn inside_meshes() -> Vec<Case> {
    let obj = |name, library: &str| {
        let text = format!("mtllib {library}\n{TRIANGLE}");
        several(name, &[("m.xml", &mjcf_mesh("", "a.obj")), ("a.obj", &text)])
    };
    let dae = |name, image: &str, geometry: &str| {
        several(name, &[("r.urdf", &urdf("visual", "a.dae")), ("a.dae", &collada(image, geometry))])
    };
    vec![
        obj("material library of an OBJ, absolute", "ABS/secret.mtl"),
        obj("material library of an OBJ, up", "REL/secret.mtl"),
        several(
            "picture of a material library",
            &[
                ("m.xml", &mjcf_mesh("", "a.obj")),
                ("a.obj", &format!("mtllib a.mtl\n{TRIANGLE}")),
                ("a.mtl", "newmtl red\nKd 1 0 0\nmap_Kd ABS/secret.png\n"),
            ],
        ),
        dae("picture of a Collada file, absolute", "ABS/secret.png", "#g"),
        dae("picture of a Collada file, up", "REL/secret.png", "#g"),
        dae("picture of a Collada file, URL", "file://ABS/secret.png", "#g"),
        dae("picture of a Collada file, percent-encoded", "file:///%2e%2e/ABS/secret.png", "#g"),
        dae("geometry of another Collada file", "i.png", "file://ABS/secret.dae#g"),
    ]
}

/// What is no part of a model, or of none that is looked at.
fn documents() -> Vec<Case> {
    let body = "<worldbody><body><joint/><geom size='1'/></body></worldbody>";
    let with_entity = |name, declared: &str| {
        let text = format!("<!DOCTYPE mujoco [{declared}]><mujoco model='&x;'>{body}</mujoco>");
        one(name, "m.xml", text)
    };
    vec![
        one("skin", "m.xml", with_asset("", "<skin name='s' file='ABS/secret.skn'/>", "<geom size='1'/>")),
        with_entity("external entity", "<!ENTITY x SYSTEM 'file://ABS/secret.xml'>"),
        with_entity("external parameter entity", "<!ENTITY % p SYSTEM 'ABS/secret.xml'> %p; <!ENTITY x 'y'>"),
        one(
            "external document type",
            "m.xml",
            format!("<!DOCTYPE mujoco SYSTEM 'ABS/secret.xml'><mujoco>{body}</mujoco>"),
        ),
        one(
            "XInclude",
            "m.xml",
            format!(
                "<mujoco xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='ABS/secret.xml' file='ABS/secret.xml'/>\
                 {body}</mujoco>"
            ),
        ),
        one(
            "style sheet",
            "m.xml",
            format!("<?xml-stylesheet href='ABS/secret.xml'?><mujoco>{body}</mujoco>"),
        ),
    ]
}

/// What is dropped has a name that leads elsewhere.
fn names() -> Vec<Case> {
    let model = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>";
    vec![
        one("name, absolute", "ABS/written.xml", model.into()),
        one("name, up", "REL/written.xml", model.into()),
        one("name, backslashes", "..\\..\\written.xml", model.into()),
        one("name, down and up", "a/../../REL/written.xml", model.into()),
        one("name of a folder", "..", model.into()),
        one("no name", "", model.into()),
        several("file and folder of one name", &[("a", "x"), ("a/m.xml", model)]),
    ]
}
