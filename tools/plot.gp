# Draws figures from the CSV files of finished runs, as SVG and as PNG:
#   energy_jct   energy against mean job completion time, a point per policy, bars = 95 % intervals of the means
#   power        cluster power over time, a panel per policy: replication 1, with the cap where there is one
#
# Usage: gnuplot -e "dirs='out/zeus out/pollux'; out='figures'" tools/plot.gp
#   dirs   run folders, one per policy, 1..10, separated by blanks (no blanks inside a name); each holds
#          aggregate.csv (policy,metric,n,mean,sd,ci95) and power.csv (policy,replication,time_s,power_w,...,cap_w)
#   out    folder of the figures, made if missing; default "figures"
# A folder without power.csv, or with an empty one, is left out of the power figure. Ends with status 2 if something
# else is missing.
# Needs gnuplot 5.4 with the pngcairo and svg terminals.

set encoding utf8
unset key
set print "-"
usage = "usage: gnuplot -e \"dirs='out/zeus out/pollux'; out='figures'\" tools/plot.gp"
if (!exists("dirs")) { printerr usage; exit status 2 }
if (!exists("out")) { out = "figures" }
N = words(dirs)
if (N < 1 || N > 10) { printerr sprintf("plot.gp: expected 1 to 10 folders in dirs, got %d", N); exit status 2 }
system(sprintf("mkdir -p -- '%s'", out))
if (system(sprintf("test -w '%s' && echo y", out)) ne "y") { printerr "plot.gp: cannot write to ".out; exit status 2 }

readable(name) = system(sprintf("test -r '%s' && echo y", name)) eq "y"
larger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b
# A step of 1, 2 or 5 times a power of ten that cuts span into at most n pieces.
nice(span, n) = (p10 = 10.0**floor(log10(1.0 * span / n)), m10 = 1.0 * span / n / p10, \
    p10 * (m10 <= 1 ? 1 : m10 <= 2 ? 2 : m10 <= 5 ? 5 : 10))

# Okabe and Ito's palette without its yellow (too pale on white) and black (the cap's), with the grey of R's version;
# the open shapes tell apart the colours used twice.
array colour[10] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C", \
                    "#0072B2", "#D55E00", "#009E73"]
array shape[10] = [7, 5, 9, 11, 13, 15, 7, 6, 4, 8]

set datafile separator ","
set border 3 linewidth 1 linecolor rgb "#404040"
set tics nomirror out scale 0.6 textcolor rgb "#202020"
set format "%g"
set grid linetype 1 linecolor rgb "#E4E4E4" linewidth 0.8

# ---- reading ----------------------------------------------------------------------------------------------------

array name[N]; array energy[N]; array energy_ci[N]; array jct[N]; array jct_ci[N]; array has_power[N]
n_least = 1e9; n_most = 0; n_power = 0; n_cap = 0; t_most = 0; w_most = 0
do for [i = 1:N] {
    file = word(dirs, i)."/aggregate.csv"
    if (!readable(file)) { printerr "plot.gp: cannot read ".file; exit status 2 }
    found = 0
    # Each row gives 0, so that no row is bad data; what is wanted is assigned on the way. Times in hours.
    stats file skip 1 using (\
        strcol(2) eq "energy_kwh" ? (found = found + 1, name[i] = strcol(1), energy[i] = column(4), \
            energy_ci[i] = valid(6) ? column(6) : 0, n_least = smaller(n_least, column(3)), \
            n_most = larger(n_most, column(3)), 0) : \
        strcol(2) eq "jct_mean_s" ? (found = found + 1, jct[i] = column(4) / 3600, \
            jct_ci[i] = valid(6) ? column(6) / 3600 : 0, 0) : 0) nooutput
    if (found != 2 || !(energy[i] >= 0) || !(jct[i] >= 0)) {
        printerr "plot.gp: ".file.": expected one row each of energy_kwh and jct_mean_s with a mean"; exit status 2
    }
    file = word(dirs, i)."/power.csv"
    rows = 0
    if (readable(file)) {
        stats file skip 1 using (column(2) != 1 ? 0 : (rows = rows + 1, \
            t_most = larger(t_most, column(3) / 3600), w_most = larger(w_most, column(4) / 1000), \
            valid(8) ? (n_cap = n_cap + 1, w_most = larger(w_most, column(8) / 1000)) : 0, 0)) nooutput
    }
    has_power[i] = rows > 0
    n_power = n_power + has_power[i]
    if (!has_power[i]) { printerr "plot.gp: no rows of replication 1 in ".file.", left out of the power figure" }
}

