// Pinocchio's side of the side-by-side benchmark: a server for one model and one pool of states.
//
//   peer MODEL.txt STATES.bin
//
// MODEL.txt is described in model.hpp.  STATES.bin is a stream of little-endian f64: COUNT, NQ, NV, and then for each state
// q (NQ), v (NV), a (NV), tau (NV), in Pinocchio's order.  Commands come on stdin, each is answered by one line on stdout:
//
//   time WORK SECONDS   nanoseconds of CPU per call, measured for about SECONDS, every call on the next state of the pool
//   values WORK INDEX   the numbers WORK computes for one state, matrices row by row
//   quit
//
// An answer may also be "error REASON" or "skip REASON" (the engine cannot do this model at all).
//
//   WORK                  computes                                        values
//   rnea                  inverse dynamics                                tau
//   aba                   forward dynamics                                acceleration
//   crba                  mass matrix M                                   M
//   crba_factor           M and its Cholesky factors                      M^-1 tau
//   kinematics_jacobians  placements of all joints, all Jacobians         per joint R and p in the world; J (6 x NV)
//   rnea_derivatives      derivatives of tau by q, v, a                   these three matrices
//   aba_derivatives       derivatives of the acceleration by q, v, tau    these three matrices
//   reach                 inverse kinematics of the last joint's pose     1 where it is reached to 1e-9
#include "model.hpp"

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/spatial.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <vector>

using pinocchio::Convention;
using pinocchio::Data;

struct State {
    Eigen::VectorXd q, v, a, tau;
};

std::vector<State> read_states(const std::string& path, const Model& model) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open states " + path);
    const auto read = [&](Eigen::Index size) {
        Eigen::VectorXd numbers(size);
        if (!file.read(reinterpret_cast<char*>(numbers.data()), size * sizeof(double)))
            throw std::runtime_error(path + ": too short");
        return numbers;
    };
    const Eigen::VectorXd head = read(3);
    if (!(head[0] >= 1) || head[1] != model.nq || head[2] != model.nv)
        throw std::runtime_error(path + ": no states, or not of this model");
    std::vector<State> states(static_cast<size_t>(head[0]));
    for (State& state : states) state = {read(model.nq), read(model.nv), read(model.nv), read(model.nv)};
    return states;
}

// CPU time of this thread: the machine may be busy with other things.
double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

// Times one way to do a work, in chunks; keeps the best, since whatever disturbs a measurement only ever makes it slower.
template <class Way>
class Stopwatch {
public:
    Stopwatch(const std::vector<State>& states, double chunk_seconds, Way way) : states(states), way(way) {
        // As many calls as fill a chunk, found by doubling: then reading the clock costs nothing.
        double taken;
        while ((taken = run()) < chunk_seconds / 4) calls *= 2;
        calls = std::max(1L, std::lround(calls * chunk_seconds / taken));
    }

    void time_chunk() { best = std::min(best, run() / calls); }

    double best = std::numeric_limits<double>::infinity();  // seconds per call

private:
    double run() {
        const double start = cpu_seconds();
        for (long i = 0; i < calls; i++) {
            way(states[next]);
            asm volatile("" ::: "memory");  // nobody reads the results, but they must get to memory
            if (++next == states.size()) next = 0;
        }
        return cpu_seconds() - start;
    }

    const std::vector<State>& states;
    Way way;
    size_t next = 0;
    long calls = 1;
};

// Prints the time of the fastest of some ways to do the same work.
struct Timing {
    const std::vector<State>& states;
    double seconds;

    template <class Show, class... Ways>
    void operator()(Show, Ways... ways) const {
        race(Stopwatch<Ways>(states, seconds / chunks, ways)...);
    }

private:
    static constexpr int chunks = 30, warm_up_chunks = 3;

    // The ways take turns in the warm-up, so that a busy spell of the machine does not decide which is the fastest.
    template <class... Watches>
    static void race(Watches... watches) {
        for (int i = 0; i < warm_up_chunks; i++) (watches.time_chunk(), ...);
        const double fastest = std::min({watches.best...});
        const auto finish = [&](auto& watch) {
            if (watch.best > fastest) return;
            for (int i = 0; i < chunks; i++) watch.time_chunk();
        };
        (finish(watches), ...);
        std::printf("%.3f\n", 1e9 * std::min({watches.best...}));
    }
};

// Prints the results of a work, done the first way.
struct Values {
    const State& state;

    template <class Show, class Way, class... OtherWays>
    void operator()(Show show, Way way, OtherWays...) const {
        way(state);
        show(state);
        std::printf("\n");
    }
};

// Damped least squares, as the documentation of Pinocchio has it, with full steps: from a configuration 0.3 s beside the state back to where its
// last joint is. The placement that is wanted is computed outside the loop that is timed, once for each state.
class Reach {
public:
    Reach(const Model& model, Data& data) : model(model), data(data), last(model.njoints - 1), jacobian(6, model.nv) {
        jacobian.setZero();
    }

    void operator()(const State& s) {
        const pinocchio::SE3& wanted = target(s);
        q = pinocchio::integrate(model, s.q, 0.3 * s.v);
        reached = false;
        for (int i = 0; i < 1000; i++) {
            pinocchio::forwardKinematics(model, data, q);
            const Vector6 error = pinocchio::log6(data.oMi[last].actInv(wanted)).toVector();
            if ((reached = error.norm() < 1e-9)) return;
            pinocchio::computeJointJacobian(model, data, q, last, jacobian);
            pinocchio::Data::Matrix6 jlog;
            pinocchio::Jlog6(wanted.actInv(data.oMi[last]), jlog);
            const Matrix6x j = -jlog * jacobian;
            pinocchio::Data::Matrix6 jjt = j * j.transpose();
            jjt.diagonal().array() += 1e-6;
            const Eigen::VectorXd v = -j.transpose() * jjt.ldlt().solve(error);
            q = pinocchio::integrate(model, q, v);
        }
    }

