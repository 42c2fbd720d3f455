//! How much a row would move its bodies if they were free, `W M⁻¹ Wᵀ`: the scale of round-off in its response.
//!
//! A row that the joints already satisfy, such as one out of the plane of a planar loop, has a response of pure round-off. To recognise it,
//! the response is compared with
//!
//! ```math
//! size = Σ_bodies |f|²/m + |n|²/Ī      n about the centre of mass, Ī the mean of the moments of inertia
//! ```
//! which joints can only reduce. Bodies without mass or extent get values typical of the model.

use super::bodies_tree::typical_inertia;
use super::rows::Rows;
use crate::algebra::V3;
use crate::algebra::lanes::{Isa, Kernel, dispatch};
use crate::dynamics::Workspace;
use crate::model::Model;
use crate::spatial::Force;

/// The data of each link from which sizes are computed.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// 1/m and 1/Ī; 0 for the world.
    inverse: Vec<[f64; 2]>,
    /// The centre of mass in the axes of the link.
    com: Vec<V3>,
}

impl Sizes {
    pub fn new(model: &Model) -> Sizes {
        let (usual_mass, usual_moment) = typical_inertia(model);
        let of = |link: usize| {
            let inertia = model.tree.inertia_of(link);
            if link == 0 || inertia.mass <= 0.0 {
                let inverse = if link == 0 { [0.0; 2] } else { [1.0 / usual_mass, 1.0 / usual_moment] };
                return (inverse, V3::ZERO);
            }
            let moment = inertia.about_com().trace() / 3.0;
            let moment = if moment > 0.0 { moment } else { usual_moment };
            ([1.0 / inertia.mass, 1.0 / moment], inertia.first_moment * (1.0 / inertia.mass))
        };
        let (inverse, com) = (0..model.tree.links()).map(of).unzip();
        Sizes { inverse, com }
    }

    /// Computes the sizes of some rows, for the poses in the workspace; 0 for couplings of joints.
    pub fn of_rows(&self, rows: &Rows, ws: &Workspace, chosen: &[usize], out: &mut Vec<f64>) {
        struct All<'a>(&'a Sizes, &'a Rows, &'a Workspace, &'a [usize], &'a mut Vec<f64>);
        impl Kernel for All<'_> {
            type Output = ();
            #[inline(always)]
            fn run<I: Isa>(self) {
                let All(sizes, rows, ws, chosen, out) = self;
                out.clear();
                for row in chosen {
                    out.push(sizes.of(rows, ws, *row));
                }
            }
        }
        dispatch(All(self, rows, ws, chosen, out));
    }

    #[inline(always)]
    fn of(&self, rows: &Rows, ws: &Workspace, row: usize) -> f64 {
        let [a, b] = rows.links[row];
        let own = self.moved(ws, a, rows.link_a[row]) + self.moved(ws, b, rows.link_b[row]);
        let first = rows.measured.partition_point(|t| t.row < row);
        let mut sum = own;
        for term in rows.measured[first..].iter().take_while(|t| t.row == row) {
            for (link, wrench) in term.wrenches() {
                sum += self.moved(ws, link, wrench);
            }
        }
        sum
    }

    #[inline(always)]
    fn moved(&self, ws: &Workspace, link: usize, wrench: Force) -> f64 {
        let [by_mass, by_moment] = self.inverse[link];
        let Force { moment, force } = wrench.about(ws.link_pose(link).rot * self.com[link]);
        force.dot(force) * by_mass + moment.dot(moment) * by_moment
    }
}
