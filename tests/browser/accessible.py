#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""accessible.py TOOL TESTS FIXTURES AXE WHAT: opens an HTML page of perfdata in headless Chromium and has axe-core, which
lies in the folder AXE, look at it: as it is at first and in what a reader does with it, and at its colours in dark, too.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
from check import SKIPPED, Browser, expect, make_page

OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true; });"
SEARCH = "const q = document.getElementById('q'); q.value = 'main'; q.dispatchEvent(new Event('input'));"
ZOOM = "const frames = [...document.querySelectorAll('#fg a')]; frames[2].click();"
KIND = "document.querySelector('#ch button').click();"
EVENT = "const ev = document.getElementById('ev'); ev.value = '0'; ev.dispatchEvent(new Event('change'));"
CHOOSE = "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'n' })); document.querySelector('.rg input').click();"
HELP = "document.getElementById('help').showModal();"

# By page: what a reader does, as a script, and which part of the page it changes. The page is loaded anew for each.
STATES = {
    "bpf": {
        "as it is at first": ("", "html"),
        "with all listings open": (OPEN, "html"),
        "with a search": (SEARCH, "#flame"),
        "zoomed in": (ZOOM, "#flame"),
        "with a kind of code left out": (KIND, "#functions"),
        "with an instruction chosen and registers of BPF": (CHOOSE, "details[open]"),
        "with its help": (HELP, "#help"),
    },
    "events": {"with one event": (EVENT + OPEN, "html")},
    "fields": {"with histograms": ("", "html")},
    "jit": {"as it is at first": ("", "html")},
    "hostile": {"with all listings open": (OPEN, "html")},
    "versions": {"with all listings open": (OPEN, "html")},
    "deep": {"zoomed in": (ZOOM, "html")},
}

# By scheme of colours: the rules, or none for all of them. What is not about colours is the same in both.
RULES = {"light": None, "dark": ["color-contrast", "link-in-text-block"]}

RUN = """
const done = arguments[arguments.length - 1];
const options = { preload: false, resultTypes: ["violations"] };
if (arguments[1]) options.runOnly = arguments[1];
axe.run({ include: [[arguments[0]]] }, options).then(
  (result) => done(result.violations.map((one) => ({
    id: one.id, help: one.help, nodes: one.nodes.map((node) => node.html.slice(0, 200) + ": " + node.failureSummary) }))),
  (problem) => done(String(problem)));
"""


def run(tool, tests, fixtures, axe, what, folder):
    with open(axe, encoding="utf-8") as file:
        library = file.read()
    page = make_page(tool, tests, fixtures, what, folder)
    browser = Browser(folder)
    browser.driver.set_script_timeout(400)
    problems = []
    try:
        for scheme, rules in RULES.items():
            browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for state, (script, part) in STATES[what].items():
                browser.open(page)
                browser.driver.execute_script(script)
                browser.driver.execute_script(library)
                found = browser.driver.execute_async_script(RUN, part, rules)
                expect(isinstance(found, list), f"axe-core fails: {found}")
                for one in found:
                    problems.append(f"{scheme}, {state}: {one['id']} ({one['help']}), {len(one['nodes'])} times")
                    problems += ["    " + node.replace("\n", " ") for node in one["nodes"][:5]]
    finally:
        browser.close()
    expect(not problems, "\n".join(problems))


def main():
    if len(sys.argv) != 6:
        print(__doc__, file=sys.stderr)
        return 2
    tool, tests, fixtures, axe, what = sys.argv[1:]
    axe = os.path.join(axe, "node_modules", "axe-core", "axe.min.js")
    if not os.path.exists(axe):
        if os.environ.get("PERFDATA_AXE") == "required":
            print(f"FAILED: there is no {axe}; the test browser.axe_core installs it")
            return 1
        print("skipped: no axe-core; the test browser.axe_core installs it")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(tool, tests, fixtures, axe, what, folder)
        except AssertionError as problem:
            print(f"FAILED: {problem}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
