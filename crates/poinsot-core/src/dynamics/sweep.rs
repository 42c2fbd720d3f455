//! The arithmetic and the memory layout shared by all sweeps.
//!
//! A sweep over the tree has two kinds of work. Recursions between a link and its parent must process one link at a time. Local stages
//! (sine and cosine of a joint angle, a link's inertia in world axes, its inertial force) process eight links side by side. So data are
//! stored in blocks of eight links, field by field; a recursion reads one lane of a block, a local stage the whole. With eight *states*
//! side by side, a block is one link and every stage uses all lanes. [`Arithmetic`] is the difference between the two; each sweep is
//! written once.

use crate::algebra::lanes::{Eight, Isa};
use crate::algebra::{Lanes, M3, Real, Sym3, V3};
use std::fmt::Debug;
use std::marker::PhantomData;

/// The number types of a sweep: `R` in recursions, `W` in local stages, `Cell` in memory, `In` in the caller's slices.
pub(crate) trait Arithmetic: Copy + 'static {
    type R: Real;
    type W: Real;
    type Cell: Copy + Debug + Default;
    type In: Copy + Debug + Default;
    /// The number of links in a block.
    const WIDTH: usize;
    fn get(cell: &Self::Cell, lane: usize) -> Self::R;
    fn put(cell: &mut Self::Cell, lane: usize, x: Self::R);
    fn load(cell: &Self::Cell) -> Self::W;
    fn store(cell: &mut Self::Cell, x: Self::W);
    /// A constant of the model for a local stage that starts at link `link`.
    fn constant(cell: &Lanes<8>, link: usize) -> Self::W;
    /// `x[index[k]]` for the k-th link of a block.
    fn pick(x: &[Self::In], index: &[usize]) -> Self::W;
    /// One number for all links of a block.
    fn spread(x: Self::R) -> Self::W;
    fn read(x: &Self::In) -> Self::R;
    fn write(to: &mut Self::In, x: Self::R);
}

/// One state; eight links side by side in local stages.
#[derive(Clone, Copy)]
pub(crate) struct OneState<I>(PhantomData<I>);

impl<I: Isa> Arithmetic for OneState<I> {
    type R = f64;
    type W = I::F64x8;
    type Cell = Lanes<8>;
    type In = f64;
    const WIDTH: usize = 8;
    #[inline(always)]
    fn get(cell: &Lanes<8>, lane: usize) -> f64 {
        cell.0[lane % 8]
    }
    #[inline(always)]
    fn put(cell: &mut Lanes<8>, lane: usize, x: f64) {
        cell.0[lane % 8] = x;
    }
    #[inline(always)]
    fn load(cell: &Lanes<8>) -> I::F64x8 {
        I::F64x8::load(cell)
    }
    #[inline(always)]
    fn store(cell: &mut Lanes<8>, x: I::F64x8) {
        x.store(cell);
    }
    #[inline(always)]
    fn constant(cell: &Lanes<8>, _: usize) -> I::F64x8 {
        I::F64x8::load(cell)
    }
    #[inline(always)]
    fn pick(x: &[f64], n: &[usize]) -> I::F64x8 {
        I::F64x8::from_array([x[n[0]], x[n[1]], x[n[2]], x[n[3]], x[n[4]], x[n[5]], x[n[6]], x[n[7]]])
    }
    #[inline(always)]
    fn spread(x: f64) -> I::F64x8 {
        I::F64x8::from_f64(x)
    }
    #[inline(always)]
    fn read(x: &f64) -> f64 {
        *x
    }
    #[inline(always)]
    fn write(to: &mut f64, x: f64) {
        *to = x;
    }
}

/// Eight states side by side.
#[derive(Clone, Copy)]
pub(crate) struct EightStates<I>(PhantomData<I>);

