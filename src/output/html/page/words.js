/* Numbers, units and names as people read them. */

const THIN = "\u202f";

/* A number with so many significant digits and thin spaces between thousands. */
function number(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e").replace("-", "\u2212");
  const decimals = Math.min(12, Math.max(0, digits - 1 - Math.floor(Math.log10(size) + 1e-12)));
  const [whole, part] = size.toFixed(decimals).split(".");
  const kept = part ? part.replace(/0+$/, "") : "";
  return (value < 0 ? "\u2212" : "") + thousands(whole) + (kept ? "." + kept : "");
}

/* In a column of one unit: what is next to nothing beside the largest value is told as that. */
function plainNumber(value, most) { return value !== 0 && Math.abs(value) < 1e-6 * most ? "\u2248 0" : number(value); }

function thousands(digits) { return digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, THIN) : digits; }

/* From the unit of a file to the one that is shown for values from `least` on. */
const SCALES = {
  "s": [[0, "s", 1], [180, "min", 1 / 60], [7200, "h", 1 / 3600], [3 * 86400, "d", 1 / 86400]],
  "W": [[0, "W", 1], [2000, "kW", 1e-3], [2e6, "MW", 1e-6]],
  "J": [[0, "J", 1], [2000, "kJ", 1e-3], [1e6, "kWh", 1 / 3.6e6], [1e10, "MWh", 1 / 3.6e9]],
  "kWh": [[0, "Wh", 1000], [0.5, "kWh", 1], [5000, "MWh", 1e-3], [5e6, "GWh", 1e-6]],
  "J s": [[0, "J s", 1], [1e6, "MJ s", 1e-6], [1e9, "GJ s", 1e-9], [1e12, "TJ s", 1e-12]],
  "GPU s": [[0, "GPU h", 1 / 3600]],
  "kg": [[0, "g", 1000], [0.5, "kg", 1], [5000, "t", 1e-3]],
  "share": [[0, "%", 100]],
  "currency of the prices": [[0, "(currency of the prices)", 1]],
};

function scale(unit, most) {
  let found = [0, unit, 1];
  for (const step of SCALES[unit] || [])
    if (Math.abs(most) >= step[0]) found = step;
  return {unit: found[1], factor: found[2]};
}

/* "1.23 h" */
function quantity(value, unit, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u2013";
  const s = scale(unit, value === 0 ? (unit === "kWh" || unit === "kg" ? 1 : 0) : value);
  const text = number(value * s.factor, digits);
  return s.unit ? text + "\u00a0" + s.unit : text;
}

const seconds = (value) => quantity(value, "s", 3);

function metricUnit(name) { return DATA.metrics[name] ? DATA.metrics[name].unit : ""; }

function metricLabel(name) {
  const m = DATA.metrics[name];
  return m ? m.label : name;
}

/* A mean and half of its interval: the half with two digits, the mean with as many decimals. What
   is smaller than the last digits of a double is no interval. */
function pair(mean, half) {
  if (half === null || half === undefined || half <= 1e-9 * Math.abs(mean)) return [number(mean), null];
  const decimals = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(half))));
  if (Math.abs(mean) >= 1e15 || Math.abs(mean) < 1e-4 || decimals > 6) return [number(mean), number(half, 2)];
  const [whole, part] = Math.abs(mean).toFixed(decimals).split(".");
  return [(mean < 0 ? "\u2212" : "") + thousands(whole) + (part ? "." + part : ""), number(half, 2)];
}

function scaleOf(metric, mean) { return scale(metricUnit(metric), mean || (metricUnit(metric) === "kWh" ? 1 : 0)); }

/* Means with the half width of their 95 % interval in the unit that suits the mean. */
function estimateParts(metric, e) {
  const s = scaleOf(metric, e.mean), [mean, half] = pair(e.mean * s.factor, e.ci95 === null ? null : e.ci95 * s.factor);
  return {
    value: mean,
    unit: s.unit,
    interval: e.ci95 === null ? "one replication: no interval" :
        half === null         ? `the same in all ${e.n} replications` :
                                `\u00b1\u00a0${half} (95 %, n = ${e.n})`,
  };
}

/* "34.3 ± 2.4 min" */
function estimateText(metric, e, s = null) {
  if (!e || e.mean === null) return "\u2013";
  const own = s || scaleOf(metric, e.mean), [mean, half] = pair(e.mean * own.factor, e.ci95 === null ? null : e.ci95 * own.factor);
  return `${mean}${half === null ? "" : `\u00a0\u00b1\u00a0${half}`}${own.unit && !s ? "\u00a0" + own.unit : ""}`;
}

/* Of what is next to nothing no digits are told. */
const percent = (share, digits = 3) => share !== 0 && Math.abs(share) < 1e-5 ? "< 0.001\u00a0%" : plainPercent(share, digits);
const plainPercent = (share, digits = 3) => number(100 * share, digits) + "\u00a0%";
const plural = (count, one, many) => `${number(count, 15)} ${count === 1 ? one : many}`;

/* What others wrote, made visible: control characters and marks that turn the direction of text
   stand as signs; long names lose their end. */
function name(text, most = 80) {
  let out = "";
  for (const c of String(text === null || text === undefined ? "" : text)) {
    const point = c.codePointAt(0);
    if (out.length >= most) return out + "\u2026";
    if (point < 32)
      out += String.fromCodePoint(0x2400 + point);
    else if (point === 127)
      out += "\u2421";
    else if ((point >= 0x80 && point < 0xa0) || (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
        (point >= 0x2066 && point <= 0x2069) || point === 0xfeff)
      out += "\u27e8" + point.toString(16).toUpperCase().padStart(4, "0") + "\u27e9";
    else
      out += c;
  }
  return out;
}