    bool reached = false;

private:
    using Vector6 = Eigen::Matrix<double, 6, 1>;
    using Matrix6x = pinocchio::Data::Matrix6x;

    const pinocchio::SE3& target(const State& s) {
        auto [place, missing] = targets.try_emplace(&s);
        if (missing) {
            pinocchio::forwardKinematics(model, data, s.q);
            place->second = data.oMi[last];
        }
        return place->second;
    }

    const Model& model;
    Data& data;
    pinocchio::JointIndex last;
    Matrix6x jacobian;
    Eigen::VectorXd q;
    std::map<const State*, pinocchio::SE3> targets;
};

template <class Matrix>
void print(const Matrix& matrix) {
    for (Eigen::Index row = 0; row < matrix.rows(); row++)
        for (Eigen::Index column = 0; column < matrix.cols(); column++) std::printf("%.17g ", double(matrix(row, column)));
}

// Pinocchio leaves the lower triangle of mass matrices undefined.
void print_symmetric(const Eigen::MatrixXd& upper) { print(Eigen::MatrixXd(upper.selfadjointView<Eigen::Upper>())); }

// Calls use(show, ways...) for the named work: one or more ways to compute it into `data`, and how to print that.
// False if there is no such work.
template <class Use>
bool with_work(const std::string& name, const Model& model, Data& data, const Use& use) {
    const auto crba = [&](const State& s, Convention convention) { pinocchio::crba(model, data, s.q, convention); };
    const auto factor = [&](const State& s, Convention convention) {
        crba(s, convention);
        pinocchio::cholesky::decompose(model, data);
    };

    if (name == "rnea") {
        use([&](const State&) { print(data.tau); },
            [&](const State& s) { pinocchio::rnea(model, data, s.q, s.v, s.a); });
    } else if (name == "aba") {
        use([&](const State&) { print(data.ddq); },
            [&](const State& s) { pinocchio::aba(model, data, s.q, s.v, s.tau, Convention::LOCAL); },
            [&](const State& s) { pinocchio::aba(model, data, s.q, s.v, s.tau, Convention::WORLD); });
    } else if (name == "crba") {
        use([&](const State&) { print_symmetric(data.M); },
            [&](const State& s) { crba(s, Convention::LOCAL); },
            [&](const State& s) { crba(s, Convention::WORLD); });
    } else if (name == "crba_factor") {
        use([&](const State& s) {
                Eigen::VectorXd x = s.tau;
                print(pinocchio::cholesky::solve(model, data, x));
            },
            [&](const State& s) { factor(s, Convention::LOCAL); },
            [&](const State& s) { factor(s, Convention::WORLD); });
    } else if (name == "kinematics_jacobians") {
        use([&](const State&) {
                for (int joint = 1; joint < model.njoints; joint++) {
                    print(data.oMi[joint].rotation());
                    print(data.oMi[joint].translation());
                }
                print(data.J);
            },
            [&](const State& s) { pinocchio::computeJointJacobians(model, data, s.q); });
    } else if (name == "rnea_derivatives") {
        use([&](const State&) {
                print(data.dtau_dq);
                print(data.dtau_dv);
                print_symmetric(data.M);
            },
            [&](const State& s) { pinocchio::computeRNEADerivatives(model, data, s.q, s.v, s.a); });
    } else if (name == "aba_derivatives") {
        use([&](const State&) {
                print(data.ddq_dq);
                print(data.ddq_dv);
                print(data.Minv);
            },
            [&](const State& s) { pinocchio::computeABADerivatives(model, data, s.q, s.v, s.tau); });
    } else if (name == "reach") {
        const auto reach = std::make_shared<Reach>(model, data);
        use([=](const State&) { std::printf("%d", int(reach->reached)); }, [=](const State& s) { (*reach)(s); });
    } else {
        return false;
    }
    return true;
}

void answer(const std::string& command, const Model& model, Data& data, const std::vector<State>& states) {
    std::istringstream words(command);
    std::string verb, work;
    double number;
    if (!(words >> verb >> work >> number) || (verb != "time" && verb != "values")) {
        std::printf("error expected: time WORK SECONDS, values WORK INDEX, or quit\n");
        return;
    }
    bool known = true;
    if (verb == "time") {
        known = with_work(work, model, data, Timing{states, number});
    } else if (number >= 0 && number < states.size()) {
        known = with_work(work, model, data, Values{states[size_t(number)]});
    } else {
        std::printf("error there are %zu states\n", states.size());
    }
    if (!known) std::printf("error unknown work %s\n", work.c_str());
}

int main(int argc, char** argv) try {
    if (argc != 3) throw std::runtime_error("usage: peer MODEL.txt STATES.bin");
    const Model model = read_model(argv[1]);
    const std::vector<State> states = read_states(argv[2], model);

    // Data fills four tensors of nv^3 doubles, wanted or not: 32 GB at nv = 1000.
    std::unique_ptr<Data> data;
    if (model.nv <= 400) data = std::make_unique<Data>(model);

    for (std::string command; std::getline(std::cin, command) && command != "quit";) {
        if (data)
            answer(command, model, *data, states);
        else
            std::printf("skip out of memory: Data would need %.1f GB\n", 4 * sizeof(double) * 1e-9 * model.nv * model.nv * model.nv);
        std::fflush(stdout);
    }
} catch (const std::exception& failure) {
    std::fprintf(stderr, "peer: %s\n", failure.what());
    return 1;
}
