"""The Play view: a fit to samples in the plane, all that its pictures show, and code for it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import BandedSVC
from bandsvm._certificate import Certificate
from bandsvm._certificate.not_optimal import Cure, why_not_optimal
from bandsvm._decisions.position import band_positions
from bandsvm._defaults import LOSSES
from bandsvm._fitting.fit import fit_model
from bandsvm._workflow.advice import PAGE
from bandsvm.explore.server.fields import Fields
from bandsvm.explore.server.play_data import Recipe
from bandsvm.explore.server.requests import Request
from bandsvm.explore.server.responses import Response
from bandsvm.metrics import sensitivity_curve

PLANE_KERNELS = ("rbf", "linear", "poly", "sigmoid", "laplacian")
MAX_PARAMETER = 1e12
MAX_DEGREE = 10
# Points of the decision map across and up, and seconds of a fit, at most.
MAX_MAP_POINTS = 400
MAX_SECONDS = 10.0
# Room around the samples, as a share of their range.
ROOM_AROUND = 0.1
# What the view has controls for; samples in the plane need no scaling.
CURES = {cure: PAGE[cure] for cure in (Cure.LOWER_COSTS, Cure.LOWER_COSTS_AND_WEIGHTS)}
# A multiplier counts as at its bound within this share of it.
AT_BOUND = 1e-9
BELOW, INSIDE, ABOVE = range(3)
NOTHING, LOWER_FREE, LOWER_BOUND, UPPER_FREE, UPPER_BOUND = range(5)


def parameters(fields: Fields) -> dict[str, Any]:
    """Return the parameters of BandedSVC that a request asks for; the model checks their values."""
    chosen: dict[str, Any] = {
        name: fields.number(name, 0.0, MAX_PARAMETER) for name in ("C1", "C2", "rho1", "rho2")
    }
    chosen["loss"] = fields.choice("loss", LOSSES)
    chosen["kernel"] = kernel = fields.choice("kernel", PLANE_KERNELS)
    if kernel != "linear":
        is_number = fields.has("gamma")
        chosen["gamma"] = fields.number("gamma", 0.0, MAX_PARAMETER) if is_number else "scale"
    if kernel == "poly":
        chosen["degree"] = fields.whole("degree", 1, MAX_DEGREE)
    if kernel in ("poly", "sigmoid"):
        chosen["coef0"] = fields.number("coef0", -MAX_PARAMETER, MAX_PARAMETER)
    chosen["fit_intercept"] = fields.flag("fit_intercept")
    return chosen


def fit(request: Request) -> Response:
    """Fit one model, or a C-SVM and a model side by side; return what the pictures show.

    Fields: ``data`` (see `Recipe`), ``model`` (see `parameters`), ``compare``, ``columns`` and
    ``rows`` of the decision map and, unless the samples decide, ``view``: ``left``, ``right``,
    ``bottom`` and ``top``.
    """
    fields = request.fields
    X, y = Recipe.of(fields.group("data")).samples()
    chosen = parameters(fields.group("model"))
    columns, rows = (fields.whole(name, 2, MAX_MAP_POINTS) for name in ("columns", "rows"))
    view = _view(fields, X, columns / rows)
    grid = _grid(view, columns, rows)
    models = [chosen]
    if fields.flag("compare"):
        models.insert(0, {**chosen, "C2": 0.0})  # the C-SVM: nothing costs above the band
    answers: list[dict[str, Any]] = []
    arrays: dict[str, NDArray] = {"X": X, "y": y.astype(np.int32)}
    for index, settings in enumerate(models):
        values, own = _fitted(request, settings, X, y, grid)
        answers.append(values)
        arrays |= {f"{name}{index}": array for name, array in own.items()}
    return Response({"view": view, "columns": columns, "rows": rows, "models": answers}, arrays)


def _view(fields: Fields, X: NDArray, aspect: float) -> list[float]:
    """Return left, right, bottom and top of the map: one unit is as long both ways."""
    if fields.has("view"):
        view = fields.group("view")
        left, right, bottom, top = (
            view.number(side, -MAX_PARAMETER, MAX_PARAMETER)
            for side in ("left", "right", "bottom", "top")
        )
        if not (left < right and bottom < top):
            raise ValueError("view must go from left to right and from bottom to top.")
        return [left, right, bottom, top]
    corners = X if len(X) else np.array([[-1.0, -1.0], [1.0, 1.0]])
    (left, bottom), (right, top) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    reach = 0.5 * (1.0 + 2.0 * ROOM_AROUND) * max(right - left, (top - bottom) * aspect, 1e-3)
    across, up = 0.5 * (left + right), 0.5 * (bottom + top)
    return [across - reach, across + reach, up - reach / aspect, up + reach / aspect]


def _grid(view: list[float], columns: int, rows: int) -> NDArray[np.float32]:
    """Return the points at which the map is computed, row by row from the top."""
    left, right, bottom, top = view
    xs, ys = np.linspace(left, right, columns), np.linspace(top, bottom, rows)
    return np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2).astype(np.float32)


def _fitted(
    request: Request, settings: dict[str, Any], X: NDArray, y: NDArray, grid: NDArray
) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Return values and arrays that describe a model fitted to the samples."""
    # One thread: so few samples are not worth waking others, which the browser needs.
    model = BandedSVC(**settings, time_limit=MAX_SECONDS, n_jobs=1)
    fit_model(model, X, y, None)
    request.check()
    certificate, decision = model.certificate_, model.decision_function(X)
    thresholds, reached = sensitivity_curve(y, decision)
    positions = band_positions(y * decision, model.rho1, model.rho2)
    position = np.where(positions.is_below, BELOW, np.where(positions.is_above, ABOVE, INSIDE))
    values = {
        "parameters": settings,
        "gamma": model.gamma_,
        "objective": certificate.primal,
        "words": words(certificate),
        "accuracy": np.mean(np.where(decision > 0.0, 1, -1) == y),
        "coverage": positions.shares._asdict(),
        "n_lower": len(model.alpha_support_),
        "n_upper": len(model.theta_support_),
    }
    arrays = {
        "decision": decision,
        "alpha": model.alpha_,
        "theta": model.theta_,
        "xi": model.xi_,
        "eta": model.eta_,
        "role": roles(model),
        "position": position.astype(np.uint8),
        "thresholds": thresholds,
        "reached": reached,
        "map": model.decision_function(grid),
    }
    return values, arrays


