//! Errors of a hierarchy that stretches.

use crate::algebra::V3;
use crate::model::ShapeError;

/// An error in a hierarchy, or in a motion of it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AffineError {
    /// A node, degree of freedom or point does not exist.
    #[error("{what} {index} does not exist; the hierarchy has {count}")]
    Missing {
        /// What.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// An axis has no direction.
    #[error("node {node:?}: an axis is ({}, {}, {}); it needs a direction", axis.x, axis.y, axis.z)]
    Axis {
        /// The node.
        node: String,
        /// The axis.
        axis: V3,
    },
    /// A number is not finite, or not positive where it must be.
    #[error("{what} is {value}; it must be finite{}", if *positive { " and positive" } else { "" })]
    Number {
        /// Of what.
        what: String,
        /// The number.
        value: f64,
        /// Whether it must be positive.
        positive: bool,
    },
    /// A frame or pose is not finite or cannot be inverted.
    #[error("node {node:?}: its frame is flat or not finite")]
    Frame {
        /// The node.
        node: String,
    },
    /// The solid of a primitive is invalid.
    #[error("node {node:?}: {source}")]
    Solid {
        /// The node.
        node: String,
        /// Why.
        source: ShapeError,
    },
    /// A spring along a rate that is not the derivative of a coordinate.
    #[error(
        "degree of freedom {dof} is a body rate of a ball or free motion and has no coordinate for a spring; use three turns instead"
    )]
    NoCoordinate {
        /// Its number.
        dof: usize,
    },
    /// A degree of freedom moves no mass.
    #[error(
        "degree of freedom {dof} of node {node:?} moves no mass that others do not move in the same way: give a primitive to the node or below \
         it, or take the motion away"
    )]
    Massless {
        /// The node.
        node: String,
        /// The degree of freedom.
        dof: usize,
    },
    /// A list has the wrong length.
    #[error("{what} has {found} numbers, the hierarchy needs {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// What it should have.
        expected: usize,
        /// What it has.
        found: usize,
    },
    /// A result is infinite or NaN.
    #[error(
        "{what} is not finite at t = {time} s; take smaller steps (a node that squashes to nothing has no way back)"
    )]
    NotFinite {
        /// Of what.
        what: &'static str,
        /// When.
        time: f64,
    },
    /// The constraints cannot be met.
    #[error("the constraints cannot be met at t = {time} s: the violation is {left:e}")]
    Constraints {
        /// When.
        time: f64,
        /// The largest violation.
        left: f64,
    },
    /// A step must be a finite number, not zero.
    #[error("the step is {0} s; give a finite number that is not 0")]
    Step(f64),
}
