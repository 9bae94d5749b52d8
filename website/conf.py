"""How does Sphinx make the site? With one theme, and nothing that a reader's machine would have to fetch."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
from eligo._version import __version__

project = "Eligo"
author = "the authors of Eligo"
project_copyright = "Apache 2.0"
version = release = __version__

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
myst_enable_extensions = ["strikethrough"]
suppress_warnings = ["misc.highlighting_failure", "myst.strikethrough"]
highlight_language = "none"
# A link with an anchor that no heading has fails the build, as does anything else that is warned of.
nitpicky = True

html_theme = "furo"
html_title = f"Eligo {version}"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
html_last_updated_fmt = None
pygments_style = "tango"
pygments_dark_style = "monokai"
