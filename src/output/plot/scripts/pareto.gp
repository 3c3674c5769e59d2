of(k) = column('series') == k ? column('x') : NaN
set title note font small_font textcolor rgb '#505050'
set xlabel x_label
set ylabel y_label
do for [axis = 2:3] {
    stats data skip 1 using (column(axis) - column(axis + 2)) nooutput
    low = STATS_min
    stats data skip 1 using (column(axis) + column(axis + 2)) nooutput
    span = STATS_max > low ? STATS_max - low : STATS_max == 0 ? 1 : abs(STATS_max)
    if (axis == 2) {
        x_low = low
        x_span = span
    }
}
set xrange [x_low - 0.06 * x_span:x_low + 1.06 * x_span]
set xtics step(1.12 * x_span, 6)
set yrange [low - 0.06 * span:low + 1.06 * span]
set ytics step(1.12 * span, 8)
set bmargin at screen (legend + 64.0) / height
set key at screen 0.5, (legend + 10.0) / height center top horizontal Left reverse samplen 1.5 maxcols key_columns
line = front ? "data using (of(0)):'y' with steps linewidth 1.2 linecolor rgb '#A0A0A0' title 'front', " : ''
evaluate 'plot '.line."for [k = 1:N] data using (of(k)):'y':'x_ci95':'y_ci95' with xyerrorbars linestyle style[k] dashtype 1 title series[k]"
