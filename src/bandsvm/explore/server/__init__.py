"""The server of ``bandsvm explore``.

- `app`: routes, and the handler for each kind of request; `middleware`: which requests are let
  through, and what the browser may do with the answers.
- `connection`: one web socket; `requests`: of several requests for the same thing, the last one
  wins; `fields`: their fields, checked; `responses`: answers as JSON and binary arrays.
- `sessions`: settings of the server, and what pages keep, also while they are reloaded;
  `uploads`: files that a page sends.
- `play`, `play_data`: the Play view.
- `data`, `data_fits`, `data_parameters`, `data_session`: the view "Your data"; `jobs`: its long
  work.
- `model`: the view "A model".
"""
