//! The formats, their seeds, and how an input is made from them.

use crate::bytes::{break_bytes, break_words};
use crate::elements::break_elements;
use crate::markup::Markup;
use crate::random::Random;
use crate::words::Words;

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names of the formats
pub enum Format {
    Mjcf,
    Urdf,
    Stl,
    Obj,
    Collada,
    Msh,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] =
        [Format::Mjcf, Format::Urdf, Format::Stl, Format::Obj, Format::Collada, Format::Msh];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Mjcf => "mjcf",
            Format::Urdf => "urdf",
            Format::Stl => "stl",
            Format::Obj => "obj",
            Format::Collada => "collada",
            Format::Msh => "msh",
        }
    }
}

/// Makes inputs: seeds, taken apart once.
pub struct Maker {
    documents: Vec<Markup>,
    files: Vec<&'static [u8]>,
    words: Words,
    /// Lines and words mean something.
    is_text: bool,
}

impl Maker {
    /// The maker of a format's inputs.
    pub fn new(format: Format) -> Maker {
        let markup = |texts: &[&'static str]| texts.iter().map(|t| Markup::parse(t)).collect();
        let xml = |documents, words| Maker { documents, files: Vec::new(), words, is_text: true };
        let files = |files: &[&'static [u8]], is_text| Maker {
            documents: Vec::new(),
            files: files.to_vec(),
            words: Words::collada(),
            is_text,
        };
        match format {
            Format::Mjcf => xml(
                markup(&[
                    include_str!("../seeds/bodies.xml"),
                    include_str!("../seeds/drives.xml"),
                    include_str!("../seeds/assets.xml"),
                    include_str!("../seeds/small.xml"),
                ]),
                Words::mjcf(),
            ),
            Format::Urdf => xml(
                markup(&[include_str!("../seeds/robot.urdf"), include_str!("../seeds/small.urdf")]),
                Words::urdf(),
            ),
            Format::Collada => xml(markup(&[include_str!("../seeds/scene.dae")]), Words::collada()),
            Format::Stl => files(
                &[include_bytes!("../seeds/tetra.stl"), include_bytes!("../seeds/tetra-binary.stl")],
                true,
            ),
            Format::Obj => files(&[include_bytes!("../seeds/tetra.obj")], true),
            Format::Msh => files(&[include_bytes!("../seeds/tetra.msh")], false),
        }
    }

    /// The seeds as they are.
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        let documents = self.documents.iter().map(|d| d.text().into_bytes());
        documents.chain(self.files.iter().map(|f| f.to_vec())).collect()
    }

    /// The input of this number.
    pub fn input(&self, seed: u64, number: u64) -> Vec<u8> {
        let mut r = Random::of_input(seed, number);
        if !self.documents.is_empty() {
            return self.document(&mut r);
        }
        let mut bytes = r.pick(&self.files).to_vec();
        let binary = bytes.contains(&0);
        if self.is_text && !binary && !r.one_in(4) {
            break_words(&mut r, &mut bytes);
        }
        if binary || r.one_in(4) {
            break_bytes(&mut r, &mut bytes);
        }
        bytes
    }

    fn document(&self, r: &mut Random) -> Vec<u8> {
        let mut document = r.pick(&self.documents).clone();
        if !r.one_in(12) {
            break_elements(r, &mut document, &self.documents, &self.words);
        }
        let mut bytes = document.text().into_bytes();
        match r.below(60) {
            0..5 => break_bytes(r, &mut bytes),
            5 => break_words(r, &mut bytes),
            6 => bytes = String::from_utf8_lossy(&bytes).replace('\n', "\r\n").into_bytes(),
            7 => drop(bytes.splice(0..0, *b"\xef\xbb\xbf")),
            8 => bytes = String::from_utf8_lossy(&bytes).encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => {}
        }
        bytes
    }
}
