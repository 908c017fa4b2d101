#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""check.py TOOL TESTS FIXTURES WHAT: opens an HTML page of perfdata in headless Chromium, as a reader does, with scripts and
without. The page itself must not complain, and must not ask for anything."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: no python3-selenium")
    sys.exit(SKIPPED)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
if not CHROMIUM or not DRIVER:
    print("skipped: no chromium with chromedriver")
    sys.exit(SKIPPED)

# Listens before the page's own script runs.
LISTEN = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI));
"""


class Browser:
    def __init__(self, folder, scripts=True):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        profile = os.path.join(folder, "profile-scripts" if scripts else "profile-plain")
        for word in ("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
                     "disable-background-networking", "disable-component-update", "disable-sync",
                     "disable-dev-shm-usage", "window-size=1400,900", "user-data-dir=" + profile):
            options.add_argument("--" + word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        if not scripts:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        if scripts:
            self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})

    def open(self, path, anchor=""):
        self.driver.get("file://" + path + anchor)

    def js(self, script, *arguments):
        return self.driver.execute_script("return " + script, *arguments)

    def key(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def hover(self, element):
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        webdriver.ActionChains(self.driver).move_to_element(element).perform()

    def click(self, element):
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def shown(self, selector):
        return [element for element in self.all(selector) if element.is_displayed()]

    def requests(self, page):
        """What the page asked for; the browser's own pages ask for things, too."""
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            if message["params"]["documentURL"].split("#")[0] == "file://" + page:
                urls.append(message["params"]["request"]["url"])
        return urls

    def close(self):
        self.driver.quit()


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def check_silence(browser, page):
    errors = [entry["message"] for entry in browser.driver.get_log("browser")]
    expect(not errors, f"the console says {errors}")
    expect(browser.js("violations") == [], f"policy violations: {browser.js('violations')}")
    urls = browser.requests(page)
    expected = "file://" + page
    expect(expected in urls, f"the page itself is not among the requests: {urls}")
    others = [url for url in urls if url.split("#")[0] != expected and not url.startswith("data:")]
    expect(not others, f"the page asks for {others}")