impl<I: Isa> Arithmetic for EightStates<I> {
    type R = I::F64x8;
    type W = I::F64x8;
    type Cell = Lanes<8>;
    type In = Lanes<8>;
    const WIDTH: usize = 1;
    #[inline(always)]
    fn get(cell: &Lanes<8>, _: usize) -> I::F64x8 {
        I::F64x8::load(cell)
    }
    #[inline(always)]
    fn put(cell: &mut Lanes<8>, _: usize, x: I::F64x8) {
        x.store(cell);
    }
    #[inline(always)]
    fn load(cell: &Lanes<8>) -> I::F64x8 {
        I::F64x8::load(cell)
    }
    #[inline(always)]
    fn store(cell: &mut Lanes<8>, x: I::F64x8) {
        x.store(cell);
    }
    #[inline(always)]
    fn constant(cell: &Lanes<8>, link: usize) -> I::F64x8 {
        I::F64x8::from_f64(cell.0[link % 8])
    }
    #[inline(always)]
    fn pick(x: &[Lanes<8>], index: &[usize]) -> I::F64x8 {
        I::F64x8::load(&x[index[0]])
    }
    #[inline(always)]
    fn spread(x: I::F64x8) -> I::F64x8 {
        x
    }
    #[inline(always)]
    fn read(x: &Lanes<8>) -> I::F64x8 {
        I::F64x8::load(x)
    }
    #[inline(always)]
    fn write(to: &mut Lanes<8>, x: I::F64x8) {
        x.store(to);
    }
}

/// Any number type, one link at a time: for dual numbers, or four lanes.
#[derive(Clone, Copy)]
pub(crate) struct Plain<T>(PhantomData<T>);

impl<T: Real> Arithmetic for Plain<T> {
    type R = T;
    type W = T;
    type Cell = T;
    type In = T;
    const WIDTH: usize = 1;
    #[inline(always)]
    fn get(cell: &T, _: usize) -> T {
        *cell
    }
    #[inline(always)]
    fn put(cell: &mut T, _: usize, x: T) {
        *cell = x;
    }
    #[inline(always)]
    fn load(cell: &T) -> T {
        *cell
    }
    #[inline(always)]
    fn store(cell: &mut T, x: T) {
        *cell = x;
    }
    #[inline(always)]
    fn constant(cell: &Lanes<8>, link: usize) -> T {
        T::from_f64(cell.0[link % 8])
    }
    #[inline(always)]
    fn pick(x: &[T], index: &[usize]) -> T {
        x[index[0]]
    }
    #[inline(always)]
    fn spread(x: T) -> T {
        x
    }
    #[inline(always)]
    fn read(x: &T) -> T {
        *x
    }
    #[inline(always)]
    fn write(to: &mut T, x: T) {
        *to = x;
    }
}

/// The motion of the links of one block, in world axes, at each link's own origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moving<C> {
    /// R_WL by columns, from `pose_sweep`, `velocity_sweep` or `bias_sweep`; after `place` alone, as in `rnea`: X, the
    /// rotation from the parent.
    pub rot: [C; 9],
    /// From the parent's origin to the link's, by the same sweeps; after `place` alone: d, in parent axes.
    pub r: [C; 3],
    /// The position of the origin in the world, from `pose_sweep` or `velocity_sweep`.
    pub p: [C; 3],
    /// Angular velocity ω, from `velocity_sweep` or `bias_sweep`; in `rnea`, in link axes, like α and a.
    pub w: [C; 3],
    /// Angular acceleration α, from `bias_sweep` with q̈ = 0 or from `rnea`.
    pub alpha: [C; 3],
    /// Acceleration a of the origin, with −g in place of gravity; from the same sweeps as α.
    pub a: [C; 3],
    /// Velocity of the origin, from `velocity_sweep`.
    pub u: [C; 3],
}

