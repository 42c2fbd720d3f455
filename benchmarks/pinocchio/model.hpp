// Reader of the engine-neutral text models, into a pinocchio::Model.
//
// Whitespace separated.  First line: JOINTS NQ NV, the sizes the rest must add up to.  Then one line per joint; the links
// are the joints' moving sides, so there is no separate list of bodies:
//
//   PARENT TYPE  axis(3)  R(9) p(3)  mass com(3)  Ixx Ixy Iyy Ixz Iyz Izz
//
//   PARENT   line number of the joint it hangs on, counted from 0; -1 is the world.  Depth first order.
//   TYPE     R  revolute, q is the angle              P  prismatic, q is the displacement
//            U  revolute, q is its cosine and sine    S  spherical, q is a quaternion x y z w
//            F  free, q is a position and a quaternion x y z w
//            Velocities of S and F are in the moving frame, linear before angular.
//   axis     of R, P and U in the joint frame; ignored for S and F
//   R p      joint frame at q = 0 in the parent's joint frame: rotation (row by row), origin
//   mass...  of the link, in the joint frame, with the inertia about the center of mass
//
// Gravity is (0, 0, -9.81).
#pragma once

#include <pinocchio/multibody.hpp>

#include <fstream>
#include <stdexcept>
#include <string>

using pinocchio::JointIndex;
using pinocchio::JointModel;
using pinocchio::Model;

// Pinocchio has cheaper joints for the coordinate axes; a benchmark must let it use them.
template <class AlongX, class AlongY, class AlongZ, class AlongAny>
JointModel joint_along(const Eigen::Vector3d& axis) {
    if (axis == Eigen::Vector3d::UnitX()) return JointModel(AlongX());
    if (axis == Eigen::Vector3d::UnitY()) return JointModel(AlongY());
    if (axis == Eigen::Vector3d::UnitZ()) return JointModel(AlongZ());
    return JointModel(AlongAny(axis.normalized()));
}

inline JointModel make_joint(char type, const Eigen::Vector3d& axis) {
    using namespace pinocchio;
    switch (type) {
        case 'R': return joint_along<JointModelRX, JointModelRY, JointModelRZ, JointModelRevoluteUnaligned>(axis);
        case 'U': return joint_along<JointModelRUBX, JointModelRUBY, JointModelRUBZ, JointModelRevoluteUnboundedUnaligned>(axis);
        case 'P': return joint_along<JointModelPX, JointModelPY, JointModelPZ, JointModelPrismaticUnaligned>(axis);
        case 'S': return JointModel(JointModelSpherical());
        case 'F': return JointModel(JointModelFreeFlyer());
    }
    throw std::runtime_error(std::string("unknown joint type ") + type);
}

// Depth first: a joint hangs on its predecessor or on one of that one's ancestors.  Pinocchio takes subtrees to be
// contiguous and silently computes nonsense otherwise.
inline bool keeps_depth_first(const Model& model, JointIndex parent) {
    JointIndex joint = model.joints.size() - 1;
    while (joint > parent) joint = model.parents[joint];
    return joint == parent;
}

inline Model read_model(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open model " + path);

    int joints = 0, nq = 0, nv = 0;
    file >> joints >> nq >> nv;

    Model model;
    model.gravity.linear() = Eigen::Vector3d(0, 0, -9.81);
    for (int i = 0; i < joints; i++) {
        const std::string name = "joint" + std::to_string(i);
        int parent;
        char type;
        Eigen::Vector3d axis, origin, com;
        Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rotation;
        double mass, inertia[6];

        file >> parent >> type;
        const auto read = [&](double* first, int count) {
            for (int k = 0; k < count; k++) file >> first[k];
        };
        read(axis.data(), 3);
        read(rotation.data(), 9);
        read(origin.data(), 3);
        read(&mass, 1);
        read(com.data(), 3);
        read(inertia, 6);
        if (!file) throw std::runtime_error(path + ": cannot read " + name);

        const JointIndex parent_index = JointIndex(parent + 1);  // Pinocchio's joint 0 is the world
        if (parent < -1 || parent >= i || !keeps_depth_first(model, parent_index))
            throw std::runtime_error(path + ": " + name + " is not in depth first order");
        const JointIndex joint = model.addJoint(parent_index, make_joint(type, axis), pinocchio::SE3(rotation, origin), name);
        const pinocchio::Symmetric3 about_com(inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]);
        // Assigned, not appended: appending divides by the mass, which would spoil massless links.
        model.inertias[joint] = pinocchio::Inertia(mass, com, about_com);
    }
    if (model.nq != nq || model.nv != nv) throw std::runtime_error(path + ": NQ or NV of the first line is not the joints' sum");
    return model;
}