def roles(model: BandedSVC) -> NDArray[np.uint8]:
    """Return what each sample is: no support vector, or at which edge, free or at its bound."""
    is_bounded = model.loss == "hinge"
    role = np.full(len(model.alpha_), NOTHING, np.uint8)
    for multipliers, cost, free, bound in (
        (model.alpha_, model.C1, LOWER_FREE, LOWER_BOUND),
        (model.theta_, model.C2, UPPER_FREE, UPPER_BOUND),
    ):
        role[multipliers > 0.0] = free
        if is_bounded:
            role[(multipliers > 0.0) & (multipliers >= cost * (1.0 - AT_BOUND))] = bound
    return role


def words(certificate: Certificate) -> list[str]:
    """Return the certificate as sentences."""
    cost = (
        f"The fit took {1000.0 * certificate.seconds:.1f} ms: "
        f"{_several(certificate.n_iter, 'outer step')}, "
        f"{_several(certificate.n_pair_steps, 'pair step')}, "
        f"{_several(certificate.n_kernel_rows, 'kernel row')}."
    )
    gap = f"{max(certificate.gap, 0.0):.1e}"
    share = f"{100.0 * max(certificate.relative_gap, 0.0):.1e} %"
    if reason := why_not_optimal(certificate):
        return [f"Not optimal: the fit {reason.render(CURES)}", cost]
    return [
        f"Optimal: no solver can lower the objective by more than {gap}, which is {share} of it.",
        f"The optimality conditions are violated by at most {certificate.kkt_violation:.1e}; "
        f"{certificate.tol:g} is allowed.",
        cost,
    ]


def _several(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def code(request: Request) -> Response:
    """Return the code for a request with the fields ``data`` and ``model`` of `play.fit`."""
    recipe = Recipe.of(request.fields.group("data"))
    chosen = parameters(request.fields.group("model"))
    return Response({"python": _python(recipe, chosen), "command": _command(recipe, chosen)})


def _python(recipe: Recipe, chosen: dict[str, Any]) -> str:
    """Return a Python program that fits the model."""
    imports, lines = recipe.python()
    settings = ",\n".join(
        f"    {name}={json.dumps(value) if isinstance(value, str) else repr(value)}"
        for name, value in _changed(chosen).items()
    )
    model = f"BandedSVC(\n{settings},\n)" if settings else "BandedSVC()"
    return (
        "\n".join(_sorted_imports([*imports, "from bandsvm import BandedSVC"]))
        + f"\n\n{lines}\nmodel = {model}.fit(X, y)\n"
        "print(model.certificate_)\n"
        'print(f"objective {model.certificate_.primal:.12g}, accuracy {model.score(X, y):.4f}")\n'
    )


def _command(recipe: Recipe, chosen: dict[str, Any]) -> str:
    """Return shell commands that write the samples to a file and fit the model to it."""
    imports, lines = recipe.python()
    options = ["--target 3", "--no-header", "--scale none"]
    for name, value in _changed(chosen).items():
        if name == "fit_intercept":
            options.append("--no-intercept")
        else:
            options.append(f"--{name} {value}")
    imports = _sorted_imports(["import numpy as np", *imports])
    return (
        "python - <<'END'\n"
        + "\n".join(imports)
        + f"\n\n{lines}\n"
        + 'np.savetxt("play.csv", np.column_stack([X, y]), fmt="%.17g", delimiter=",")\n'
        "END\n"
        f"bandsvm fit play.csv --model play.bsvm \\\n    {' '.join(options)}\n"
    )


def _changed(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that differ from the defaults of BandedSVC."""
    usual = BandedSVC().get_params()
    return {name: value for name, value in chosen.items() if value != usual[name]}


def _sorted_imports(imports: list[str]) -> list[str]:
    """Return import statements without repetitions, plain ones first."""
    return sorted(set(imports), key=lambda line: (line.startswith("from"), line))
