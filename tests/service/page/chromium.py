"""A real browser: the Chromium of the machine, driven by Playwright; what it complains of is kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlencode

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page

CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
SWITCHES = "--no-sandbox --disable-gpu --no-first-run --disable-sync --disable-background-networking"
SWITCHES += " --disable-component-update"
VIOLATIONS = """
window.violations = [];
const note = (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
addEventListener("securitypolicyviolation", note);
"""


class Shown:
    """A page of the service in a browser."""

    def __init__(self, address: str, context: BrowserContext) -> None:
        self.address = address
        self.context = context
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self.page = context.new_page()
        self.page.add_init_script(VIOLATIONS)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._asked(request.url))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _asked(self, url: str) -> None:
        if not url.startswith(self.address):
            self.foreign.append(url)

    def go(self, **state: str) -> Page:
        """Load the page anew with a state in its address."""
        self.page.goto("about:blank")
        self.foreign.clear()
        self.page.goto(f"{self.address}#{urlencode(state)}")
        self.page.wait_for_selector("html[data-ready]")
        return self.page

    @property
    def draft(self) -> Locator:
        return self.page.locator("#expression-editor .cm-content")

    @property
    def sample(self) -> Locator:
        return self.page.locator("#event-editor .cm-content")

    def rows(self) -> list[str]:
        """The nodes of the tree that are seen, as they are read aloud."""
        return [
            row.get_attribute("aria-label") or "" for row in self.page.locator("#tree [role=treeitem]:visible").all()
        ]

    def problems(self) -> Mapping[str, object]:
        """All that must not be: complaints, requests to others, violations of the policy, a page that is too wide."""
        width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        found = {
            "complaints": self.complaints,
            "foreign": self.foreign,
            "violations": self.page.evaluate("window.violations"),
            "too wide by": self.page.evaluate(width),
        }
        return {name: value for name, value in found.items() if value}


@contextmanager
def shown_page(
    browser: Browser, address: str, *, width: int = 1280, scheme: str = "light", height: int = 900
) -> Iterator[Shown]:
    """A window with a page; when it is closed nothing may have been wrong."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if scheme == "dark" else "light"
    )
    context.set_default_timeout(30_000)
    shown = Shown(address, context)
    try:
        yield shown
        assert shown.problems() == {}
    finally:
        context.close()