/// The inertia and the inertial force of the links of one block, in world axes, at each link's own origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InertialTerms<C> {
    /// Mass, from `bias_sweep`; in `crba`, that of the whole subtree.
    pub m: C,
    /// First moment of mass h; from the same sweeps.
    pub h: [C; 3],
    /// Rotational inertia I; from the same sweeps.
    pub i: [C; 6],
    /// Inertial force, from `bias_sweep`, or from `rnea` in link axes; in `crba`, f of the momentum of the subtree.
    pub f: [C; 3],
    /// Inertial moment about the origin; in `crba`: n of the same momentum.
    pub n: [C; 3],
    /// Pads the size to an odd number of cache lines: with sixteen, all blocks would map to a few cache sets.
    _odd: C,
}

/// The links of one block in the articulated-body algorithm, in world axes at each link's own origin. From the inward sweep: the
/// articulated inertia [I H; Hᵀ M] and force (n; f) from those children that do not come right after their parent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Articulated<C> {
    pub i: [C; 6],
    pub h: [C; 9],
    pub m: [C; 6],
    pub n: [C; 3],
    pub f: [C; 3],
    /// α̂ and â, the part of α and a caused by the joint accelerations; from the outward sweep.
    pub d_alpha: [C; 3],
    pub d_a: [C; 3],
}

/// Scratch for the sweeps over one model, sized once: no sweep allocates.
#[derive(Clone, Debug)]
pub(crate) struct Scratch<C, In> {
    pub moving: Vec<Moving<C>>,
    pub inertial: Vec<InertialTerms<C>>,
    pub articulated: Vec<Articulated<C>>,
    /// For each degree of freedom: U/D (moment, force), u/D.
    pub gain: Vec<[In; 7]>,
}

impl<C: Copy + Default, In: Copy + Default> Scratch<C, In> {
    pub fn new(links: usize, nv: usize, width: usize) -> Self {
        let blocks = links.div_ceil(width);
        Scratch {
            moving: vec![Moving::default(); blocks],
            inertial: vec![InertialTerms::default(); blocks],
            articulated: vec![Articulated::default(); blocks],
            gain: vec![[In::default(); 7]; nv],
        }
    }
}

/// Views of one link in the blocks of a sweep: `link.rot()` reads its rotation, whichever block and lane hold it, and a mutable view
/// writes it by `link.set_rot(x)`.
macro_rules! views {
    ($block:ident: $view:ident by $of:ident, $view_mut:ident by $of_mut:ident;
     $($field:ident: $type:ty, $get:ident, $set:ident $put:ident;)*) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $view<'a, A: Arithmetic>(&'a $block<A::Cell>, usize);
        pub(crate) struct $view_mut<'a, A: Arithmetic>(&'a mut $block<A::Cell>, usize);
        #[inline(always)]
        pub(crate) fn $of<A: Arithmetic>(blocks: &[$block<A::Cell>], link: usize) -> $view<'_, A> {
            $view(&blocks[link / A::WIDTH], link)
        }
        #[inline(always)]
        pub(crate) fn $of_mut<A: Arithmetic>(blocks: &mut [$block<A::Cell>], link: usize) -> $view_mut<'_, A> {
            $view_mut(&mut blocks[link / A::WIDTH], link)
        }
        #[allow(dead_code)] // one list serves both views, and no sweep needs all of it
        impl<A: Arithmetic> $view<'_, A> {
            $(#[inline(always)]
            pub fn $field(&self) -> $type {
                $get::<A>(&self.0.$field, self.1)
            })*
        }
        #[allow(dead_code)]
        impl<A: Arithmetic> $view_mut<'_, A> {
            $(#[inline(always)]
            pub fn $field(&self) -> $type {
                $get::<A>(&self.0.$field, self.1)
            }
            #[inline(always)]
            pub fn $set(&mut self, x: $type) {
                $put::<A>(&mut self.0.$field, self.1, x);
            })*
        }
    };
}

