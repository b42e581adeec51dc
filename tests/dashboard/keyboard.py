"""Every view with the keyboard alone: what Tab reaches, in which order, how the focus looks, and where it returns."""

from playwright.sync_api import expect

from dashboard.browser import View

#: Elements that a person can press or fill in.
_PRESSED = "a[href], button, input, select, textarea, summary, [tabindex='0']"
#: Visible elements that Tab must reach, those of an open dialog alone; of a radio group one is reached.
_REACHED = f"""
window.reached = () => [...(document.querySelector("dialog[open]") ?? document).querySelectorAll("{_PRESSED}")].filter(
  (one) => one.checkVisibility({{ visibilityProperty: true }}) && !one.disabled && one.tabIndex >= 0
    && (one.type !== "radio" || one.checked));
"""
#: What is wrong with the focus of each: not taken, not visible, outside the window. Puts the focus back.
_FAULTS = """(() => {
  const shown = (one) => one.outerHTML.slice(0, 120);
  const faults = [];
  for (const one of reached()) {
    one.focus();
    if (document.activeElement !== one) { faults.push("takes no focus: " + shown(one)); continue; }
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    if (outlineStyle === "none" || parseFloat(outlineWidth) < 1) faults.push("shows no focus: " + shown(one));
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const isOut = right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight;
    if (isOut) faults.push("is out of sight: " + shown(one));
  }
  for (const one of document.querySelectorAll("main *, nav *, header *")) {
    if (one.tabIndex > 0) faults.push("has an order of its own: " + shown(one));
    const isAlone = !one.closest("PRESSED, label, .row, [role=option]");
    if (isAlone && getComputedStyle(one).cursor === "pointer") faults.push("is for the mouse alone: " + shown(one));
  }
  document.activeElement.blur();
  return faults;
})()""".replace("PRESSED", _PRESSED)
#: The views that are walked with Tab itself; a selector of what is there when all is. Longer lists grow on the way.
_WALKED = {
    "/#/today?day=week": ".digest",
    "/#/memories?who=Mira&id={id}&part=history": ".panel .changes",
    "/#/sessions/larder-1": ".items",
    "/#/map?view=list&least=1": "tbody button",
    "/#/engine": ".cards .card",
    "/#/settings": ".rows .repair",
}
#: More presses than any of them needs.
_MOST = 250


def faults_of_focus(view: View) -> list[str]:
    """Return what is wrong with the focus of the elements of a view."""
    view.run(_REACHED)
    return list(view.run(_FAULTS))


def test_tab_goes_through_a_view_in_its_order(view: View, ids: dict[str, str]) -> None:
    id_ = ids["The team decided to use SQLite for Larder instead of Postgres."]
    for address, there in _WALKED.items():
        view.go(address.format(id=id_))
        view.page.locator(there).first.wait_for()
        view.run(_REACHED)
        view.run("document.activeElement.blur(); scrollTo(0, 0); window.expected = reached(); 0")
        expected = int(view.run("expected.length"))
        assert 10 < expected < _MOST, (address, expected)
        # Where Tab begins depends on what was there before.
        view.press("Tab", "Home")
        view.run("expected[0].focus(); 0")
        walked = []
        for _ in range(1, expected):
            view.page.keyboard.press("Tab")
            walked.append(view.run("expected.indexOf(document.activeElement)"))
        assert walked == list(range(1, expected)), address
        view.page.keyboard.press("Shift+Tab")
        assert view.run("expected.indexOf(document.activeElement)") == expected - 2, address


def test_dialogs_keep_the_focus_and_give_it_back(view: View, ids: dict[str, str]) -> None:
    """Each is opened by the keyboard from an element, holds Tab, and Escape returns to that element."""
    opened = (
        ("/#/memories", ".row a", ("Control+k",)),
        ("/#/today?day=week", ".diary a", ("?",)),
        ("/#/sessions", ".diary a", ("c",)),
        ("/#/memories?ask=which+database", ".read button", ("Enter",)),
        ("/#/engine/queue", ".rows a", ("Enter",)),
        ("/#/engine/repair", ".repair button", ("Enter",)),
    )
    for address, start, keys in opened:
        view.go(address)
        view.page.locator(start).first.wait_for()
        # The field of Memories takes the focus when the room is drawn.
        view.press("Escape")
        view.page.locator(start).first.focus()
        view.run("window.began = document.activeElement; 0")
        view.press(*keys)
        view.page.locator("dialog[open]").wait_for()
        view.ready()
        for _ in range(12):
            view.press("Tab")
            inside = "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
            assert view.run(inside), address
        view.press("Escape")
        view.page.locator("dialog[open]").wait_for(state="detached")
        assert view.run("document.activeElement === began"), address


def test_what_a_list_opens_takes_the_focus_and_gives_it_back(
    view: View, ids: dict[str, str]
) -> None:
    view.go("/#/memories")
    view.page.locator(".row").first.wait_for()
    view.press("Escape", "j", "j", "Enter")
    panel = view.page.get_by_role("complementary", name="Memory")
    expect(panel).to_be_focused()
    # What the panel shows has come, so that Tab stays in it.
    panel.get_by_role("button", name="Edit").wait_for()
    view.press("Tab", "Tab")
    assert view.run("!!document.activeElement.closest('.panel')")
    view.press("Escape")
    panel.wait_for(state="detached")
    expect(view.page.locator(".row a").nth(1)).to_be_focused()

    # A list is followed by its keys alone: what is reached is in sight.
    view.press("Control+k")
    for _ in range(20):
        view.press("ArrowDown")
    chosen = view.page.locator("[role=option][aria-selected=true]")
    expect(chosen).to_be_in_viewport()
    view.press("Escape")
