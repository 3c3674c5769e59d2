/* What charts share: a frame with axes that follows the width of the page, and a figure around it. */

const charts = []; /* all that are drawn again when the width or the colours change */

/* Adds an element with these attributes to an SVG selection. */
function put(parent, tag, attributes = {}) {
  const added = parent.append(tag);
  for (const [key, value] of Object.entries(attributes)) added.attr(key, value);
  return added;
}

/* label: what the figure shows, for those who do not see it. draw(svg, width) sets the height. */
function figure({label, caption, draw, behind, behindTitle = "Table of this figure"}) {
  const svg = d3.create("svg").attr("role", "img").attr("aria-label", label);
  const holder = make("div", {class: "chart"}, svg.node());
  const whole = make("figure", {}, holder);
  if (caption) whole.append(make("figcaption", {}, ...[].concat(caption)));
  if (behind) whole.append(tableBehind(behindTitle, behind));
  addChart(holder, (width) => {
    svg.selectAll("*").remove();
    draw(svg, width);
  });
  return whole;
}

function addChart(holder, draw) { charts.push({holder, draw, width: 0}); }

function drawCharts(all) {
  for (const chart of charts) {
    const width = Math.round(chart.holder.clientWidth);
    if (width > 0 && (all || chart.width !== width)) {
      chart.width = width;
      chart.draw(width);
    }
  }
}

function forgetCharts() { charts.length = 0; }

function frame(svg, width, height, margin) {
  svg.attr("viewBox", `0 0 ${width} ${height}`).attr("height", height);
  return {left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom};
}

function bottomAxis(svg, x, box, label, options = {}) {
  const ticks = options.ticks || Math.max(3, Math.floor((box.right - box.left) / 95));
  const axis = d3.axisBottom(x).ticks(ticks, options.format).tickSizeOuter(0).tickPadding(7).tickSizeInner(4);
  if (options.values) axis.tickValues(options.values);
  if (options.text) axis.tickFormat(options.text);
  put(svg, "g", {class: "axis", transform: `translate(0,${box.bottom})`}).call(axis);
  put(svg, "text", {x: box.right, y: box.bottom + 38, "text-anchor": "end"}).text(label);
}

function leftAxis(svg, y, box, label, options = {}) {
  const axis =
      d3.axisLeft(y)
          .ticks(options.ticks || Math.max(3, Math.floor((box.bottom - box.top) / 45)), options.format)
          .tickSize(-(box.right - box.left))
          .tickPadding(8);
  if (options.values) axis.tickValues(options.values);
  axis.tickFormat(options.text || ((v) => number(v, 4)));
  put(svg, "g", {class: "grid", transform: `translate(${box.left},0)`}).call(axis);
  put(svg, "text", {x: 0, y: box.top - 12}).text(label);
}

/* Room on the left for names of that many characters, at most a third of the width. */
function nameRoom(names, width) {
  const longest = names.reduce((most, text) => Math.max(most, name(text, 26).length), 0);
  return Math.min(Math.max(60, 24 + longest * 7), Math.round(width * 0.4));
}

/* A name at an axis; of one that is cut the whole is its tip. */
function fitName(label, text, room) {
  const shown = name(text, Math.max(4, Math.floor((room - 18) / 6.8))), whole = name(text, 400);
  label.text(shown);
  if (shown !== whole) label.append("title").text(whole);
}

/* Time as the run counts it, in the unit that suits the span; by the calendar if the instant of 0 is known. */
function timeAxis(span) {
  const s = scale("s", span), date = (v) => new Date((view.start + v) * 1000), clock = d3.utcFormat(span < 900 ? "%H:%M:%S" : "%H:%M");
  return view.start === null ? {
    label: `time since the start of the run (${s.unit})`,
    text: (v) => number(v * s.factor, 7),
    word: (v) => `${number(v * s.factor, 6)} ${s.unit}`,
    ticks: (from, to, count) => d3.ticks(from * s.factor, to * s.factor, count).map((v) => v / s.factor)
  } : {
    label: `time (UTC), from ${d3.utcFormat("%Y-%m-%d %H:%M")(date(0))} on`,
    text: (v) => date(v) % 864e5 === 0 ? d3.utcFormat("%b %d")(date(v)) : clock(date(v)),
    word: (v) => d3.utcFormat("%Y-%m-%d %H:%M:%S")(date(v)),
    ticks: (from, to, count) => d3.scaleUtc().domain([date(from), date(to)]).ticks(count).map((t) => t / 1000 - view.start)
  };
}

/* Decades that a logarithmic axis marks; few of them get their halves too. */
function logTicks(scaleOf) {
  const [low, high] = scaleOf.domain(), decades = Math.log10(high / low);
  const steps = decades > 3.2 ? [1] : decades > 1.4 ? [1, 3] : [1, 2, 3, 5, 7];
  const all = [];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++)
    for (const s of steps) {
      const v = s * 10 ** p;
      if (v >= low * 0.999 && v <= high * 1.001) all.push(v);
    }
  return all;
}

/* Makes a mark a stop of the tab key, with a tip for pointer and keyboard. */
function withTip(selection, label, content) {
  selection.attr("tabindex", 0)
      .attr("role", "img")
      .attr("aria-label", label)
      .on("pointermove", function(d) { showTip(d3.event.clientX, d3.event.clientY, ...content(d)); })
      .on("pointerleave", hideTip)
      .on("focus",
          function(d) {
            const box = this.getBoundingClientRect();
            showTip(box.right, box.top, ...content(d));
          })
      .on("blur", hideTip);
}
