"""Resources of the machine: threads, memory, files, and stopping.

- `threads`: the number of threads for ``n_jobs``; BLAS on one thread during a fit.
- `memory`: the amount of memory for ``cache_size``.
- `stopping`: how long-running work is stopped.
- `dask_futures`: waiting for results of a cluster, if Dask is installed.
- `cached`: cached properties that forked children can use.
- `files`: files that are written whole or not at all.
- `text`: text from files, made safe for terminals; values as JSON.
- `advice`: errors that say which parameter breaks which rule, and what to do.
"""
