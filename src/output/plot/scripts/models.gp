of(p, i, v) = column('panel') == p && column('series') == i && column('variant') == v ? column('x') : NaN
P = |panels|
rows = (P + columns - 1) / columns
span = (width - 70.0 - 14 - (columns - 1) * 52) / columns
high = (height - 84.0 - legend) / rows - 66
# Powers of two from the least to the most value, as many as there is room for.
doubles(least, most) = ceil(log(most / least) / log(2) - 1e-9)
every(least, most, room) = int(ceil(doubles(least, most) / (room < 1 ? 1.0 : room)))
low(least, pieces) = 2.0**(pieces * floor(log(least) / log(2) / pieces + 1e-9))
set label 100 note at screen 0.5, 1 - 14.0 / height center font small_font textcolor rgb '#505050'
set label 101 y_label at screen 14.0 / width, (legend + 50 + (height - 84.0 - legend) / 2) / height center rotate
set label 102 x_label at screen 0.5, (legend + 34.0) / height center
unset key
set multiplot
do for [p = 1:P] {
    x = 70.0 + ((p - 1) % columns) * (span + 52)
    y = height - 66 - ((p - 1) / columns) * (high + 66)
    set lmargin at screen x / width
    set rmargin at screen (x + span) / width
    set tmargin at screen y / height
    set bmargin at screen (y - high) / height
    set label 1 panels[p] at screen x / width, (y + 26) / height left font (columns > 1 ? small_font : '')
    set label 2 subtitles[p] at screen x / width, (y + 10) / height left font small_font textcolor rgb '#505050'
    unset logscale
    digits = strlen(sprintf('%g', x_most[p])) > strlen(sprintf('%g', x_least[p])) ? strlen(sprintf('%g', x_most[p])) \
        : strlen(sprintf('%g', x_least[p]))
    if (log_x[p]) {
        set logscale x 2
        wide = x_most[p] > x_least[p] ? (x_most[p] / x_least[p])**0.05 : 2
        set xrange [x_least[p] / wide:x_most[p] * wide]
        pieces = every(x_least[p], x_most[p], span / (9.0 * digits + 10))
        pieces = pieces > 0 ? pieces : 1
        set xtics low(x_least[p], pieces), 2**pieces
    } else {
        set xrange [0:1.06 * x_most[p]]
        set xtics 0, x_most[p] <= 4 ? 1 : x_most[p] <= 10 ? 2 : step(x_most[p], 5)
    }
    if (log_y[p]) {
        set logscale y y_base
        tall = y_most[p] > y_least[p] ? (y_most[p] / y_least[p])**0.05 : 2
        set yrange [y_least[p] / tall:y_most[p] * tall]
        if (y_base == 2) {
            pieces = every(y_least[p], y_most[p], high / 30)
            pieces = pieces > 0 ? pieces : 1
            set ytics low(y_least[p], pieces), 2**pieces
        } else { set ytics autofreq }
    } else {
        set yrange [0:1.08 * y_most[p]]
        set ytics 0, y_base == 2 && y_most[p] <= 10 && y_most[p] > 4 ? 2 : step(y_most[p], 5)
    }
    ideal = y_base == 2 ? "data using (of(p, 0, 0)):'y' with lines linewidth 1.2 linecolor rgb '#A0A0A0', " : ''
    points = measured ? ", for [i = 1:N] data using (of(p, i, 3)):'y' with points pointtype 6 pointsize 1.1 "\
        ."linewidth 1.4 linecolor rgb color(i)" : ''
    evaluate 'plot '.ideal."for [i = 1:N] data using (of(p, i, 2)):'y' with linespoints linewidth 1.4 dashtype 3 "\
        ."pointtype 7 pointsize 0.35 linecolor rgb color(i), "\
        ."for [i = 1:N] data using (of(p, i, 1)):'y' with linespoints linewidth 1.8 pointtype 7 pointsize 0.35 "\
        ."linecolor rgb color(i)".points
    do for [l = 100:102] { unset label l }
}
# The legend, as wide as the figure.
unset label
unset border
unset tics
unset grid
unset logscale
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen (legend + 10.0) / height
set xrange [0:1]
set yrange [0:1]
set key at screen 0.5, (legend + 10.0) / height center top horizontal Left reverse samplen 3 maxcols key_columns
points = measured ? ", NaN with points pointtype 6 pointsize 1.1 linewidth 1.4 linecolor rgb '#404040' title 'measured'" : ''
ideal = y_base == 2 ? ", NaN with lines linewidth 1.2 linecolor rgb '#A0A0A0' title 'ideal'" : ''
evaluate "plot for [i = 1:N] NaN with linespoints linewidth 1.8 pointtype 7 pointsize 0.35 linecolor rgb color(i) "\
    ."title series[i]".points.ideal
unset multiplot
