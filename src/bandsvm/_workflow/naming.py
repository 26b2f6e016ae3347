"""What the shell and the page call the parameters of models and of reading."""

from __future__ import annotations

_AT_THE_SHELL = {"n_jobs": "--jobs", "fit_intercept": "--no-intercept"}
_ON_THE_PAGE = {
    "rho1": "\N{GREEK SMALL LETTER RHO}1",
    "rho2": "\N{GREEK SMALL LETTER RHO}2",
    "gamma": "\N{GREEK SMALL LETTER GAMMA}",
    "kernel": "“Kernel”",
    "degree": "“Degree”",
    "coef0": "“Constant term”",
    "fit_intercept": "“Intercept”",
    "class_weight": "“Class weights”",
    "target": "“Target”",
    "drop": "“Leave out”",
    "categorical": "“Categories”",
    "header": "“First line”",
    "skip_unlabelled": "bandsvm fit --skip-unlabelled at the shell",
    "format": "its ending",
    "regress": "“Numbers”",
    "classify": "“Classes”",
    "epsilon": "\N{GREEK SMALL LETTER EPSILON}",
    "quantile": "“Quantiles”",
}


def shell_name(parameter: str) -> str:
    """Return the option that sets a parameter."""
    return _AT_THE_SHELL.get(parameter, f"--{parameter.replace('_', '-')}")


def page_name(parameter: str) -> str:
    """Return what the page calls a parameter."""
    return _ON_THE_PAGE.get(parameter, parameter)
