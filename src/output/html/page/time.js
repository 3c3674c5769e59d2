/* One stretch of time for the charts of power, GPUs and heat: they zoom and move together. */

const MARGIN = {
  left: 62,
  right: 16,
  top: 26,
  bottom: 44
};
const MOST_ZOOM = 20000;
const view = {
  transform: d3.zoomIdentity,
  followers: [],
  end: 1,
  start: null /* of 0, in seconds since 1970 */
};

function viewScale(width) { return view.transform.rescaleX(d3.scaleLinear().domain([0, view.end]).range([MARGIN.left, width - MARGIN.right])); }

function viewSpan() {
  const [from, to] = viewScale(view.width || 1000).domain(); /* the transform is in pixels of that width */
  return [Math.max(0, from), Math.min(view.end, to)];
}

/* A transform is in pixels of charts of one width: all of them have the width of the page. */
function follow(surface, redraw) {
  const zoom = d3.zoom().scaleExtent([1, MOST_ZOOM]);
  const follower = {surface, redraw, zoom};
  zoom.filter(() => {
    const e = d3.event;
    return e.type === "wheel" ? e.ctrlKey || e.metaKey || document.activeElement === surface : e.type.startsWith("touch") ? e.touches.length > 1 : !e.button;
  });
  zoom.on("zoom", () => {
    if (d3.event.sourceEvent) setView(d3.event.transform);
  });
  d3.select(surface).call(zoom).on("dblclick.zoom", () => zoomBy(d3.event.shiftKey ? 0.5 : 2, d3.mouse(surface)[0] + MARGIN.left));
  view.followers.push(follower);
  return follower;
}

/* After the width of a chart has changed. */
function placeFollower(follower, width, height) {
  const plot = Math.max(10, width - MARGIN.left - MARGIN.right);
  if (view.width && view.width !== width) {
    const old = view.width - MARGIN.left - MARGIN.right, k = view.transform.k;
    view.transform = d3.zoomIdentity.translate((view.transform.x + MARGIN.left * (k - 1)) * plot / old - MARGIN.left * (k - 1), 0).scale(k);
  }
  view.width = width;
  follower.zoom.extent([[MARGIN.left, 0], [MARGIN.left + plot, height]]).translateExtent([[MARGIN.left, 0], [MARGIN.left + plot, height]]);
  follower.surface.__zoom = view.transform;
}

let waiting = false;
function setView(transform) {
  const width = view.width || 1000, low = MARGIN.left, high = width - MARGIN.right, k = Math.min(MOST_ZOOM, Math.max(1, transform.k));
  const x = Math.min(low - low * k, Math.max(high - high * k, transform.x)); /* the ends of the run stay outside */
  view.transform = d3.zoomIdentity.translate(x, 0).scale(k);
  for (const f of view.followers) f.surface.__zoom = view.transform;
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    for (const f of view.followers) f.redraw();
    sayView();
  });
}

function zoomBy(factor, center) {
  const width = view.width || 1000, at = center || (MARGIN.left + width - MARGIN.right) / 2, t = view.transform;
  const k = Math.min(MOST_ZOOM, Math.max(1, t.k * factor)), real = k / t.k;
  setView(d3.zoomIdentity.translate(at - (at - t.x) * real, 0).scale(k));
}

function panBy(share) {
  const plot = (view.width || 1000) - MARGIN.left - MARGIN.right;
  setView(d3.zoomIdentity.translate(view.transform.x - share * plot, 0).scale(view.transform.k));
}

const wholeView = () => setView(d3.zoomIdentity);

function viewWords() {
  const [from, to] = viewSpan();
  return view.transform.k <= 1.0001 ? `the whole run, ${seconds(view.end)}` : `${timeText(from)} to ${timeText(to)} of ${seconds(view.end)}`;
}

function sayView() {
  for (const place of document.querySelectorAll(".shown-time")) place.textContent = "Shown: " + viewWords();
  clearTimeout(view.said);
  view.said = setTimeout(() => announce("Shown: " + viewWords()), 400);
}