def check_policy(browser, page):
    """Had a name got through as markup: it could neither run a script nor call home."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    smuggled = ("<main><script>window.smuggled = 'script'</script>"
                "<img src='data:,' onerror=\"window.smuggled = 'handler'\">"
                "<img src='https://example.invalid/x.png'><link rel=stylesheet href='https://example.invalid/x.css'>"
                "<a id=evil href=\"javascript:window.smuggled = 'link'\">x</a>")
    expect(text.count("<main>") == 1, "no place to smuggle something in")
    path = page + ".smuggled.html"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("<main>", smuggled))
    browser.open(path)
    browser.js("document.getElementById('evil').click()")
    browser.driver.execute_async_script("const done = arguments[0]; setTimeout(done, 300);")
    expect(browser.js("window.smuggled === undefined"), f"a foreign script ran: {browser.js('window.smuggled')}")
    violations = browser.js("violations.map((violation) => violation.split('-')[0])")
    expect(violations.count("script") >= 3 and "img" in violations and "style" in violations,
           f"the policy objects only to {browser.js('violations')}")


def check_search(browser):
    rows = len(browser.shown("#ft tbody:first-of-type tr"))
    name = browser.one("#ft tbody a").text
    browser.key("/")
    expect(browser.js("document.activeElement.id") == "q", "/ does not lead to the search")
    browser.key(name)
    left = browser.shown("#ft tbody:first-of-type tr")
    expect(0 < len(left) <= rows, f"the search for {name} leaves {len(left)} of {rows} functions")
    expect(all(name in row.text for row in left), f"the search for {name} leaves other functions")
    expect(all(name in fn.text for fn in browser.shown("details.fn > summary")), "the search leaves other listings")
    matches = browser.all("#fg .m")
    expect(matches and all(name in match.get_attribute("textContent")
                           for match in matches), "the search does not mark the flame graph")
    expect("%" in browser.one(".tools output").text, "the search does not say how much it found")
    browser.key("no such function anywhere")
    expect(not browser.shown("#ft tbody:first-of-type tr"), "the search finds what is not there")
    browser.key(Keys.ESCAPE)
    expect(len(browser.shown("#ft tbody:first-of-type tr")) == rows, "Esc does not clear the search")
    expect(not browser.all("#fg .m"), "Esc does not clear the flame graph")


def check_sorting(browser):
    heads = browser.all("#ft thead tr:last-child th")
    column = [head.text.lower().strip(" ↑↓") for head in heads].index("function")
    browser.click(heads[column].find_element(By.TAG_NAME, "button"))
    names = browser.js("[...document.querySelectorAll('#ft tbody:first-of-type tr')]"
                       f".map((tr) => tr.cells[{column}].textContent)")
    same = browser.js("arguments[0].every((name, at, all) => at === 0 || all[at - 1].localeCompare(name) <= 0)", names)
    expect(len(names) > 1 and same, f"not sorted by name: {names}")
    expect(heads[column].get_attribute("aria-sort") == "ascending", "the order is not announced")
    browser.click(heads[0].find_element(By.TAG_NAME, "button"))
    cells = browser.js("[...document.querySelectorAll('#ft tbody:first-of-type tr')]"
                       ".map((tr) => Number(tr.cells[0].textContent))")
    expect(cells == sorted(cells, reverse=True), f"not sorted by heat: {cells}")


def check_flame(browser):
    frame = next(a for a in browser.all("#fg a[href]") if a.is_displayed() and a.size["width"] >= 3)
    target = frame.get_attribute("href").split("#")[1]
    browser.click(frame)
    width = browser.one("#fg").size["width"]
    expect(abs(frame.size["width"] - width) < 12, f"zoomed to {frame.size['width']} of {width}")
    expect(browser.js("location.hash") in ("", "#"), "one click is to zoom only")
    expect("%" in browser.one("#fi").text, "nothing is said of the frame")
    browser.click(frame)
    expect(browser.js("location.hash") == "#" + target, "the second click does not lead to the code")
    expect(browser.one("#" + target).is_displayed(), f"the listing {target} is closed")
    box = browser.js("document.getElementById(arguments[0]).getBoundingClientRect().top", target)
    expect(0 <= box < 400, f"the listing is not in view: {box}")
    browser.key(Keys.ESCAPE)
    expect(frame.size["width"] <= width, "Esc does not zoom out")


def check_deep(browser):
    """Stacks of 1024 frames: all are there, the graph scrolls in its own region, keys and zoom reach the deepest."""
    levels = browser.js("Math.max(...[...document.querySelectorAll('#fg a')].map((a) => a.ariaLevel))")
    expect(int(levels) == 1026, f"{levels} levels of frames")
    pane = "document.querySelector('.fw')"
    inside = (f"((a) => {{ const at = a.getBoundingClientRect(), of = {pane}.getBoundingClientRect();"
              " return at.top >= of.top - 1 && at.bottom <= of.bottom + 1; })")
    expect(browser.js(f"{pane}.scrollHeight > 10 * {pane}.clientHeight"), "the graph does not scroll by itself")
    root = browser.one("#fg a")
    expect(browser.js(f"{pane}.scrollTop") == 0 and browser.js(f"{inside}(arguments[0])", root),
           "the root is not in view at first")
    browser.driver.execute_script("arguments[0].focus()", root)
    browser.key(Keys.END)
    deepest = browser.js("document.activeElement")
    expect(deepest.text == "first_main" and deepest.get_attribute("aria-level") == "1026",
           f"End leads to {deepest.text}")
    expect(browser.js(f"{inside}(document.activeElement)"), "the deepest frame is not in view")
    for key, name in ((Keys.ARROW_UP, "level_1022"), (Keys.ARROW_RIGHT, "level_1022"), (Keys.ARROW_DOWN, "first_main")):
        browser.key(key)
        expect(name in browser.js("document.activeElement.textContent"),
               f"an arrow leads to {browser.js('document.activeElement.textContent')}")
    frame = browser.js("[...document.querySelectorAll('#fg a')].find((a) => a.textContent.endsWith('level_800'))")
    browser.driver.execute_script("arguments[0].focus()", frame)
    browser.key(Keys.ENTER)
    width = browser.one("#fg").size["width"]
    expect(abs(frame.size["width"] - width) < 12, f"zoomed to {frame.size['width']} of {width}")
    expect(browser.js(f"{inside}(arguments[0])", frame), "the zoomed frame is not in view")
    other = browser.js("[...document.querySelectorAll('#fg a')].find((a) => a.textContent.endsWith('other_800'))")
    expect(not other.is_displayed(), "what is beside the zoomed frame is still shown")
    browser.key(Keys.HOME)
    expect(browser.js("document.activeElement === arguments[0]", root), "Home does not lead to the root")
    browser.driver.execute_script("arguments[0].focus()", frame)
    browser.key(Keys.ESCAPE)
    expect(other.is_displayed() and browser.js(f"{pane}.scrollTop") == 0, "Esc does not lead back to the root")
    expect(browser.js("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window")


def check_linking(browser):
    """Hovering a source line marks its instructions, and the other way round."""
    block = next((block for block in browser.all(".two") if block.is_displayed()), None)
    if block is None:
        opened = browser.js("(() => { const b = [...document.querySelectorAll('.two')][0];"
                            " b.closest('details').open = true; return b; })()")
        block = opened
    rows = block.find_elements(By.CSS_SELECTOR, ".as tbody tr[data-l]")
    line = block.find_elements(By.CSS_SELECTOR, ".sc tbody tr[id]")
    row = rows[min(1, len(rows) - 1)]
    browser.hover(row.find_element(By.TAG_NAME, "td"))
    own = line[int(row.get_attribute("data-l"))]
    expect("lk" in own.get_attribute("class"), "an instruction does not mark its line")
    marked = block.find_elements(By.CSS_SELECTOR, ".as tr.lk")
    expect(row in marked, "an instruction does not mark itself")
    others = [other for other in line if other != own and "lk" in other.get_attribute("class")]
    expect(not others, "an instruction marks other lines than its own")
    browser.hover(own.find_element(By.TAG_NAME, "td"))  # long lines reach out of sight
    back = block.find_elements(By.CSS_SELECTOR, ".as tr.lk")
    expect({element.id for element in marked} == {element.id for element in back},
           "line and instruction do not mark the same")


def check_keys(browser):
    functions = browser.all("details.fn")
    browser.open_page()
    browser.key("n")
    cursor = browser.js("document.querySelector('.cur')")
    expect(cursor is not None, "n finds no hot instruction")
    # Of several events the one that it is hottest in counts.
    heat = ("(tr) => Math.max(...[...tr.cells].slice(0, 2 * Math.max(1, document.querySelectorAll('#ev option').length - 1))"
            ".filter((td, at) => at % 2 === 0).map((td) => parseFloat(td.textContent) || 0))")
    shares = browser.js("[...document.querySelectorAll('details.fn[open] .as tbody tr')]"
                        f".filter((tr) => tr.offsetParent && tr.cells.length > 2).map({heat})")
    expect(browser.js(f"({heat})(arguments[0])", cursor) == max(shares), "n does not find the hottest")
    browser.key(Keys.ARROW_DOWN)
    moved = browser.js("document.querySelector('.cur')")
    expect(moved is not None and moved != cursor, "the arrow does not move")
    browser.key("j")
    first = browser.js("location.hash")
    browser.key("j")
    second = browser.js("location.hash")
    if len(functions) > 2:
        expect(first != second, f"j stays at {first}")
        browser.key("k")
        expect(browser.js("location.hash") == first, "k does not lead back")
    browser.key("?")
    expect(browser.js("document.getElementById('help').open"), "? shows no help")
    browser.key(Keys.ESCAPE)
    expect(not browser.js("document.getElementById('help').open"), "Esc does not close the help")


def check_theme(browser):
    colour = "getComputedStyle(document.body).backgroundColor"
    before = browser.js(colour)
    browser.key("t")
    other = browser.js(colour)
    expect(before != other, f"still {before}")
    browser.click(browser.one("#th"))
    expect(browser.js(colour) == before, "the button does not lead back")


def check_arrows(browser):
    browser.js("document.querySelectorAll('details.fn').forEach((fn) => { fn.open = true; })")
    browser.driver.execute_async_script("const done = arguments[0]; setTimeout(done, 300);")
    jumps = browser.js("[...document.querySelectorAll('a.jp')].filter((a) => a.offsetParent).length")
    arrows = browser.js("document.querySelectorAll('.ap svg path').length")
    expect(jumps == arrows, f"{arrows} arrows for {jumps} jumps")
    return jumps


def check_without_scripts(folder, page, names, deep):
    browser = Browser(folder, scripts=False)
    try:
        browser.open(page)
        expect(browser.one("html").get_attribute("class") == "", "a script ran")
        text = browser.one("body").text
        for name in names:
            expect(name in text, f"{name} is not to be read without scripts")
        frames = browser.all("#fg a")
        expect(frames and frames[0].is_displayed(), "no flame graph without scripts")
        # Each frame is at its depth, inside of its caller: stacks are deeper than browsers nest elements.
        places = [(frame.rect, int(frame.get_attribute("style").split("--d:")[1].split(";")[0])) for frame in frames[:50]
                  if frame.is_displayed()]
        callers = []
        for rect, depth in places:
            expect(abs(rect["y"] - places[0][0]["y"] - 18 * depth) < 1, f"a frame of depth {depth} is at {rect}")
            callers[depth:] = [rect]
            if depth and rect["width"] > 2:
                of = callers[depth - 1]
                expect(rect["x"] >= of["x"] - 1 and rect["x"] + rect["width"] <= of["x"] + of["width"] + 2,
                       f"{rect} is not inside of its caller {of}")
        if deep:
            last = browser.driver.find_element(By.XPATH, "//*[@id='fg']/a[.='first_main']")
            expect(last.is_displayed() and last.rect["y"] - places[0][0]["y"] == 1025 * 18,
                   f"the deepest frame is at {last.rect}")
        expect(browser.shown("details[open] .as td"), "no instructions without scripts")
        for control in browser.all("#q, #th, #fi"):
            expect(not control.is_displayed(), "a control that cannot work is shown")
        closed = [fn for fn in browser.all("details.fn") if not fn.get_attribute("open")]
        if closed:
            browser.click(closed[0].find_element(By.TAG_NAME, "summary"))
            expect(closed[0].find_element(By.CSS_SELECTOR, ".fb").is_displayed(), "a listing does not open")
    finally:
        browser.close()


def check_versions(browser):
    function = next(fn for fn in browser.all("details.fn") if fn.find_elements(By.CSS_SELECTOR, ".vs"))
    browser.js("arguments[0].open = true", function)
    browser.driver.execute_async_script("const done = arguments[0]; setTimeout(done, 200);")
    versions = function.find_elements(By.CSS_SELECTOR, ".vr")
    expect(len(versions) > 1, "one version only")
    expect(sum(version.is_displayed() for version in versions) == 1, "more than one version is shown")
    for link, version in zip(function.find_elements(By.CSS_SELECTOR, ".vs a"), versions):
        browser.click(link)
        expect(version.is_displayed(), "the time line does not switch")
        expect(link.get_attribute("aria-current") == "true", "the time line does not show the switch")
        expect(sum(other.is_displayed() for other in versions) == 1, "two versions are shown")
    before = browser.js("location.hash")
    browser.key("v")
    expect(browser.js("location.hash") != before, "v does not switch")
    changed = [element for element in browser.all(".as tr.c del")]
    expect(changed and changed[0].get_attribute("textContent").strip(), "nothing says what the code was before")


def choose_event(browser, value):
    browser.driver.execute_script("const ev = document.getElementById('ev'); ev.value = arguments[0];"
                                  " ev.dispatchEvent(new Event('change'));", str(value))


def check_percents(browser):
    """The script rounds as C does, and as Python: the text of the page and what the script puts in its place agree."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../annotate/page/html/page.js")
    with open(source, encoding="utf-8") as file:
        text = file.read()
    begin = text.index("  const fixed = ")
    function = text[begin:text.index("\n  };", begin) + len("\n  };")]
    values = [100.0 * part / whole for whole in range(1, 1001) for part in range(0, whole + 1, 1 if whole < 200 else 17)]
    for places in (0, 1, 2):
        rounded = browser.driver.execute_script(
            function + " return arguments[0].map((value) => fixed(value, arguments[1]));", values, places)
        wrong = [(value, text) for value, text in zip(values, rounded) if text != f"{value:.{places}f}"]
        expect(not wrong, f"{len(wrong)} percentages are rounded otherwise: {wrong[:3]}")
    # The script writes what the page had.
    browser.open_page()
    words = "[...document.querySelectorAll('.kl b')].map((b) => b.textContent)"
    before = browser.js(words)
    choose_event(browser, 0)
    expect(browser.js(words) == before, f"the kinds of code were {before} and are {browser.js(words)}")


