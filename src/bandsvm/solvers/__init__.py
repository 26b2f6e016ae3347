"""Solvers of the band problem, one file each, and the one loop that drives them all.

- `_driver`: `solve`, which counts, reports, limits and stops; `_patience`: when there is no
  progress; `_work`: how much work a solve may take.
- `_solution`: what goes into a solver (`State`) and what comes out (`Solution`).
- `reference`: ``"reference"``, the whole algorithm in plain NumPy; start reading here.
- `block`: ``"smo"``, pair steps on blocks; `projected_cg`: ``"pcg"``, projected conjugate
  gradients.
- `face`, `_polish`: Newton steps on the free variables; the exact end of small problems.
- `hard_margin`: ``C1=inf``; `left_out`: from a solution to those without one sample each.
"""

from bandsvm.engines.sizes import LARGEST_BLOCK
from bandsvm.solvers._driver import available_solvers, solve
from bandsvm.solvers._solution import Progress, Solution, Status, after
from bandsvm.solvers.block import block_size, solve_for

__all__ = [
    "LARGEST_BLOCK",
    "Progress",
    "Solution",
    "Status",
    "after",
    "available_solvers",
    "block_size",
    "solve",
    "solve_for",
]
