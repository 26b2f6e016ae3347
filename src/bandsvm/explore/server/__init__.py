"""The server of ``bandsvm explore``.

- `app`: routes; `guard`: who may ask, and what the browser may do with the answers.
- `sessions`: what pages keep, also while they are reloaded; `connection`: one web socket.
- `wishes`: of several requests for the same thing, the last one wins; `frames`: answers as JSON and
  binary arrays; `requests`: fields of requests, checked.
- `answers`: which function answers which kind of request.
- `play`, `play_data`, `play_code`: the Play view.
- `data`, `data_fits`, `data_session`: the view "Your data"; `jobs`: its long work.
- `model`: the view "A model"; `data_views`: the tabs that both have; `uploads`: files that a page
  sends.
"""
