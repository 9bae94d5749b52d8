"""Which version is this? The one that pyproject.toml names too; a test compares them."""

__version__ = "0.1.0"
