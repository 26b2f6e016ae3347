"""Solvers of the band problem, one module each, and the loop that drives all of them.

- `driver`: `solve`, with limits, progress and stopping; `limits`: when a solve gives up.
- `state`: the point that a solver moves.
- `reference`: ``"reference"``, the whole algorithm in plain NumPy; start reading here.
- `block`: ``"smo"``, pair steps on blocks; `projected_cg`: ``"pcg"``, projected conjugate
  gradients.
- `small`: small problems in one compiled call, many at a time.
- `face`, `polish`: Newton steps on the free variables; exact solutions of small problems.
- `hard_margin`: ``C1=inf``; `left_out`: solutions without one sample, from that of all samples.
"""

from bandsvm._solvers.block import block_size, solve_for
from bandsvm._solvers.driver import available_solvers, solve

__all__ = ["available_solvers", "block_size", "solve", "solve_for"]
