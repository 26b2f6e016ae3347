"""Settings of the site: `make docs` builds it from these pages, without network."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_site"))

import bandsvm

project = "bandsvm"
author = "the bandsvm developers"
project_copyright = f"2026, {author}"
version = release = bandsvm.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "sphinx_design",
    # In `_site`:
    "pages",
    "words",
    "mathml",
    "reference",
]
exclude_patterns = ["_*", "gallery/*.ipynb", "gallery/*.py"]
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
pygments_style = "tango"

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": str(Path(__file__).parents[1] / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "within_subsection_order": "gallery_order.story_order",
    "show_memory": False,
    "min_reported_time": 1e9,
    "download_all_examples": False,
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_signature": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "bandsvm"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "logo": {"text": "bandsvm", **dict.fromkeys(("image_light", "image_dark"), "_static/icon.svg")},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navigation_depth": 3,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"start/index": [], "faq": [], "glossary": [], "gallery/index": []}
