"""In which form does something come, and in which shall it go? JSON, a line of JSON each, or an Arrow stream."""

from __future__ import annotations

from enum import Enum

from eligo.service.http.problems import HttpProblem


class Form(Enum):
    """A media type that is understood."""

    JSON = "application/json"
    LINES = "application/x-ndjson"
    ARROW = "application/vnd.apache.arrow.stream"


_OTHER_NAMES = {
    "": Form.JSON,
    "application/ndjson": Form.LINES,
    "application/jsonl": Form.LINES,
    "application/x-www-form-urlencoded": Form.JSON,  # what curl -d says when nobody tells it
}
_FORMS = {form.value: form for form in Form} | _OTHER_NAMES


def given_form(content_type: bytes, *allowed: Form) -> Form:
    """The form of a body; a 415 for one that is not understood here."""
    name = content_type.partition(b";")[0].strip().lower().decode("latin-1")
    form = _FORMS.get(name)
    if form is None or form not in allowed:
        raise HttpProblem(
            415,
            f"a body of type {name[:60]!r} is not understood here",
            help=f"send {' or '.join(each.value for each in allowed)}",
            name="media-type",
        )
    return form


def wanted_form(accept: bytes, default: Form, *allowed: Form) -> Form:
    """The form of the answer: the first that `Accept` names, or the default where it takes anything."""
    if not accept:
        return default
    takes_any = False
    for part in accept.decode("latin-1").lower().split(","):
        name, _, parameters = part.partition(";")
        name = name.strip()
        if parameters.replace(" ", "") in ("q=0", "q=0.0"):
            continue
        form = _FORMS.get(name) if name else None
        if form in allowed and form is not None:
            return form
        takes_any |= name in ("*/*", "application/*")
    if takes_any:
        return default
    raise HttpProblem(
        406,
        "there is no answer in a form that is accepted",
        help=f"accept {' or '.join(each.value for each in allowed)}",
        name="not-acceptable",
    )
