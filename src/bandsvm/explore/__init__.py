"""``bandsvm explore``: a page in the browser, and the local server behind it.

- `launch`: starts the server and opens the browser.
- ``server/``: the application, in Python.
- ``page/``: what the browser loads; plain HTML, CSS and JavaScript modules.
"""
