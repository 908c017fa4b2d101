"use strict";
(() => {
  const root = document.documentElement;
  const id = (name) => document.getElementById(name);
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];
  const make = (tag, text = "") => Object.assign(document.createElement(tag), { textContent: text });
  // As the page's text, and as C does it: ties go to the even digit, where toFixed() goes up. A double is a tie only if
  // it is an odd multiple of a half, a quarter, an eighth...
  const fixed = (value, places) => {
    const scale = 10 ** places;
    const tie = (value * 2 ** (places + 1)) % 2 === 1;
    return (tie ? (2 * Math.round((value * scale) / 2)) / scale : value).toFixed(places);
  };
  const percent = (part, whole) => fixed(whole ? (100 * part) / whole : 0, 2) + " %";
  root.classList.add("js");

  // Theme: what the system says, until the reader says otherwise.
  const stored = (value) => {
    try {
      return value === undefined ? localStorage.getItem("perfdata-theme") : localStorage.setItem("perfdata-theme", value);
    } catch {
      return null; // pages from files may have no storage
    }
  };
  const theme = (name) => { root.style.colorScheme = root.dataset.theme = name; };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  if (["dark", "light"].includes(stored())) theme(stored());
  const toggleTheme = () => {
    const next = (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
    theme(next);
    stored(next);
  };

  // Flame graph: frames in depth-first order, whose depths say who calls whom.
  const graph = id("fg"), info = id("fi");
  const nodes = graph ? all("a", graph) : [];
  const top = nodes[0];
  const events = id("ev") ? id("ev").options.length - 1 : 1;
  let event = 0, only = -1, zoomed = top; // only: the one event that is shown, -1: all; the graph is of the first then
  const kinds = { k: "kernel", u: "user", b: "BPF", j: "JIT", o: "out of line", x: "unknown", t: "command", s: "", a: "" };
  const path = [];
  for (const node of nodes) {
    node.cells = node.dataset.c.split(",").map(Number);
    node.depth = Number(node.style.getPropertyValue("--d"));
    path.length = node.depth;
    node.caller = path[node.depth - 1] || null;
    node.callees = [];
    if (node.caller) node.caller.callees.push(node);
    path.push(node);
    node.tabIndex = -1;
    node.setAttribute("role", "treeitem");
    node.setAttribute("aria-level", node.depth + 1);
  }
  const layOut = () => {
    const above = new Set();
    for (let node = zoomed; node; node = node.caller) above.add(node);
    for (const node of nodes) {
      const of = node.caller;
      let width = 0;
      if (above.has(node)) {
        node.begin = 0;
        width = 100;
      } else if (!above.has(of) || of === zoomed) {
        node.begin = of.next;
        width = (100 * node.cells[event]) / zoomed.cells[event] || 0;
        of.next += width;
      }
      node.next = node.begin;
      node.classList.toggle("hid", width === 0 || of !== null && of.classList.contains("hid"));
      node.classList.toggle("pa", above.has(node) && node !== zoomed);
      node.classList.toggle("z", width < 1.7);
      node.style.left = node.begin + "%";
      node.style.width = width + "%";
    }
  };
  const tell = (node) => {
    if (!node) return;
    const count = node.cells[event];
    info.replaceChildren(make("b", node.textContent), ` ${percent(count, top.cells[event])} · ${count.toLocaleString("en")}`);
    if (zoomed !== top && node !== zoomed) info.append(` · ${percent(count, zoomed.cells[event])} of what is shown`);
    const kind = kinds[node.classList[0]];
    if (kind) info.append(` · ${kind}`);
    if (node.hash) {
      const link = make("a", "show code");
      link.href = node.hash;
      info.append(" · ", link);
    }
  };
  const zoom = (node) => {
    zoomed = node;
    layOut();
    tell(node);
    // Deep graphs are higher than their region.
    const pane = graph.parentNode;
    if (node === top) pane.scrollTop = 0;
    else if (node.offsetTop < pane.scrollTop || node.offsetTop + 36 > pane.scrollTop + pane.clientHeight) {
      pane.scrollTop = node.offsetTop - pane.clientHeight / 3;
    }
  };
  if (top) {
    graph.setAttribute("role", "tree");
    graph.setAttribute("aria-label", "Flame graph");
    graph.parentNode.removeAttribute("tabindex"); // a frame has the focus
    top.tabIndex = 0;
    tell(top);
    const nodeOf = (e) => e.target.closest("#fg a");
    let entry = top; // what Tab leads to
    const enter = (node) => {
      entry.tabIndex = -1;
      entry = node;
      node.tabIndex = 0;
    };
    graph.addEventListener("click", (e) => {
      const node = nodeOf(e);
      if (!node || e.ctrlKey || e.metaKey || e.shiftKey) return;
      if (node === zoomed && node.hash) return; // the second click is on a link
      e.preventDefault();
      zoom(node);
    });
    graph.addEventListener("mouseover", (e) => tell(nodeOf(e)));
    graph.addEventListener("focusin", (e) => {
      const node = nodeOf(e);
      if (node) enter(node);
      tell(node);
    });
    graph.addEventListener("mouseleave", () => tell(zoomed));
    graph.addEventListener("keydown", (e) => {
      const node = nodeOf(e);
      if (!node) return;
      const shown = (list) => list.filter((one) => !one.classList.contains("hid"));
      const beside = (by) => {
        const list = node.caller ? shown(node.caller.callees) : [];
        return list[list.indexOf(node) + by];
      };
      const deepest = () => {
        let at = node;
        for (let next = at; next; next = shown(next.callees)[0]) at = next;
        return at;
      };
      const to = {
        ArrowUp: () => node.caller,
        ArrowDown: () => shown(node.callees)[0],
        ArrowRight: () => beside(1),
        ArrowLeft: () => beside(-1),
        Home: () => top,
        End: deepest,
      }[e.key];
      if (to) {
        e.preventDefault();
        e.stopPropagation();
        const next = to();
        if (next) next.focus();
      } else if (e.key === "Enter" && (node !== zoomed || !node.hash)) {
        e.preventDefault();
        e.stopPropagation();
        zoom(node);
      }
    });
  }

  // Table of functions.
  const table = id("ft");
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const body = table.tBodies[0];
  const rows = [...body.rows].map((tr) => {
    const cells = tr.cells, name = cells[cells.length - 3], object = cells[cells.length - 2];
    return { tr, kind: cells[cells.length - 4].className, text: (name.textContent + " " + object.textContent).toLowerCase(),
             hash: name.firstElementChild && name.firstElementChild.hash };
  });
  const value = (row, column) => {
    const cell = row.tr.cells[column];
    return heads[column].classList.contains("n") ? Number(cell.dataset.v ?? (cell.textContent || -1)) : cell.textContent;
  };
  const first = [...rows]; // in the order of the page: most samples of all events
  const sortBy = (column, down) => {
    for (const other of heads) other.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    const sign = down ? -1 : 1;
    rows.sort((a, b) => {
      const one = value(a, column), two = value(b, column);
      return sign * (typeof one === "number" ? one - two : one.localeCompare(two));
    });
    body.append(...rows.map((row) => row.tr));
  };
  heads.forEach((th, column) => {
    const button = make("button", th.textContent);
    button.type = "button";
    th.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = th.hasAttribute("aria-sort") ? th.getAttribute("aria-sort") === "ascending" : th.classList.contains("n");
      sortBy(column, down);
    });
  });

  // Search and kinds.
  const box = id("q"), found = make("output");
  const chips = all("#ch button");
  const functions = all("details.fn");
  const summary = (fn) => fn.firstElementChild;
  for (const fn of functions) fn.text = summary(fn).textContent.toLowerCase();
  box.before(found);
  const search = () => {
    const wanted = box.value.trim().toLowerCase();
    const off = new Set(chips.filter((chip) => chip.getAttribute("aria-pressed") === "false").map((chip) => chip.classList[0]));
    let count = 0;
    for (const row of rows) {
      row.tr.hidden = off.has(row.kind) || !row.text.includes(wanted);
      if (!row.tr.hidden) ++count;
    }
    for (const fn of functions) {
      fn.hidden = off.has(fn.querySelector(".kd").classList[1]) || !fn.text.includes(wanted);
    }
    found.textContent = "";
    if (graph) {
      graph.classList.toggle("find", wanted !== "");
      let sum = 0;
      const inside = new Set(); // below a match nothing counts again
      for (const node of nodes) {
        const match = wanted !== "" && !"as".includes(node.classList[0]) && node.textContent.toLowerCase().includes(wanted);
        node.classList.toggle("m", match);
        if (inside.has(node.caller)) inside.add(node);
        else if (match) {
          inside.add(node);
          sum += node.cells[event];
        }
      }
      if (wanted) found.textContent = `${count} functions, ${percent(sum, top ? top.cells[event] : 0)} with what they call`;
    }
    if (wanted && !graph) found.textContent = `${count} functions`;
  };
  box.addEventListener("input", search);
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") === "false"));
      search();
    });
  }

  // Listings. Each gets ready when it is first opened.
  const share = (tr, at) => Number.parseFloat(tr.cells[at]?.textContent) || 0;
  const hot = (tr) => {
    if (only >= 0) return share(tr, 2 * only);
    let most = 0;
    for (let at = 0; at < events; ++at) most = Math.max(most, share(tr, 2 * at));
    return most;
  };
  const arrows = (pane) => {
    for (const old of all("svg", pane)) old.remove();
    const jumps = all("a.jp", pane).map((link) => ({ from: link.closest("tr"), to: id(link.hash.slice(1)) })).filter((j) => j.to);
    if (jumps.length === 0 || pane.offsetParent === null) return;
    const table = pane.firstElementChild;
    for (const jump of jumps) {
      const a = jump.from.rowIndex, b = jump.to.rowIndex;
      [jump.first, jump.last] = a < b ? [a, b] : [b, a];
    }
    jumps.sort((a, b) => a.last - a.first - (b.last - b.first));
    const lanes = []; // each: what it is taken by
    const most = 12, step = 7;
    for (const jump of jumps) {
      let lane = lanes.findIndex((taken) => taken.every((o) => o.last < jump.first || o.first > jump.last));
      if (lane < 0 && lanes.length < most) lane = lanes.push([]) - 1;
      if (lane < 0) lane = most - 1;
      lanes[lane].push(jump);
      jump.lane = lane;
    }
    const width = lanes.length * step + 6;
    table.style.setProperty("--g", width + 6 + "px");
    const cell = jumps[0].from.cells[jumps[0].from.cells.length - 2];
    const at = pane.getBoundingClientRect();
    const make = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
    const svg = make("svg");
    svg.setAttribute("aria-hidden", "true");
    svg.style.left = cell.getBoundingClientRect().left - at.left + pane.scrollLeft + 6 + "px";
    svg.style.top = 0;
    svg.setAttribute("width", width);
    svg.setAttribute("height", table.offsetHeight);
    const middle = (tr) => {
      const box = tr.getBoundingClientRect();
      return Math.round(box.top + box.height / 2 - at.top + pane.scrollTop - pane.clientTop) + 0.5;
    };
    for (const jump of jumps) {
      const x = width - 8 - jump.lane * step + 0.5, end = width;
      const from = middle(jump.from) + 2, to = middle(jump.to) - 2;
      const turn = (to > from ? 3 : -3);
      const path = make("path");
      path.setAttribute("d", `M${end},${from}H${x + 3}Q${x},${from} ${x},${from + turn}V${to - turn}Q${x},${to} ${x + 3},${to}H${end}` +
        `m-4,-3l4,3l-4,3`);
      if (to < from) path.setAttribute("class", "up");
      svg.append(path);
      (jump.from.paths ||= []).push(path);
      (jump.to.paths ||= []).push(path);
    }
    pane.append(svg);
  };
  const draw = (fn) => {
    for (const tr of all(".as tr", fn)) delete tr.paths;
    for (const pane of all(".ap", fn)) arrows(pane);
  };
  const prepare = (fn) => {
    if (fn.ready) return;
    fn.ready = true;
    for (const block of all(".two", fn)) {
      const lines = all(".sc tbody tr[id]", block);
      for (const tr of lines) tr.links = [tr];
      let line;
      for (const tr of all(".as tbody tr", block)) {
        if (tr.className === "i") continue;
        if (tr.dataset.l !== undefined) line = lines[Number(tr.dataset.l)];
        if (tr.className === "g") line = undefined;
        if (!line) continue;
        tr.line = line;
        line.links.push(tr);
      }
    }
    const versions = all(".vr", fn);
    if (versions.length > 1) {
      const samples = (vr) => all(".as tbody tr", vr).reduce((sum, tr) => sum + (Number(tr.cells[1]?.textContent) || 0), 0);
      pick(fn, versions.reduce((best, vr) => (samples(vr) > samples(best) ? vr : best)));
    } else {
      draw(fn);
    }
  };
  const pick = (fn, version) => {
    for (const vr of all(".vr", fn)) vr.hidden = vr !== version;
    for (const link of all(".vs a", fn)) {
      if (link.hash === "#" + version.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    draw(fn);
  };

  let current = functions[0] || null; // function
  let cursor = null;                  // its chosen row
  let linked = [];
  const link = (tr, scroll) => {
    for (const old of linked) {
      old.classList.remove("lk");
      for (const path of old.paths || []) path.classList.remove("on");
    }
    linked = [];
    if (!tr) return;
    linked = (tr.links || (tr.line && tr.line.links) || []).concat(tr);
    for (const row of linked) row.classList.add("lk");
    for (const path of tr.paths || []) path.classList.add("on");
    if (!scroll) return;
    // Only the pane of the source moves: the instructions are the page itself.
    const line = tr.line;
    const pane = line && line.closest(".sp");
    if (!pane || pane.scrollHeight <= pane.clientHeight) return;
    const y = line.offsetTop;
    if (y < pane.scrollTop + 48 || y > pane.scrollTop + pane.clientHeight - 24) pane.scrollTop = y - pane.clientHeight / 2;
  };
  const choose = (tr) => {
    if (cursor) cursor.classList.remove("cur");
    cursor = tr;
    link(tr, true);
    if (!tr) return;
    tr.classList.add("cur");
    const box = tr.getBoundingClientRect();
    if (box.top < 110 || box.bottom > innerHeight - 20) tr.scrollIntoView({ block: "center" });
  };
  const code = id("code");
  const rowOf = (e) => {
    const tr = e.target.closest(".as tbody tr, .sc tbody tr");
    return tr && (tr.line || tr.links || tr.paths || tr.parentNode.parentNode.className === "as") ? tr : null;
  };
  code.addEventListener("mouseover", (e) => link(rowOf(e) || cursor, true));
  code.addEventListener("click", (e) => {
    const fn = e.target.closest("details.fn");
    if (fn) current = fn;
    const tr = rowOf(e);
    if (!tr || e.target.closest("a")) return;
    // A line leads to the hottest of its instructions.
    choose(tr.links ? tr.links.slice(1).reduce((a, b) => (a && hot(a) >= hot(b) ? a : b), null) || tr : tr);
  });
  code.addEventListener("toggle", (e) => {
    if (e.target.classList.contains("fn") && e.target.open) prepare(e.target);
  }, true);
  for (const fn of functions) if (fn.open) prepare(fn);

  // Links to something inside of a closed function or a hidden version.
  const reveal = (name) => {
    const target = id(name);
    const fn = target && target.closest("details.fn");
    if (!fn) return false;
    fn.hidden = false;
    fn.open = true;
    prepare(fn);
    current = fn;
    const version = target.closest(".vr");
    if (version && version.hidden) pick(fn, version);
    if (target.tagName === "TR") choose(target.links ? target.links[1] || target : target);
    else (version && target === version ? target : fn).scrollIntoView({ block: "start" });
    return true;
  };
  addEventListener("hashchange", () => reveal(location.hash.slice(1)));
  document.addEventListener("click", (e) => {
    const a = e.target.closest("a[href^='#']");
    if (!a || e.defaultPrevented || e.ctrlKey || e.metaKey || e.shiftKey) return;
    const version = a.closest(".vs");
    if (version) {
      e.preventDefault();
      pick(a.closest("details.fn"), id(a.hash.slice(1)));
      history.replaceState(null, "", a.hash);
    } else if (a.hash === location.hash && reveal(a.hash.slice(1))) {
      e.preventDefault();
    }
  });
  if (location.hash) reveal(location.hash.slice(1));

  // The event that is looked at: its columns, its heat, its order.
  const sheet = make("style");
  document.head.append(sheet);
  const steps = [0.5, 1, 2, 5, 10, 20, 40];
  const heatOf = (percent) => steps.filter((step) => percent >= step).length;
  const setHeat = (element, heat) => {
    element.className = [...element.classList].filter((name) => !/^h\d$/.test(name)).concat(heat ? `h${heat}` : []).reverse().join(" ");
  };
  const heated = (element) => (element.of ??= element.className);
  // Columns of an event in the table of functions; those of ratios are behind them.
  const width = (heads.length - 4 - Number(table.dataset.r || 0)) / events;
  const columns = () => {
    if (only < 0) return "";
    const parts = [];
    const hide = (selector, count, at) => {
      for (let column = at * count + 1; column <= (at + 1) * count; ++column) parts.push(`${selector}:nth-child(${column})`);
    };
    for (let at = 0; at < events; ++at) {
      if (at === only) continue;
      for (const table of [".as", ".ct", ".ft"]) {
        const count = table === ".ft" ? width : 2;
        hide(`${table} thead tr:last-child>th`, count, at);
        hide(`${table} tbody tr:not(.g):not(.i)>td`, count, at);
        hide(`${table} tfoot td`, count, at);
        hide(`${table} .ev>th`, 1, at);
      }
      hide(".sc thead th", 1, at);
      hide(".sc tbody tr:not(.g)>td", 1, at);
    }
    const strong = (cell) => `${cell}{background:color-mix(in srgb,var(--hot) var(--h),transparent);color:var(--text)}`;
    return parts.join() + "{display:none}" + strong(`.as tbody tr[class^=h]>td:nth-child(${2 * only + 1})`) +
      strong(`.sc tbody tr[class^=h]>td:nth-child(${only + 1})`);
  };
  const heatListings = () => {
    for (const table of all(".as")) {
      const factor = table.dataset.c.split(",").map(Number);
      const source = table.closest(".two")?.querySelector(".sc");
      const paint = (tr, cell) => {
        const before = heated(tr);
        if (only < 0) tr.className = before;
        else setHeat(tr, heatOf(share(tr, cell) * factor[only]));
      };
      for (const tr of table.tBodies[0].rows) if (tr.cells.length > 2) paint(tr, 2 * only);
      if (source) for (const tr of all("tbody tr[id]", source)) paint(tr, only);
    }
    for (const badge of all(".cb[data-c]")) {
      badge.all ??= badge.textContent;
      badge.textContent = only < 0 ? badge.all : Number(badge.dataset.c.split(",")[only]) || "";
    }
  };
  const showEvent = () => {
    const marked = cursor;
    choose(null);
    sheet.textContent = columns();
    heatListings();
    for (const badge of all(".fn > summary .p")) {
      const shares = badge.dataset.c.split(",").map(Number);
      const of = badge.parentNode.parentNode.share = only < 0 ? Math.max(...shares) : shares[only];
      badge.textContent = fixed(of, 2) + " %";
      badge.className = `p h${heatOf(of)}`;
    }
    functions.sort((a, b) => (only < 0 ? a.at - b.at : b.share - a.share || a.at - b.at));
    id("code").append(...functions);
    for (const part of all(".kb i, .kl li")) {
      const of = Number(part.dataset.c.split(",")[event]);
      part.hidden = of === 0;
      if (part.tagName === "I") part.style.flexGrow = of;
      else part.querySelector("b").textContent = fixed(of, 1) + " %";
    }
    if (only < 0) {
      rows.splice(0, rows.length, ...first);
      body.append(...rows.map((row) => row.tr));
      for (const other of heads) other.removeAttribute("aria-sort");
    } else sortBy(only * width, true);
    if (top) {
      if (!zoomed.cells[event]) zoomed = top;
      layOut();
      tell(zoomed);
    }
    search();
    for (const fn of functions) if (fn.open) draw(fn);
    choose(marked);
  };
  functions.forEach((fn, at) => { fn.at = at; });
  if (id("ev")) {
    id("ev").addEventListener("change", (e) => {
      only = Number(e.target.value);
      event = Math.max(0, only);
      showEvent();
    });
  }

  // Registers of BPF: wanted in one listing, wanted in all.
  const registers = all(".rg input");
  const showRegisters = (on) => { for (const box of registers) box.checked = on; };
  for (const box of registers) box.addEventListener("change", () => showRegisters(box.checked));

  let timer;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { for (const fn of functions) if (fn.open) draw(fn); }, 150);
  });

  // Keys.
  const help = id("help");
  const step = (by) => {
    const shown = functions.filter((fn) => !fn.hidden);
    if (shown.length === 0) return;
    const at = shown.indexOf(current);
    // The first press goes to the function itself if it is not in view.
    const away = at >= 0 && (current.getBoundingClientRect().top > innerHeight || current.getBoundingClientRect().bottom < 0);
    const next = shown[Math.min(shown.length - 1, Math.max(0, away || !current.open ? at : at + by))] || shown[0];
    choose(null);
    current = next;
    next.open = true;
    prepare(next);
    next.scrollIntoView({ block: "start" });
    summary(next).focus({ preventScroll: true });
    history.replaceState(null, "", "#" + next.querySelector(".fb").id);
  };
  const visible = () => all(".as tbody tr", current).filter((tr) => tr.offsetParent !== null && tr.className !== "g" && tr.className !== "i");
  const hottest = (by) => {
    if (!current) return;
    current.open = true;
    prepare(current);
    const ranked = visible().filter((tr) => hot(tr) > 0).sort((a, b) => hot(b) - hot(a));
    const at = ranked.indexOf(cursor);
    if (ranked.length) choose(ranked[Math.min(ranked.length - 1, Math.max(0, at < 0 ? 0 : at + by))]);
  };
  const actions = {
    "/": () => { box.focus(); box.select(); },
    j: () => step(1),
    k: () => step(-1),
    n: () => hottest(1),
    p: () => hottest(-1),
    v: () => {
      const links = current ? all(".vs a", current) : [];
      const at = links.findIndex((a) => a.hasAttribute("aria-current"));
      if (links.length) links[(at + 1) % links.length].click();
    },
    e: () => {
      const choice = id("ev");
      if (!choice) return;
      choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
      choice.dispatchEvent(new Event("change"));
    },
    r: () => { if (registers.length) showRegisters(!registers[0].checked); },
    t: toggleTheme,
    "?": () => help.showModal(),
    Escape: () => {
      if (help.open) return help.close();
      choose(null);
      if (box.value) {
        box.value = "";
        search();
      } else if (top && zoomed !== top) {
        zoom(top);
      }
      box.blur();
    },
  };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.matches("input:not([type=checkbox]), select") && e.key !== "Escape") return;
    if (cursor && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
      const list = visible();
      const next = list[list.indexOf(cursor) + (e.key === "ArrowDown" ? 1 : -1)];
      e.preventDefault();
      if (next) choose(next);
    } else if (cursor && e.key === "Enter" && e.target === document.body || cursor && e.key === "Enter" && e.target.tagName === "SUMMARY") {
      const a = cursor.cells[cursor.cells.length - 1].querySelector("a");
      e.preventDefault();
      if (a) a.click();
    } else if (actions[e.key] && !(help.open && e.key !== "Escape")) {
      e.preventDefault();
      actions[e.key]();
    }
  });
  id("th").addEventListener("click", toggleTheme);
  id("hb").addEventListener("click", () => help.showModal());
  for (const button of all("button", help)) button.addEventListener("click", () => help.close());
})();
