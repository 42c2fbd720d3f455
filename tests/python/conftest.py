"""Where the tests put what they find."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pytest_configure(config):
    # the readers' tests look at diagnostics themselves
    config.addinivalue_line("filterwarnings", "ignore::poinsot.ModelWarning")
    # robots may begin beyond their ranges; test_happened.py looks at these
    config.addinivalue_line("filterwarnings", "ignore::poinsot.StepWarning")


@pytest.fixture(scope="session")
def reports():
    folder = ROOT / "target" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
