"""Reproduction of the paper's experiments.

`experiment` runs them, `claims` checks the paper's claims, `figures` draws its figures, `report`
writes a page.
"""
