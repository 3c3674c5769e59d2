/* Elements, tables, the tip. Text comes in as text nodes only, never as markup. */

const $ = (id) => document.getElementById(id);
const reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on"))
      element.addEventListener(key.slice(2), value);
    else if (value === true)
      element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(key, value);
  element.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return element;
}

/* A name that somebody wrote: kept apart from the direction of the text around it. */
function bdi(text, most = 80) {
  const whole = name(text, 400), shown = name(text, most);
  return make("bdi", {title: whole === shown ? null : whole, class: shown.length < 20 ? "short" : null}, shown);
}

const MOST_HIGH = 384; /* pixels of a table that scrolls: 24rem of style.css */

/* columns: [{title, unit, number, cell(item)}]; a cell is text, a number or an element. item: of a row of the table. */
function table({caption, columns, rows, item = (row) => row, most = 200, chosen, tall}) {
  const head = make("tr", {}, ...columns.map((c) => {
    const th = make("th", {scope: "col", class: c.number ? "number" : null}, c.title);
    if (c.unit) th.append(make("br"), make("span", {class: "unit"}, c.unit));
    return th;
  }));
  const body = rows.slice(0, most).map(item).map((row) => make("tr", {class: chosen && chosen(row) ? "chosen" : null}, ...columns.map((c, i) => {
    const cell = c.cell(row);
    const content = typeof cell === "number" ? number(cell) : cell === null || cell === undefined ? "\u2013" : cell;
    return make(i === 0 ? "th" : "td", {scope: i === 0 ? "row" : null, class: c.number ? "number" : c.wide ? "wide" : null}, content);
  })));
  const left = rows.length - body.length;
  const whole = make("table", {}, make("caption", {}, make("span", {}, caption + (left > 0 ? ` (the first ${most} of ${rows.length} rows)` : ""))),
      make("thead", {}, head), make("tbody", {}, ...body));
  const high = tall || body.length > 16, below = high && body.length > 3 ? make("p", {class: "more"}, `${body.length} rows: scroll the table \u2193`) : "";
  const region = make("div", {class: high ? "scroll tall" : "scroll", tabindex: 0, role: "region", "aria-label": caption}, whole);
  const cue = make("p", {class: "cue", hidden: true}, "The table is wider than the page: scroll it sideways \u2192");
  const watch = new ResizeObserver(() => {
    cue.hidden = region.scrollWidth <= region.clientWidth + 1;
    if (!below) return;
    const ends = body.map((row) => row.offsetTop + row.offsetHeight + whole.offsetTop), last = ends.filter((end) => end <= MOST_HIGH).pop();
    below.hidden = ends[ends.length - 1] <= MOST_HIGH;
    region.style.maxHeight = below.hidden || !last ? null : `${last + region.offsetHeight - region.clientHeight}px`; /* no row is cut */
  });
  [region, whole].forEach((e) => watch.observe(e));
  explain(whole);
  return make("div", {}, cue, region, below);
}

const text = (title, cell, unit) => ({title, cell, unit});
const num = (title, cell, unit) => ({title, cell, unit, number: true});

/* The table behind a figure, made when it is asked for. */
function tableBehind(title, makeTable) {
  const holder = make("details", {}, make("summary", {}, title));
  holder.addEventListener("toggle", () => {
    if (holder.open) holder.replaceChildren(holder.firstChild, makeTable());
  });
  return holder;
}

function absent(text) { return make("p", {class: "absent"}, text); }

/* pairs: [[term, text or element]] */
function definitions(pairs) {
  return make("dl", {},
      ...pairs.filter((p) => p[1] !== null && p[1] !== undefined && p[1] !== "").flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]));
}

function showTip(x, y, ...content) {
  const tip = $("tip");
  tip.replaceChildren(...content);
  tip.hidden = false;
  const room = document.documentElement.clientWidth;
  const left = Math.min(x + 14, room - tip.offsetWidth - 8);
  const below = y + 16 + tip.offsetHeight < innerHeight;
  tip.style.left = `${Math.max(8, left) + scrollX}px`;
  tip.style.top = `${(below ? y + 16 : Math.max(4, y - tip.offsetHeight - 12)) + scrollY}px`;
}

function hideTip() { $("tip").hidden = true; }

function announce(text) { $("announce").textContent = text; }

function select(label, choices, value, onchange) {
  const box = make("select", {}, ...choices.map(([key, text]) => make("option", {value: key, selected: key === value}, name(text, 60))));
  box.addEventListener("change", () => onchange(box.value));
  return make("label", {}, label + " ", box);
}

const chooser = (...choice) => make("div", {class: "tools"}, select(...choice));

/* The colour behind a property of the style sheet, for canvases. */
function color(property) { return getComputedStyle(document.documentElement).getPropertyValue(property).trim(); }

function rgb(property) {
  const c = d3.rgb(color(property));
  return [c.r, c.g, c.b];
}

function swatch(fill, line) {
  return make("span",
      {class: line ? "swatch line" : "swatch", style: line ? `border-color:${fill};border-top-style:${line}` : `background:${fill}`, "aria-hidden": "true"});
}

function legend(entries) { return make("ul", {class: "legend"}, ...entries.map(([fill, text, line]) => make("li", {title: name(text, 400)}, swatch(fill, line), bdi(text, 40)))); }