views! {
    Moving: Link by link_at, LinkMut by link_at_mut;
    rot: M3<A::R>, m3, set_rot put_m3;
    r: V3<A::R>, v3, set_r put_v3;
    p: V3<A::R>, v3, set_p put_v3;
    w: V3<A::R>, v3, set_w put_v3;
    alpha: V3<A::R>, v3, set_alpha put_v3;
    a: V3<A::R>, v3, set_a put_v3;
    u: V3<A::R>, v3, set_u put_v3;
}
views! {
    InertialTerms: Inertial by inertial_at, InertialMut by inertial_at_mut;
    m: A::R, scalar, set_m put_scalar;
    h: V3<A::R>, v3, set_h put_v3;
    i: Sym3<A::R>, sym3, set_i put_sym3;
    f: V3<A::R>, v3, set_f put_v3;
    n: V3<A::R>, v3, set_n put_v3;
}
views! {
    Articulated: Subtree by subtree_at, SubtreeMut by subtree_at_mut;
    i: Sym3<A::R>, sym3, set_i put_sym3;
    h: M3<A::R>, m3, set_h put_m3;
    m: Sym3<A::R>, sym3, set_m put_sym3;
    n: V3<A::R>, v3, set_n put_v3;
    f: V3<A::R>, v3, set_f put_v3;
    d_alpha: V3<A::R>, v3, set_d_alpha put_v3;
    d_a: V3<A::R>, v3, set_d_a put_v3;
}

impl<A: Arithmetic> Link<'_, A> {
    /// The third column of the rotation: the joint axis.
    #[inline(always)]
    pub fn z(&self) -> V3<A::R> {
        z_axis::<A>(&self.0.rot, self.1)
    }
}

impl<A: Arithmetic> LinkMut<'_, A> {
    /// As [`Link::z`].
    #[inline(always)]
    pub fn z(&self) -> V3<A::R> {
        z_axis::<A>(&self.0.rot, self.1)
    }
    #[inline(always)]
    pub fn set_z(&mut self, z: V3<A::R>) {
        put_z::<A>(&mut self.0.rot, self.1, z);
    }
}