def check_events(browser):
    """One event chosen: its columns, its heat, its order; all of them: as at first."""
    choice = browser.all("#ev option")
    expect(len(choice) > 2, "one event only")
    widths = "[...document.querySelectorAll('#fg a')].map((a) => a.style.width)"
    order = "[...document.querySelectorAll('#ft tbody:first-of-type a')].map((a) => a.textContent)"
    heat = "[...document.querySelectorAll('.as tbody tr, .sc tbody tr')].map((tr) => tr.className)"
    listings = "[...document.querySelectorAll('details.fn h3')].map((h3) => h3.textContent)"
    shown = ("[...document.querySelectorAll('#ft tbody:first-of-type tr:not([hidden])')]"
             ".map((tr) => [...tr.cells].filter((td) => td.offsetParent).length)")
    pages = []
    before = [browser.js(what) for what in (widths, order, heat, listings, shown)]
    for event in range(len(choice) - 1):
        choose_event(browser, event)
        pages.append([browser.js(what) for what in (widths, order, heat, listings, shown)])
        cells = browser.js("[...document.querySelectorAll('#ft tbody:first-of-type tr')].map((tr) =>"
                           " [...tr.cells].filter((td) => td.offsetParent).map((td) => td.textContent))")
        expect(len({len(row) for row in cells}) == 1, "rows of different widths")
        percents = [float(row[0] or 0) for row in cells]
        expect(percents == sorted(percents, reverse=True), f"event {event}: functions are not by its heat: {percents}")
        badges = browser.js("[...document.querySelectorAll('.fn > summary .p')].map((b) => parseFloat(b.textContent))")
        expect(badges == sorted(badges, reverse=True), f"event {event}: listings are not by its heat: {badges}")
        for row in browser.js("[...document.querySelectorAll('details.fn[open] .as tbody tr')].filter((tr) =>"
                              " tr.cells.length > 2 && tr.offsetParent).map((tr) => [tr.className,"
                              " [...tr.cells].find((td) => td.offsetParent).textContent])"):
            hot = float(row[1] or 0) >= 40
            expect(("h7" in row[0]) == hot, f"event {event}: {row} has another heat than its share")
        bars = browser.js("[...document.querySelectorAll('.kb i')].map((i) => parseFloat(i.style.flexGrow))")
        expect(abs(sum(bars) - 100) < 1, f"the kinds of code are {sum(bars)} % of event {event}")
    expect(pages[0][0] != pages[1][0], "the event makes no difference to the flame graph")
    expect(pages[0][1] != pages[1][1], "the event makes no difference to the order of functions")
    expect(pages[0][2] != pages[1][2], "the event makes no difference to the heat")
    expect(pages[0][4][0] < before[4][0], "the columns of other events are still there")
    browser.key("e")
    now = [browser.js(what) for what in (widths, order, heat, listings, shown)]
    # The graph is of the first event then; a width may be written in another way than at first.
    for what, one, other in zip(("graph", "order of functions", "heat", "order of listings", "columns"), now,
                                [pages[0][0]] + before[1:]):
        expect(one == other, f"the {what} of all events is not as at first")
    heads = browser.all("#ft thead .ev th")
    expect(len(heads) == len(choice) - 1, "the table has other events")


