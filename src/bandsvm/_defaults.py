"""Choices and defaults that modules share; imports nothing, so that --help need not wait."""

# What is penalised: the distance from the band or its square.
LOSSES = ("hinge", "squared_hinge")

# The names that these losses have in regression, as in scikit-learn's LinearSVR.
REGRESSION_LOSSES = {
    "epsilon_insensitive": "hinge",
    "squared_epsilon_insensitive": "squared_hinge",
}

# Upper edge of the band: bounds scores and hardly costs accuracy (docs/defaults.md).
DEFAULT_RHO2 = 3.0

# Folds of searches, calibration and thresholds.
DEFAULT_FOLDS = 5

# The parameters that BandedSVCCV searches besides the kernel.
SEARCHED = ("C1", "C2", "rho2", "gamma")
# And those that BandedSVRCV searches.
SEARCHED_NUMBERS = ("C1", "cost_ratio", "epsilon", "gamma")
# What it tries. Costs around 1, and gammas around that of gamma="scale".
DEFAULT_C1 = (0.1, 1.0, 10.0, 100.0)
DEFAULT_GAMMA_FACTORS = (0.03, 0.1, 0.3, 1.0, 3.0)
# Widths of the tube that BandedSVRCV tries; as its costs, in units of the spread of the targets.
DEFAULT_EPSILONS = (0.01, 0.03, 0.1, 0.3)
# Shares of C1, and upper edges in units of rho1; the first of them closes the band.
DEFAULT_C2_SHARES = (0.03, 0.1, 0.3, 1.0)
DEFAULT_RHO2_FACTORS = (1.0, 1.5, 2.0, 3.0)