#[inline(always)]
fn scalar<A: Arithmetic>(c: &A::Cell, i: usize) -> A::R {
    A::get(c, i)
}
#[inline(always)]
fn put_scalar<A: Arithmetic>(c: &mut A::Cell, i: usize, x: A::R) {
    A::put(c, i, x);
}
#[inline(always)]
pub(crate) fn v3<A: Arithmetic>(c: &[A::Cell; 3], i: usize) -> V3<A::R> {
    V3::new(A::get(&c[0], i), A::get(&c[1], i), A::get(&c[2], i))
}
#[inline(always)]
pub(crate) fn put_v3<A: Arithmetic>(c: &mut [A::Cell; 3], i: usize, v: V3<A::R>) {
    A::put(&mut c[0], i, v.x);
    A::put(&mut c[1], i, v.y);
    A::put(&mut c[2], i, v.z);
}
#[inline(always)]
pub(crate) fn m3<A: Arithmetic>(c: &[A::Cell; 9], i: usize) -> M3<A::R> {
    M3::columns(
        V3::new(A::get(&c[0], i), A::get(&c[1], i), A::get(&c[2], i)),
        V3::new(A::get(&c[3], i), A::get(&c[4], i), A::get(&c[5], i)),
        V3::new(A::get(&c[6], i), A::get(&c[7], i), A::get(&c[8], i)),
    )
}
/// The third column: the joint axis if `c` is a rotation.
#[inline(always)]
pub(crate) fn z_axis<A: Arithmetic>(c: &[A::Cell; 9], i: usize) -> V3<A::R> {
    V3::new(A::get(&c[6], i), A::get(&c[7], i), A::get(&c[8], i))
}
#[inline(always)]
pub(crate) fn put_z<A: Arithmetic>(c: &mut [A::Cell; 9], i: usize, z: V3<A::R>) {
    A::put(&mut c[6], i, z.x);
    A::put(&mut c[7], i, z.y);
    A::put(&mut c[8], i, z.z);
}
#[inline(always)]
pub(crate) fn put_m3<A: Arithmetic>(c: &mut [A::Cell; 9], i: usize, m: M3<A::R>) {
    let entries = [m.x.x, m.x.y, m.x.z, m.y.x, m.y.y, m.y.z, m.z.x, m.z.y, m.z.z];
    for k in 0..9 {
        A::put(&mut c[k], i, entries[k]);
    }
}
#[inline(always)]
pub(crate) fn sym3<A: Arithmetic>(c: &[A::Cell; 6], i: usize) -> Sym3<A::R> {
    Sym3 {
        xx: A::get(&c[0], i),
        xy: A::get(&c[1], i),
        xz: A::get(&c[2], i),
        yy: A::get(&c[3], i),
        yz: A::get(&c[4], i),
        zz: A::get(&c[5], i),
    }
}
#[inline(always)]
pub(crate) fn put_sym3<A: Arithmetic>(c: &mut [A::Cell; 6], i: usize, m: Sym3<A::R>) {
    let entries = m.array();
    for k in 0..6 {
        A::put(&mut c[k], i, entries[k]);
    }
}
/// One vector for all links of a block.
#[inline(always)]
pub(crate) fn spread_v3<A: Arithmetic>(v: V3<A::R>) -> V3<A::W> {
    V3::new(A::spread(v.x), A::spread(v.y), A::spread(v.z))
}
#[inline(always)]
pub(crate) fn load_v3<A: Arithmetic>(c: &[A::Cell; 3]) -> V3<A::W> {
    V3::new(A::load(&c[0]), A::load(&c[1]), A::load(&c[2]))
}
#[inline(always)]
pub(crate) fn store_v3<A: Arithmetic>(c: &mut [A::Cell; 3], v: V3<A::W>) {
    A::store(&mut c[0], v.x);
    A::store(&mut c[1], v.y);
    A::store(&mut c[2], v.z);
}
/// The motion of the links of a block for a local stage: from memory, or from `one` if a block is one link.
#[inline(always)]
pub(crate) fn block_v3<A: Arithmetic>(c: &[A::Cell; 3], one: V3<A::R>) -> V3<A::W> {
    if A::WIDTH > 1 { load_v3::<A>(c) } else { spread_v3::<A>(one) }
}
#[inline(always)]
pub(crate) fn load_m3<A: Arithmetic>(c: &[A::Cell; 9]) -> M3<A::W> {
    M3::columns(
        V3::new(A::load(&c[0]), A::load(&c[1]), A::load(&c[2])),
        V3::new(A::load(&c[3]), A::load(&c[4]), A::load(&c[5])),
        V3::new(A::load(&c[6]), A::load(&c[7]), A::load(&c[8])),
    )
}
#[inline(always)]
pub(crate) fn store_m3<A: Arithmetic>(c: &mut [A::Cell; 9], m: M3<A::W>) {
    let entries = [m.x.x, m.x.y, m.x.z, m.y.x, m.y.y, m.y.z, m.z.x, m.z.y, m.z.z];
    for k in 0..9 {
        A::store(&mut c[k], entries[k]);
    }
}
#[inline(always)]
pub(crate) fn store_sym3<A: Arithmetic>(c: &mut [A::Cell; 6], m: Sym3<A::W>) {
    let entries = m.array();
    for k in 0..6 {
        A::store(&mut c[k], entries[k]);
    }
}
/// As [`block_v3`].
#[inline(always)]
pub(crate) fn block_m3<A: Arithmetic>(c: &[A::Cell; 9], one: M3<A::R>) -> M3<A::W> {
    if A::WIDTH > 1 {
        return load_m3::<A>(c);
    }
    M3::columns(spread_v3::<A>(one.x), spread_v3::<A>(one.y), spread_v3::<A>(one.z))
}
/// A vector of model constants for a local stage.
#[inline(always)]
pub(crate) fn constant_v3<A: Arithmetic>(c: &[Lanes<8>], link: usize) -> V3<A::W> {
    V3::new(A::constant(&c[0], link), A::constant(&c[1], link), A::constant(&c[2], link))
}