def check_calls(browser):
    """Tables of callers and callees, and badges beside call instructions."""
    browser.js("document.querySelectorAll('details.fn').forEach((fn) => { fn.open = true; })")
    expect(browser.shown(".ct"), "no tables of calls")
    badges = [badge for badge in browser.shown(".cb") if badge.text]
    expect(badges, "no call instruction says how much is below it")
    expect("samples below" in badges[0].get_attribute("title"), "a badge does not say what it is")
    links = [link for link in browser.shown(".ct a") if "-" in link.get_attribute("href").split("#")[1]]
    expect(links, "no link from a callee to the call instruction")
    browser.click(links[0])
    row = browser.js("document.querySelector('.cur')")
    expect(row is not None and row.find_elements(By.CSS_SELECTOR, ".cb"), "a link does not lead to a call")


def check_registers(browser):
    switch = next(box for box in browser.all(".rg input") if box.is_displayed())
    content = ("getComputedStyle([...document.querySelectorAll('td[data-r]')].find((td) => td.offsetParent), '::after')"
               ".content")
    expect(browser.js(content) == "none", "registers of BPF are shown unasked")
    browser.click(switch)
    expect("=r" in browser.js(content), f"no registers of BPF: {browser.js(content)}")
    expect(all(box.is_selected() for box in browser.all(".rg input")), "not all listings show registers")
    browser.key("r")
    expect(browser.js(content) == "none", "registers of BPF do not go away")


