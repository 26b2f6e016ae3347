"""The machine: what the process may use of it, and how it is used with care.

- `threads`: how many threads ``n_jobs`` stands for; BLAS on one thread during a fit.
- `memory`: how much memory ``cache_size`` stands for.
- `stopping`: how long work finds out that it must end.
- `cached`: cached properties that forked children can use.
- `files`: files that are written whole or not at all.
- `text`: text from files, made safe for terminals.
"""
