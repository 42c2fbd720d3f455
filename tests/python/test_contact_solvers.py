"""Contact and complementarity problems given as matrices."""

import numpy as np
import pytest

import poinsot


def natural_map(W, q, mu, r):
    """The residual that is 0 in a solution alone, over the length of q."""
    u = W @ r + q
    total = 0.0
    for i in range(len(q) // 3):
        x, v = r[3 * i : 3 * i + 3], u[3 * i : 3 * i + 3]
        z = x - v - np.array([mu[i] * np.hypot(v[1], v[2]), 0, 0])
        t = np.hypot(z[1], z[2])
        if z[0] >= 0 and t <= mu[i] * z[0]:
            p = z
        elif mu[i] * t <= -z[0]:
            p = np.zeros(3)
        else:
            n = (z[0] + mu[i] * t) / (1 + mu[i] ** 2)
            p = n * np.array([1, mu[i] * z[1] / t, mu[i] * z[2] / t])
        total += np.sum((x - p) ** 2)
    return np.sqrt(total) / np.linalg.norm(q)


def constructed(rng, contacts, rank_lost=0):
    """W, q and mu of a problem whose answer was chosen first: open, sticking and sliding contacts."""
    n = 3 * contacts
    A = rng.standard_normal((n, n - rank_lost))
    W, mu = A @ A.T, rng.uniform(0.05, 0.6, contacts)
    r, u = np.zeros(n), np.zeros(n)
    for i in range(contacts):
        angle = rng.uniform(0, 2 * np.pi)
        d = np.array([np.cos(angle), np.sin(angle)])
        kind = rng.integers(3)
        if kind == 0:
            u[3 * i] = rng.uniform(0.1, 1)
        else:
            r[3 * i] = rng.uniform(1, 5)
            r[3 * i + 1 : 3 * i + 3] = -(0.5 if kind == 1 else 1.0) * mu[i] * r[3 * i] * d
            if kind == 2:
                u[3 * i + 1 : 3 * i + 3] = rng.uniform(0.1, 1) * d
    return W, u - W @ r, mu


def test_constructed_problems_are_solved_to_round_off():
    rng = np.random.default_rng(3)
    for case in range(100):
        W, q, mu = constructed(rng, 1 + case % 8, rank_lost=case % 3 if case % 8 else 0)
        answer = poinsot.solve_contact(W, q, mu)
        assert answer.status in ("solved", "not unique"), (case, answer)
        assert natural_map(W, q, mu, answer.reaction) < 1e-10
        assert np.allclose(W @ answer.reaction + q, answer.velocity, rtol=0, atol=1e-11)
        assert answer.residual <= 1e-10 * np.abs(q).max() * 2 + answer.floor


def test_one_coefficient_for_all_and_entries_by_name():
    answer = poinsot.solve_contact(np.eye(6), [-1, 2, 0, -1, 0, 0.1], 0.5)
    assert np.allclose(answer["reaction"], [1, -0.5, 0, 1, 0, -0.1])
    assert answer["status"] == "solved" and "solved" in repr(answer)
    with pytest.raises(KeyError):
        answer["nonsense"]


def test_methods_agree():
    W, q, mu = constructed(np.random.default_rng(8), 2)
    exact = poinsot.solve_contact(W, q, mu)
    swept = poinsot.solve_contact(W, q, mu, method="pgs", tolerance=1e-8)
    assert swept.status == "solved" and np.allclose(swept.velocity, exact.velocity, atol=1e-5)
    many = poinsot.solve_contact(W, q, mu, method="lcp", facets=64)
    assert many.status == "solved" and np.allclose(many.velocity, exact.velocity, atol=2e-2)
    warm = poinsot.solve_contact(W, q, mu, start=exact.reaction)
    assert warm.stage == "warm start"


def test_what_has_no_answer_says_so():
    W = np.zeros((6, 6))
    W[0, 0] = W[3, 3] = 1.0
    W[0, 3] = W[3, 0] = -1.0
    answer = poinsot.solve_contact(W, [-1, 0, 0, -0.5, 0, 0], 0.0)
    assert answer.status == "no solution" and answer.reason


def test_linear_complementarity():
    for method in ("lemke", "dantzig"):
        answer = poinsot.solve_lcp([[2, 1], [1, 2]], [-5, -6], method=method)
        assert answer.status == "solved"
        assert np.allclose(answer.z, [4 / 3, 7 / 3], rtol=1e-15) and answer.residual < 1e-15
        assert poinsot.solve_lcp([[0, -1], [-1, 0]], [-1, -1], method).status == "no solution"
        assert poinsot.solve_lcp([[1, 2], [2, 1]], [-1, -1], method).status == "not unique"
        # Painleve: no force, and two answers
        assert poinsot.solve_lcp([[-0.33]], [-9.81], method).status == "no solution"
        assert poinsot.solve_lcp([[-0.33]], [1.0], method).status == "not unique"


def test_solved_never_comes_with_infinite_numbers():
    without = ([[1, 0], [-1, 0]], [-1, 0.5]), ([[-2, -1, 2, 2], [-2, -1, 0, 1], [-2, -2, 0, 1], [-1, 1, 0, -2]], [2, -2, 1, 0])
    for method in ("lemke", "dantzig"):
        for M, q in without:
            answer = poinsot.solve_lcp(M, q, method)
            assert answer.status == "unsolved" and answer.reason
            assert np.isfinite(answer.z).all() and np.isfinite(answer.w).all() and np.isfinite(answer.residual)
        answer = poinsot.solve_lcp([[0, 1], [-1, 0]], [-1, -1], method)
        assert answer.status == "no solution" and not answer.z.any()


@pytest.mark.parametrize(
    "W, q, mu, words",
    [
        (np.eye(3), [0, 0], 0.5, "W is 3 x 3, and q has 2 entries"),
        (np.eye(2), [0, 0], 0.5, "three each"),
        (np.eye(3), [0, 0, 0], -0.5, "friction of contact 0 is -0.5"),
        (np.eye(3), [0, 0, 0], [0.5, 0.5], "mu has 2 entries for 1 contacts"),
        (np.eye(3) * np.nan, [0, 0, 0], 0.5, "NaN"),
        (-np.eye(3), [0, 0, 0], 0.5, "diagonal"),
        ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], [0, 0, 0], 0.5, "indefinite"),
    ],
)
def test_bad_input_is_refused_in_words(W, q, mu, words):
    with pytest.raises(ValueError, match=words):
        poinsot.solve_contact(W, q, mu)


def test_other_bad_input():
    with pytest.raises(ValueError, match="'exact', 'lcp' or 'pgs'"):
        poinsot.solve_contact(np.eye(3), np.zeros(3), 0.5, method="magic")
    with pytest.raises(ValueError, match="tolerance"):
        poinsot.solve_contact(np.eye(3), np.zeros(3), 0.5, tolerance=0)
    with pytest.raises(ValueError, match="at least 3"):
        poinsot.solve_contact(np.eye(3), np.zeros(3), 0.5, method="lcp", facets=2)
    with pytest.raises(ValueError, match="'lemke' or 'dantzig'"):
        poinsot.solve_lcp([[1]], [1], method="simplex")
    with pytest.raises(ValueError, match="must be 1 x 1"):
        poinsot.solve_lcp([1], [1])
    with pytest.raises(TypeError, match="real numbers"):
        poinsot.solve_lcp([[1j]], [1])
