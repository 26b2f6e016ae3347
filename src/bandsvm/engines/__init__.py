"""Engines compute rows, block steps and updates for solvers; they differ in how, not in what."""
