"""With what words is a file refused? Each error names the file, says what is wrong, and what to do."""

from __future__ import annotations

from eligo.errors import DamagedFileError, ForeignFileError, NewerFormatError, StorageError
from eligo.stores.address import Place

BUILD_AGAIN = "restore the index from a copy, or build it again at another path"


def damaged(path: Place, what: str) -> DamagedFileError:
    """Eligo's own file, but not as it was written."""
    return DamagedFileError(f"{path} is damaged: {what}", help=BUILD_AGAIN)


def foreign(path: Place, what: str) -> ForeignFileError:
    """A file or directory that Eligo did not write."""
    return ForeignFileError(f"{path} {what}", help="give the path of an index that eligo wrote")


def newer(path: Place, found: int, known: int) -> NewerFormatError:
    """Eligo's own file, from a version later than this one."""
    return NewerFormatError(
        f"{path} has format {found}; this version of eligo reads formats up to {known}",
        help="upgrade eligo, or build the index again with this version",
    )


def unusable(path: Place, doing: str, error: OSError) -> StorageError:
    """The operating system said no, as on a full disk or without permission."""
    return StorageError(f"cannot {doing} {path}: {error.strerror or error}")
