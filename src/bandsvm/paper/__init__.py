"""The paper's experiments, repeated.

`experiment` runs them, `claims` judges what the paper claims, `figures` draws, `report` writes.
"""
