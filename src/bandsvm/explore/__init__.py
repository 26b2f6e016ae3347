"""``bandsvm explore``: a page in the browser, and the local server behind it.

- ``analysis/``: what the views of data files and models show, without a server.
"""