# ---- energy against completion time -----------------------------------------------------------------------------

width = 900.0; height = 620.0; left = 84.0; right = 30.0; bottom = 72.0; top = 56.0; glyph = 9.4; line = 19.0

x_low = jct[1]; x_high = jct[1]; y_low = energy[1]; y_high = energy[1]
do for [i = 1:N] {
    x_low = smaller(x_low, jct[i] - jct_ci[i]); x_high = larger(x_high, jct[i] + jct_ci[i])
    y_low = smaller(y_low, energy[i] - energy_ci[i]); y_high = larger(y_high, energy[i] + energy_ci[i])
}
pad(low, high) = high > low ? 0.14 * (high - low) : high > 0 ? 0.2 * high : 1
x_pad = pad(x_low, x_high); y_pad = pad(y_low, y_high)
x_low = larger(0, x_low - x_pad); x_high = x_high + x_pad
y_low = larger(0, y_low - y_pad); y_high = y_high + y_pad
pixel_x(x) = left + (x - x_low) / (x_high - x_low) * (width - left - right)
pixel_y(y) = bottom + (y - y_low) / (y_high - y_low) * (height - bottom - top)

# Each name goes to the cheapest of 24 places around its point: 8 directions (corners first: bars run along the
# axes) at 3 distances; a place costs by what its box covers: names placed before, points, bars, the frame.
array direction_x[8] = [1, 1, -1, -1, 1, -1, 0, 0]
array direction_y[8] = [1, -1, 1, -1, 0, 0, 1, -1]
array label_x[N]; array label_y[N]
covers(ax, ay, aw, ah, bx, by, bw, bh) = 2 * abs(ax - bx) < aw + bw && 2 * abs(ay - by) < ah + bh
do for [i = 1:N] {
    w = glyph * strlen(name[i]); cheapest = 1e9
    do for [distance = 1:3] {
        do for [d = 1:8] {
            gap = 9.0 * distance
            x = pixel_x(jct[i]) + direction_x[d] * (w / 2 + (direction_y[d] == 0 ? gap + 2 : gap))
            y = pixel_y(energy[i]) + direction_y[d] * (line / 2 + (direction_x[d] == 0 ? gap : gap - 4))
            cost = 0.6 * (distance - 1) + 0.02 * d
            if (x - w / 2 < left + 2 || x + w / 2 > width - 4 || y - line / 2 < bottom + 2 || \
                y + line / 2 > height - top) {
                cost = cost + 40
            }
            do for [j = 1:N] {
                px = pixel_x(jct[j]); py = pixel_y(energy[j])
                bw = 2 * (pixel_x(jct[j] + jct_ci[j]) - px); bh = 2 * (pixel_y(energy[j] + energy_ci[j]) - py)
                if (covers(x, y, w, line, px, py, 16, 16)) { cost = cost + 12 }
                if (bw > 0 && covers(x, y, w, line, px, py, bw, 3)) { cost = cost + 2 }
                if (bh > 0 && covers(x, y, w, line, px, py, 3, bh)) { cost = cost + 2 }
                if (j < i) {
                    bw = glyph * strlen(name[j])
                    if (covers(x, y, w + 4, line, label_x[j], label_y[j], bw, line)) { cost = cost + 15 }
                }
            }
            if (cost < cheapest) { cheapest = cost; label_x[i] = x; label_y[i] = y }
        }
    }
}

set print $points
do for [i = 1:N] { print sprintf("%.17g,%.17g,%.17g,%.17g", jct[i], energy[i], jct_ci[i], energy_ci[i]) }
set print "-"