def check_fields(browser):
    """Bars of histograms lie beside the percentages, and are as long as their samples say."""
    expect(len(browser.all("#fields caption")) == 3, "a histogram is missing")
    rows = browser.js("[...document.querySelector('#fields tbody').rows].map((row) => [Number(row.cells[1].textContent),"
                      " row.querySelector('i')?.getBoundingClientRect().width ?? 0])")
    most, longest = max(rows)
    expect(longest > 100, f"the longest bar has {longest} pixels")
    for samples, width in rows:
        expect(abs(width - max(longest * samples / most, 1 if samples else 0)) < 1, f"{samples} of {most}: {width} pixels")
    expect(browser.js("[...document.querySelectorAll('#fields i')].every((bar) => {"
                      " const text = document.createRange(); text.selectNode(bar.previousSibling);"
                      " return text.getBoundingClientRect().right <= bar.getBoundingClientRect().left; })"),
           "a bar covers its percentage")


def make_page(tool, tests, fixtures, what, folder):
    """A page of a real recording, or one that the unit tests crafted."""
    if what in ("hostile", "versions", "deep"):
        made = subprocess.run([tests, "[browser-pages]"], env={**os.environ, "PERFDATA_PAGES": folder},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expect(made.returncode == 0, made.stdout)
        if what != "deep":
            return os.path.join(folder, what + ".html")
    arguments = {
        "bpf": [fixtures + "/bpf/bpf_many.data", "--kallsyms", fixtures + "/bpf/guest.kallsyms"],
        "events": [fixtures + "/bpf/bpf_events.data"],
        "deep": [folder + "/deep.data"],
        "fields": [fixtures + "/records/tp.data", "--histogram", "id,args[1],next_pid"],
        "jit": [fixtures + "/jit/tinyjit.data", "--jitdump", fixtures + "/jit/jit-32346.dump"],
    }[what]
    page = os.path.join(folder, "page.html")
    made = subprocess.run([tool, "annotate", "-q", "--offline", "-o", page, *arguments], stderr=subprocess.PIPE,
                          text=True)
    expect(made.returncode == 0, f"perfdata annotate {' '.join(arguments)}: {made.returncode} {made.stderr}")
    return page


def run(tool, tests, fixtures, what, folder):
    page = make_page(tool, tests, fixtures, what, folder)
    names = {"bpf": ["many_main", "log2_of"], "events": ["many_main"], "versions": ["first_main"],
             "deep": ["first_main", "level_800"],
             "hostile": ["</script>"]}.get(what, [])
    browser = Browser(folder)
    try:
        browser.open_page = lambda: browser.open(page)
        browser.open(page)
        expect("js" in browser.one("html").get_attribute("class"), "the script does not run")
        # This recording has no code with a name.
        if what == "fields":
            check_fields(browser)
            check_theme(browser)
            check_silence(browser, page)
            check_policy(browser, page)
            return
        check_search(browser)
        check_sorting(browser)
        if what == "deep":
            check_deep(browser)
        check_flame(browser)
        if browser.all(".two"):
            check_linking(browser)
        check_keys(browser)
        check_theme(browser)
        jumps = check_arrows(browser)
        if what == "bpf":
            expect(browser.all(".two") and jumps > 0, "this page should have source and jumps")
        if what == "events":
            check_events(browser)
            check_calls(browser)
            check_percents(browser)
        if what == "bpf":
            check_registers(browser)
        if what == "versions":
            check_versions(browser)
        check_silence(browser, page)
        check_policy(browser, page)
    finally:
        browser.close()
    check_without_scripts(folder, page, names, what == "deep")


def main():
    if len(sys.argv) != 5:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(*sys.argv[1:], folder)
        except AssertionError as problem:
            print(f"FAILED: {problem}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
