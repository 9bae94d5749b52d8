"""Can a person use the page? In a real browser, with the mouse and with the keyboard alone, light, dark and small."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from eligo.service.http.entrance.tokens import create_token
from eligo.service.page.activity import activity_of
from eligo.service.records import AddDocuments, DeleteExpression, Publish, PutExpression, PutSubscription
from eligo.service.service import Service
from service.page.chromium import CHROMIUM, SWITCHES, Shown, shown_page
from service.page.served_page import Asked, served_page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the path; Debian has one of that name"),
]

DRAFT = "age < 30\nand state = 'CA'"
SAMPLE = '{"age": 20, "state": "CA"}\n{"age": 50, "state": "CA"}\n{"age": 20}'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES.split())
        yield started
        started.close()


@pytest.fixture(scope="module")
def page() -> Iterator[Asked]:
    service = Service.open(None)
    for id, expression in (
        ("young", "age < 30"),
        ("west", "state in ('CA', 'OR')"),
        ("golfers", "interests = 'golf' and not device = 'tv'"),
    ):
        service.write(PutExpression(id=id, expression=expression))
    document = msgspec.Raw(json.dumps({"shop": "A", "n": 2**53 + 1}).encode())
    service.write(AddDocuments(documents=[document], time=datetime.now(UTC)))
    service.write(PutSubscription(name="golfers", expression="interests = 'golf'"))
    service.write(Publish(document=msgspec.Raw(b'{"interests": "golf"}'), time=datetime.now(UTC)))
    activity_of(service).answered(0.002, 5, 2, ["young", "young"])
    with served_page(service) as asked:
        yield asked


@pytest.fixture
def shown(browser: Browser, page: Asked) -> Iterator[Shown]:
    with shown_page(browser, page.address) as window:
        yield window


def test_an_error_is_shown_under_the_text_while_it_is_typed(shown: Shown) -> None:
    page = shown.go()
    shown.draft.click()
    page.keyboard.type("age < 30 and\nstate = ")
    page.keyboard.press("Escape")
    said = page.locator("#said")
    expect(said).to_contain_text("expected a value")
    expect(said).to_contain_text("line 2, column 9")
    expect(page.locator("#expression-editor .cm-lintRange-error")).to_have_count(1)
    page.keyboard.type("'CA'")
    page.keyboard.press("Escape")
    expect(said).to_contain_text("age < 30 and state = 'CA'")
    expect(page.locator("#expression-editor .cm-lintRange-error")).to_have_count(0)


def test_attributes_and_values_are_completed(shown: Shown) -> None:
    page = shown.go()
    shown.draft.click()
    page.keyboard.type("sta")
    options = page.locator("#expression-editor .cm-tooltip-autocomplete li")
    expect(options.filter(has_text="state")).to_be_visible()
    page.wait_for_timeout(300)  # an editor takes no key for a list that has just opened
    page.keyboard.press("Enter")
    page.keyboard.type(" = ")
    expect(options.filter(has_text="'OR'")).to_be_visible()
    page.wait_for_timeout(300)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(shown.draft).to_have_text("state = 'OR'")
    expect(page.locator("#said")).to_contain_text("state = 'OR'")


def test_colours_tell_words_from_names_and_values(shown: Shown) -> None:
    shown.go(draft="age < 30 and state = 'CA' -- west")
    colours = shown.draft.locator("span").evaluate_all(
        "spans => Object.fromEntries(spans.map((each) => [each.textContent, getComputedStyle(each).color]))"
    )
    chosen = [colours[text] for text in ("age", "and", "30", "'CA'", "-- west")]
    assert len(set(chosen)) == 5


def test_each_event_has_its_verdict_and_each_node_its_count(shown: Shown) -> None:
    page = shown.go(draft=DRAFT, sample=SAMPLE, event="2")
    verdicts = page.locator("#verdicts [role=option]")
    expect(verdicts).to_have_count(3)
    marks = [mark.get_attribute("aria-label") for mark in verdicts.locator(".mark").all()]
    assert marks == ["matches", "does not match", "does not match: unknown"]
    assert page.locator("#event-editor .verdict-gutter").inner_text().split() == ["✓", "✗", "?"]
    assert shown.rows() == [
        "and is false, 1 of 3 events pass",
        "age < 30 is false, age = 50, 2 of 3 events pass",
        "state = 'CA' is true, state = 'CA', 2 of 3 events pass",
    ]
    verdicts.nth(2).click()
    expect(page.locator("#chosen")).to_contain_text("Event 3 does not match (unknown)")
    expect(page.locator("#tree [role=treeitem]").nth(2)).to_contain_text("state is missing")


def test_a_sample_is_edited_and_filled_with_documents(shown: Shown) -> None:
    page = shown.go(draft="n = 9007199254740993")
    shown.sample.click()
    page.keyboard.type('{"n": 1')
    expect(page.locator("#verdicts [role=option]")).to_have_count(1)
    expect(page.locator("#verdicts .mark-f")).to_have_count(1)
    page.get_by_role("button", name="Add documents").click()
    expect(page.locator("#verdicts .mark-t")).to_have_count(1)
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#verdicts [role=option]")).to_have_count(0)


def test_of_a_long_sample_the_first_events_are_tried(shown: Shown) -> None:
    lines = [json.dumps({"age": age, "state": "CA"}) for age in range(203)]
    page = shown.go(draft="age < 100", sample="\n".join(lines))
    hint = page.locator("#sample-hint")
    expect(hint).to_have_text(
        "100 of 200 events match. A sample has at most 200: the other 3 are not tried.", use_inner_text=True
    )
    expect(page.locator("#verdicts [role=option]")).to_have_count(200)
    shown.sample.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" ")
    expect(hint).to_contain_text("the other 3")
    page.keyboard.press("Enter")
    page.keyboard.type("{}")
    expect(hint).to_contain_text("the other 4")
    expect(shown.sample.locator(".cm-line").last).to_have_text("{}")


def test_a_draft_is_compared_with_what_is_live(shown: Shown) -> None:
    page = shown.go(draft=DRAFT, sample=SAMPLE)
    page.get_by_label("Compare with live").fill("young")
    page.get_by_role("button", name="Open").click()
    against = page.locator("#against")
    expect(against).to_contain_text("1 of 3 events would change: 1 would no longer match (3)")
    expect(page.locator("#verdicts .is-changed")).to_have_count(1)
    page.get_by_role("button", name="Take the live text").click()
    expect(against).to_contain_text("The draft says what is live.")
    expect(shown.draft).to_have_text("age < 30")
    page.get_by_label("Compare with live").fill("nobody")
    shown.complaints.clear()
    page.keyboard.press("Enter")
    expect(against).to_contain_text("there is no expression 'nobody'")
    shown.complaints[:] = [each for each in shown.complaints if "404" not in each]


def test_a_link_shows_another_the_same(shown: Shown, browser: Browser) -> None:
    page = shown.go(sample=SAMPLE)
    shown.draft.click()
    page.keyboard.type(DRAFT.replace("\n", " "))
    page.keyboard.press("Escape")
    page.locator("#verdicts [role=option]").nth(1).click()
    page.wait_for_url(re.compile("event=2"))
    with shown_page(browser, shown.address) as other:
        other.page.goto(page.url)
        expect(other.draft).to_have_text(DRAFT.replace("\n", " "))
        expect(other.page.locator("#chosen")).to_contain_text("Event 2 does not match")
        assert other.rows() == shown.rows()


def test_a_link_that_was_not_copied_is_not_said_to_be(shown: Shown) -> None:
    shown.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = shown.go(draft=DRAFT)
    button = page.locator("#link")
    button.click()
    expect(button).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page = shown.go(draft="age < 31")
    button.click()
    expect(button).to_have_text("In the address bar")
    assert "31" in page.url


def test_a_long_state_is_packed_into_the_address(shown: Shown, browser: Browser) -> None:
    sample = "\n".join(json.dumps({"age": age, "state": "CA", "text": "Zürich 🙂"}) for age in range(60))
    page = shown.go(draft=DRAFT, sample=sample)
    page.locator("#verdicts [role=option]").nth(40).click()
    page.wait_for_url(re.compile("#packed="))
    assert len(page.url) < 1_500
    with shown_page(browser, shown.address) as other:
        other.page.goto(page.url)
        expect(other.page.locator("#verdicts [role=option]")).to_have_count(60)
        expect(other.page.locator("#verdicts [aria-selected=true] .number")).to_have_text("41")
    page.goto(f"{shown.address}#packed=nothing-that-was-packed")
    expect(page.locator("#said")).to_contain_text("Write an expression")


def test_the_keyboard_alone_is_enough(shown: Shown) -> None:
    page = shown.go(draft=DRAFT, sample=SAMPLE)
    expect(page.locator("#tree [role=treeitem]")).to_have_count(3)
    stops = []
    for _ in range(16):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(FOCUSED))
    wanted = ["skip", "tab-try", "link", "theme", "token", "live-id", "Expression", "add-documents"]
    assert [stop for stop in dict.fromkeys(stops) if stop in wanted] == wanted
    assert "Sample events, one JSON object a line" in stops
    page.locator("#verdicts [role=option][tabindex='0']").focus()
    page.keyboard.press("End")
    expect(page.locator("#chosen")).to_contain_text("Event 3")
    page.keyboard.press("Home")
    expect(page.locator("#chosen")).to_contain_text("Event 1")
    page.locator("#tree [role=treeitem][tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#expression-editor .shown-node")).to_have_text("age < 30")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tree [role=treeitem]:visible")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tree [role=treeitem]:visible")).to_have_count(3)
    page.locator("#tab-try").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#view-expressions")).to_be_visible()
    expect(page.locator("#found .row")).to_have_count(3)
    page.get_by_role("searchbox").focus()
    page.keyboard.type("golf")
    expect(page.locator("#found .row")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(shown.draft).to_have_text("interests = 'golf' and not device = 'tv'")
    expect(page.locator("#against")).to_contain_text("The draft says what is live.")


def test_expressions_are_ranked_since_the_start_and_in_the_sample(shown: Shown) -> None:
    page = shown.go(view="expressions", sample=SAMPLE)
    ranked = page.locator("#ranked")
    expect(ranked).to_contain_text("Counted over 5 events.")
    expect(ranked.locator("section").first).to_contain_text("young2 events")
    expect(ranked).to_contain_text("Never matched: 2")
    page.get_by_role("button", name="In the sample").click()
    expect(ranked).to_contain_text("Counted over 3 events.")
    expect(ranked.locator("section").last).to_contain_text("golfers")
    page.wait_for_url(re.compile("ranked=sample"))


def test_an_expression_that_is_gone_is_said(shown: Shown, page: Asked) -> None:
    page.service.write(PutExpression(id="brief", expression="age < 1"))
    view = shown.go(view="expressions", search="brief")
    row = view.locator("#found .row")
    expect(row).to_have_count(1)
    page.service.write(DeleteExpression(id="brief"))
    row.click()
    expect(view.locator("#against")).to_contain_text("there is no expression 'brief'")
    shown.complaints[:] = [each for each in shown.complaints if "404" not in each]


def test_what_is_typed_into_the_search_ranks_nothing_anew(shown: Shown) -> None:
    asked: list[str] = []
    page = shown.go(view="expressions")
    expect(page.locator("#ranked")).to_contain_text("Most matched")
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("searchbox").fill("west")
    expect(page.locator("#found .row")).to_have_count(1)
    assert not any("page/ranked" in url for url in asked)


def test_subscriptions_that_are_not_shown_are_said(browser: Browser) -> None:
    service = Service.open(None)
    for number in range(501):
        service.write(PutSubscription(name=f"each-{number:03}", expression="age < 30"))
    with served_page(service) as asked, shown_page(browser, asked.address) as shown:
        page = shown.go(view="service")
        expect(page.locator("#subscriptions")).to_contain_text("The first 500 by name")
        expect(page.locator("#subscriptions tbody tr")).to_have_count(500)


def test_the_service_view_shows_counters_latencies_and_subscriptions(shown: Shown, page: Asked) -> None:
    activity_of(page.service).answered(0.004, 3, 1, ["west"])
    view = shown.go(view="service")
    expect(view.locator("#counters")).to_contain_text("Expressions3")
    expect(view.locator("#latency svg")).to_have_attribute("aria-label", re.compile("p99: .*ms"))
    expect(view.locator("#latency path.line")).to_have_count(2)
    row = view.get_by_role("row", name="golfers")
    expect(row).to_contain_text("pull")
    expect(row.get_by_role("cell").nth(3)).to_have_text("1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_themes_follow_the_system_until_one_is_chosen(browser: Browser, page: Asked, scheme: str) -> None:
    with shown_page(browser, page.address, scheme=scheme) as shown:
        view = shown.go(draft=DRAFT, sample=SAMPLE)
        assert (lightness(shown) > 128) == (scheme == "light")
        button = view.get_by_role("button", name="Theme")
        button.click()
        assert lightness(shown) > 128
        button.click()
        assert lightness(shown) < 128
        shown.go(draft=DRAFT)
        assert lightness(shown) < 128
        assert contrasts(shown) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["try", "expressions", "service"])
def test_texts_have_contrast(browser: Browser, page: Asked, scheme: str, view: str) -> None:
    with shown_page(browser, page.address, scheme=scheme) as shown:
        shown.go(view=view, draft=f"{DRAFT} and age < 'x'", sample=SAMPLE, live="young")
        shown.page.wait_for_timeout(500)
        assert contrasts(shown) == []


@pytest.mark.parametrize("view", ["try", "expressions", "service"])
def test_a_phone_shows_all_of_it(browser: Browser, page: Asked, view: str) -> None:
    with shown_page(browser, page.address, width=390, height=844) as shown:
        view_page = shown.go(view=view, draft=f"{DRAFT} or {'x' * 80} = 1", sample=SAMPLE, live="young")
        view_page.wait_for_timeout(500)
        beyond = view_page.evaluate(
            """[...document.querySelectorAll("button, input, code, p, [role=option]")]
            .filter((each) => each.checkVisibility() && !each.closest(".skip, .unseen"))
            .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5).map((each) => each.outerHTML)"""
        )
        assert beyond == []


def test_texts_of_plots_can_be_read_on_a_phone(browser: Browser, page: Asked) -> None:
    activity_of(page.service).answered(0.004, 3, 1, ["west"])
    with shown_page(browser, page.address, width=390, height=844) as shown:
        view = shown.go(view="service")
        expect(view.locator("#latency svg")).to_be_visible()
        heights = view.locator("#latency text").evaluate_all(
            "texts => texts.map((each) => each.getBoundingClientRect().height)"
        )
        assert len(heights) > 5 and min(heights) > 10


def test_everything_that_can_be_used_has_a_name(shown: Shown) -> None:
    for view in ("try", "expressions", "service"):
        page = shown.go(view=view, draft=DRAFT, sample=SAMPLE)
        for role in (
            "button",
            "textbox",
            "searchbox",
            "combobox",
            "tab",
            "option",
            "treeitem",
            "img",
            "tree",
            "listbox",
        ):
            for found in page.get_by_role(role).all():  # type: ignore[arg-type]
                assert found.evaluate("each => each.ariaLabel || each.textContent || each.labels?.[0]?.textContent"), (
                    role
                )


def test_a_token_is_asked_for_and_kept_for_the_tab_only(browser: Browser, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.json"
    token = create_token(tokens, "ann", ["read"])
    with served_page(tokens=tokens) as page, shown_page(browser, page.address) as shown:
        view = shown.go(draft="age < 30")
        expect(view.locator("#notice")).to_contain_text("The service wants a token.")
        view.get_by_label("Token", exact=True).fill(token)
        view.keyboard.press("Enter")
        expect(view.locator("#standing")).to_contain_text("0 expressions")
        expect(view.locator("#tree [role=treeitem]")).to_have_count(1)
        stored = view.evaluate("[JSON.stringify(sessionStorage), JSON.stringify(localStorage), location.href]")
        assert [token in each for each in stored] == [True, False, False]
        shown.complaints[:] = [each for each in shown.complaints if "401" not in each]


def test_a_service_that_is_gone_is_said(browser: Browser) -> None:
    with shown_page(browser, "http://127.0.0.1") as shown:
        with served_page() as page:
            shown.address = page.address
            shown.go(draft="age < 30")
            expect(shown.page.locator("#standing")).to_contain_text("0 expressions")
        expect(shown.page.locator("#notice")).to_contain_text("does not answer")
        shown.complaints[:] = [each for each in shown.complaints if "ERR_CONNECTION" not in each]


def lightness(shown: Shown) -> float:
    colour = shown.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def contrasts(shown: Shown) -> list[str]:
    """Texts that can hardly be read: whose contrast with what is behind them is below 4.5."""
    found: list[str] = shown.page.evaluate(CONTRASTS)
    return found


FOCUSED = """
(() => {
  let at = document.activeElement;
  while (at.shadowRoot) at = at.shadowRoot.activeElement;
  return at.ariaLabel || at.id || at.getAttribute("role");
})()
"""

CONTRASTS = """
(() => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((each) => each / 255)
    .map((each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const roots = [document, ...[...document.querySelectorAll(".editor")].map((each) => each.shadowRoot)];
  const wrong = [];
  for (const node of roots.flatMap((root) => [...root.querySelectorAll("*")])) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility?.() || ["STYLE", "SCRIPT", "NOSCRIPT", "text"].includes(node.tagName)) continue;
    const [front, back] = [light(parts(getComputedStyle(node).color)), light(behind(node))];
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (contrast < 4.5) wrong.push(`${contrast.toFixed(2)} ${node.outerHTML.slice(0, 120)}`);
  }
  return wrong;
})()
"""