runs = n_least == n_most ? sprintf("%d", n_most) : sprintf("%d to %d", n_least, n_most)
runs = n_most < 2 ? "one run, no interval" : "bars: 95 % interval of the mean over ".runs." runs"
look = 'font "sans-serif,%d" noenhanced background "#FFFFFF"'
svg_look = sprintf(look, 16)
png_look = sprintf(look, 12)." fontscale 2 linewidth 2 pointscale 2"
do for [format in "svg png"] {
    if (format eq "svg") { set terminal svg size width,height name "energy_jct" @svg_look } \
    else { set terminal pngcairo size 2*width,2*height @png_look }
    set output out."/energy_jct.".format
    set lmargin at screen left / width; set rmargin at screen 1 - right / width
    set bmargin at screen bottom / height; set tmargin at screen 1 - top / height
    set xrange [x_low:x_high]; set yrange [y_low:y_high]
    set xtics nice(x_high - x_low, 10); set ytics nice(y_high - y_low, 8)
    set label 101 "Mean job completion time (h)" at screen 0.5 + 0.5 * (left - right) / width, 20 / height center
    set label 102 "Energy (kWh)" at screen 24 / width, 0.5 + 0.5 * (bottom - top) / height center rotate
    set label 100 runs at screen 1 - right / width, 1 - 26 / height right textcolor rgb "#505050"
    do for [i = 1:N] { set label i name[i] at screen label_x[i] / width, label_y[i] / height center front }
    plot for [i = 1:N] $points every ::(i - 1)::(i - 1) using (jct_ci[i] > 0 ? $1 : NaN):2:3 \
             with xerrorbars pointtype -1 linewidth 1.6 linecolor rgb colour[i], \
         for [i = 1:N] $points every ::(i - 1)::(i - 1) using (energy_ci[i] > 0 ? $1 : NaN):2:4 \
             with yerrorbars pointtype -1 linewidth 1.6 linecolor rgb colour[i], \
         for [i = 1:N] $points every ::(i - 1)::(i - 1) using 1:2 \
             with points pointtype shape[i] pointsize 1.5 linewidth 1.6 linecolor rgb colour[i]
    unset label
    set output
}

# ---- power over time --------------------------------------------------------------------------------------------

if (n_power == 0) { printerr "plot.gp: no power figure"; exit status 0 }
panel = n_power == 1 ? 380.0 : n_power <= 3 ? 190.0 : 130.0
gap = 34.0; top = 46.0
height = top + n_power * panel + (n_power - 1) * gap + bottom
w_most = w_most > 0 ? 1.06 * w_most : 1
t_most = t_most > 0 ? t_most : 1
do for [format in "svg png"] {
    if (format eq "svg") { set terminal svg size width,height name "power" @svg_look } \
    else { set terminal pngcairo size 2*width,2*height @png_look }
    set output out."/power.".format
    set multiplot
    set lmargin at screen left / width; set rmargin at screen 1 - right / width
    set xrange [0:t_most]; set yrange [0:w_most]
    set xtics nice(t_most, 10); set ytics nice(w_most, panel > 300 ? 8 : 4)
    set label 100 "Cluster power (kW)" at screen 24 / width, 0.5 + 0.5 * (bottom - top) / height center rotate
    set label 101 "replication 1" at screen 1 - right / width, 1 - 20 / height right textcolor rgb "#505050"
    set label 102 "Time (h)" at screen 0.5 + 0.5 * (left - right) / width, 20 / height center
    if (n_cap > 0) {
        x = 1 - (right + 256) / width; y = 1 - 20 / height
        set label 103 "power cap" at screen x + 38 / width, y left textcolor rgb "#505050"
        set arrow 1 from screen x, y to screen x + 30 / width, y nohead linewidth 1.8 linecolor rgb "#000000"
    }
    drawn = 0
    do for [i = 1:N] {
        if (has_power[i]) {
            y = height - top - drawn * (panel + gap)
            set tmargin at screen y / height; set bmargin at screen (y - panel) / height
            drawn = drawn + 1
            if (drawn == n_power) { set format x "%g" } else { set format x "" }
            set label 1 name[i] at screen left / width, (y + 12) / height left
            file = word(dirs, i)."/power.csv"
            plot file skip 1 using (column(2) == 1 ? column(3) / 3600 : NaN):(column(4) / 1000) \
                     with steps linewidth 1.2 linecolor rgb colour[i], \
                 file skip 1 using (column(2) == 1 && valid(8) ? column(3) / 3600 : NaN):(column(8) / 1000) \
                     with steps linewidth 1.8 linecolor rgb "#000000"
            do for [l = 100:103] { unset label l }
            unset arrow
        }
    }
    unset multiplot
    unset label
    set output
}
