//! A momentum state as numbers, including what its method carries from step to step.

use super::polhode::Polhode;
use super::raw::Raw;
use super::rotor::{FreeRotor, MomentumPath};
use super::{FreeBody, MomentumState};
use crate::algebra::V3;
use crate::spatial::Quat;

/// Where the numbers of the rotation start: after position, attitude, momenta and the accumulated rounding error.
const ROTATION: usize = 16;
/// Where those of raw entries start.
const RAW: usize = ROTATION + 1 + Polhode::NUMBERS;

impl MomentumState {
    /// The length of the array.
    pub(crate) const NUMBERS: usize = RAW + Raw::NUMBERS;

    /// All its numbers.
    pub(crate) fn numbers(&self, body: &FreeBody) -> [f64; Self::NUMBERS] {
        let mut out = [0.0; Self::NUMBERS];
        let vectors = [self.pos, self.linear, self.angular, self.left_out].map(V3::array);
        out[..12].copy_from_slice(vectors.as_flattened());
        out[12..ROTATION].copy_from_slice(&self.rot.array());
        // a rotor that belongs to another state is recomputed by the next step
        let rotor = self.rotor.as_ref().filter(|r| r.is_at(body, self.rot, self.angular));
        match rotor.map(FreeRotor::path) {
            None => {}
            Some(MomentumPath::Steady { omega }) => {
                out[ROTATION] = 1.0;
                out[ROTATION + 1..ROTATION + 4].copy_from_slice(&omega.array());
            }
            Some(MomentumPath::Polhode(polhode)) => {
                out[ROTATION] = 2.0;
                out[ROTATION + 1..RAW].copy_from_slice(&polhode.numbers());
            }
        }
        if let Some(raw) = self.raw {
            out[RAW..].copy_from_slice(&raw.numbers());
        }
        out
    }

    /// The state of `body` with these numbers.
    pub(crate) fn of_numbers(body: &FreeBody, n: &[f64; Self::NUMBERS]) -> MomentumState {
        let vector = |k: usize| V3::new(n[k], n[k + 1], n[k + 2]);
        let rot = Quat { w: n[12], x: n[13], y: n[14], z: n[15] };
        let mut s = MomentumState::new(vector(0), rot, vector(3), vector(6));
        s.left_out = vector(9);
        let path = match n[ROTATION] {
            1.0 => Some(MomentumPath::Steady { omega: vector(ROTATION + 1) }),
            2.0 => {
                let mut own = [0.0; Polhode::NUMBERS];
                own.copy_from_slice(&n[ROTATION + 1..RAW]);
                Some(MomentumPath::Polhode(Polhode::of_numbers(&own)))
            }
            _ => None,
        };
        let mut raw = [0.0; Raw::NUMBERS];
        raw.copy_from_slice(&n[RAW..]);
        s.raw = Raw::of_numbers(&raw);
        s.rotor = path.map(|path| FreeRotor::on_path(body, s.rot, s.angular, path));
        s
    }
}