function timeTools(label) {
  const button = (text, words, act) => make("button", {type: "button", "aria-label": words, title: words, onclick: act}, text);
  return make("div", {class: "tools", role: "group", "aria-label": label},
      make("span", {class: "buttons"}, button("\u2212", "zoom out", () => zoomBy(0.5)), button("+", "zoom in", () => zoomBy(2)),
          button("\u2190", "earlier", () => panBy(-0.4)), button("\u2192", "later", () => panBy(0.4)), button("whole run", "show the whole run", wholeView)),
      make("span", {class: "shown-time"}, "Shown: " + viewWords()));
}

/* Keys on a chart; others(event) handles those that only this chart knows. */
function timeKeys(surface, others) {
  surface.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      "+": () => zoomBy(2),
      "=": () => zoomBy(2),
      "-": () => zoomBy(0.5),
      "ArrowLeft": () => panBy(-0.2),
      "ArrowRight": () => panBy(0.2),
      "0": wholeView,
      "Home": () => panBy(-1e9),
      "End": () => panBy(1e9)
    };
    if (acts[event.key])
      acts[event.key]();
    else if (!others || !others(event))
      return;
    event.preventDefault();
  });
}

/* A chart over time: axes as SVG, a canvas or SVG plot under a surface that takes pointer and keys.
   plot(context): context has svg, canvas, x, box, width, height. */
function timeChart({label, height, plot, hover, keys, onCanvas}) {
  const svg = d3.create("svg").attr("aria-hidden", "true");
  const canvas = onCanvas ? make("canvas", {"aria-hidden": "true"}) : null;
  const surface = make("div", {class: "surface", tabindex: 0, role: "group", "aria-roledescription": "chart", "aria-label": label});
  const holder = make("div", {class: "chart"}, ...[canvas, svg.node(), surface].filter(Boolean));
  const context = {svg, canvas, surface, width: 0};
  const redraw = () => {
    if (context.width === 0) return;
    const high = typeof height === "function" ? height(context.width) : height;
    context.box = {left: MARGIN.left, right: context.width - MARGIN.right, top: onCanvas ? 4 : MARGIN.top, bottom: high - MARGIN.bottom};
    context.height = high;
    svg.attr("viewBox", `0 0 ${context.width} ${high}`).attr("height", high).selectAll("*").remove();
    context.x = viewScale(context.width);
    const box = context.box;
    for (const e of [canvas, surface].filter(Boolean))
      Object.assign(e.style, {
        left: `${e === surface ? 0 : box.left}px`,
        top: `${box.top}px`,
        width: `${(e === surface ? context.width : box.right - box.left)}px`,
        height: `${box.bottom - box.top}px`
      });
    plot(context);
    const [from, to] = context.x.domain(), axis = timeAxis(view.start === null ? view.end : to - from);
    bottomAxis(svg, context.x, box, axis.label, {values: axis.ticks(from, to, Math.max(3, Math.floor(context.width / 110))), text: axis.text});
  };
  const follower = follow(surface, redraw);
  addChart(holder, (width) => {
    context.width = width;
    placeFollower(follower, width, 100);
    redraw();
  });
  timeKeys(surface, keys && ((event) => keys(event, context)));
  if (hover) {
    surface.addEventListener("pointermove", (event) => {
      const place = surface.getBoundingClientRect();
      const x = event.clientX - place.left, y = event.clientY - place.top;
      if (event.buttons || x < context.box.left || x > context.box.right) return hideTip();
      const content = hover(context.x.invert(x), x - context.box.left, y, context);
      if (content)
        showTip(event.clientX, event.clientY, ...content);
      else
        hideTip();
    });
    surface.addEventListener("pointerleave", hideTip);
    surface.addEventListener("blur", hideTip);
  }
  context.redraw = redraw;
  return {holder, context};
}

const timeText = (at) => timeAxis(view.end).word(at);
