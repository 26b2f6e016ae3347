"""Fit C-SVM and B-SVM to the paper's toy data and print what each found."""

import numpy as np

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters

RHO1, RHO2 = 1.0, 1.5
ROUNDING = 1e-9
MODELS = {
    "C-SVM (C = 10)": BandedSVC(C1=10, C2=0, rho1=RHO1, rho2=RHO2, gamma=1.0),
    "B-SVM (C1 = 10, C2 = 100, band 1 to 1.5)": BandedSVC(
        C1=10, C2=100, rho1=RHO1, rho2=RHO2, gamma=1.0
    ),
}


def describe(title, model, X, y, clusters):
    """Print what a fitted model makes of the nine clusters."""
    signed = y * model.decision_function(X)
    inside = (signed >= RHO1 - ROUNDING) & (signed <= RHO2 + ROUNDING)
    central = signed[clusters == 0].mean()
    outer = signed[(clusters > 0) & (y > 0)].mean()
    found = {
        "training accuracy": f"{np.mean(signed > 0):.3f}",
        "largest |g(x)|": f"{np.abs(signed).max():.3f}",
        f"share of y g(x) in [{RHO1}, {RHO2}]": f"{np.mean(inside):.3f}",
        "alpha-SVs, theta-SVs": f"{len(model.alpha_support_)}, {len(model.theta_support_)}",
        "mean y g(x), central cluster of +1": f"{central:.3f}",
        "mean y g(x), outer clusters of +1": f"{outer:.3f} (ratio {central / outer:.2f})",
    }
    print(f"{title}\n{'-' * len(title)}\n{model.certificate_}")
    for name, value in found.items():
        print(f"  {name:<36}{value}")
    print()


if __name__ == "__main__":
    X, y, clusters = make_paper_clusters(random_state=0, return_clusters=True)
    print(f"The paper's toy data: {len(y)} samples in 9 clusters, rbf kernel with gamma = 1.\n")
    for title, model in MODELS.items():
        describe(title, model.fit(X, y), X, y, clusters)
