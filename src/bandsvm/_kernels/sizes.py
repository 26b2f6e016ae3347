"""Sizes on which solvers, engines and stores of kernel rows must agree.

Each is defined here and nowhere else; ``benchmarks/constants.py`` measures what they are worth.
"""

from __future__ import annotations

from bandsvm import _core

# Up to this many samples the whole kernel matrix is kept in float64 and solutions are polished to
# rounding error. More would make answers of larger problems exact, but a factorisation of all
# variables takes milliseconds at 1000 samples and seconds at 10 000.
SMALL_PROBLEM = 1000
# So many problems keep all threads busy if each has one to itself, and are then solved that way up
# to so many samples.
MANY_PROBLEMS, MAX_AMONG_MANY = 7, 3000
# Variables of the largest block. More of them mean fewer outer steps and fewer kernel rows, but a
# block of K grows with their square: in float32, 1920 fill 14 MB, about the cache of a processor.
# Rows are also added to ``f`` this many at a time: all that one block moves, in one pass.
MAX_BLOCK = 1920
# Samples out of play are left out of a solve if at most this share is in play. A larger share
# leaves samples out earlier, but saves less with each step and takes more memory.
MAX_PART = 0.4
# Samples that compiled functions handle side by side; blocks of whole panels leave no lane idle.
PANEL = _core.Samples32.panel
