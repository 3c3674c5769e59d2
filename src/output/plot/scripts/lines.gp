of(p, k) = column('panel') == p && column('line') == k ? beside(column('x'), k) : NaN
mean(p) = column('panel') == p ? column('mean') : NaN
open(p) = column('panel') == p && column('warned') > 0 ? column('mean') : NaN
P = |y_labels|
panel = (height - 104.0 - held_height - legend) / P - 30
set lmargin at screen 74.0 / width
set rmargin at screen 1 - 20.0 / width
stats data skip 1 using 3 nooutput
low = STATS_min
high = STATS_max
if (log_x) { set logscale x 10 } else { set xtics step(high > low ? high - low : 1, 5) }
# Lines stand beside each other a little, so that their bars do not hide each other.
beside(x, k) = log_x ? x * (high / low)**(0.008 * (k - (N + 1) / 2.0)) : x + (high - low) * 0.008 * (k - (N + 1) / 2.0)
margin = 0.02 + 0.004 * N
left = log_x ? low * (low / high)**margin : low - (high > low ? margin * (high - low) : 1)
right = log_x ? high * (high / low)**margin : high + (high > low ? margin * (high - low) : 1)
set label 100 note at screen 0.5, 1 - 14.0 / height center font small_font textcolor rgb '#505050'
if (held_height) {
    set label 101 held at screen 0.5, 1 - 30.0 / height center font small_font textcolor rgb '#505050'
}
set multiplot
do for [p = 1:P] {
    y = height - 50 - held_height - (p - 1) * (panel + 30)
    set tmargin at screen y / height
    set bmargin at screen (y - panel) / height
    set autoscale
    stats data skip 1 using (column(1) == p ? (band ? column(8) : column(4) - column(5)) : NaN) nooutput
    bottom = STATS_min
    stats data skip 1 using (column(1) == p ? (band ? column(9) : column(4) + column(5)) : NaN) nooutput
    rise = STATS_max > bottom ? STATS_max - bottom : STATS_max == 0 ? 1 : abs(STATS_max)
    set xrange [left:right]
    set yrange [bottom - 0.06 * rise:bottom + 1.06 * rise]
    set ytics step(1.12 * rise, 6)
    set label 1 y_labels[p] at screen 74.0 / width, (y + 11) / height left
    if (p == P) {
        set format x '%g'
        set xlabel x_label
        if (by ne '') {
            set key at screen 0.5, (legend + 24.0) / height center top horizontal Left reverse samplen 3 maxcols key_columns title by
        } else { unset key }
    } else { set format x ''; unset key }
    shade = band ? "data using (of(p, 1)):'low':'high' with filledcurves fillcolor rgb '#C4DDEE' title '10 to 90 %', " : ''
    bars = band ? '' : "for [k = 1:N] data using (of(p, k)):(mean(p)):'ci95' with yerrorbars linestyle k dashtype 1 pointtype -1 notitle, "
    marks = band ? '' : ", for [k = 1:N] data using (of(p, k)):(open(p)) with points pointtype 7 pointsize 0.45 linecolor rgb 'white' notitle"
    evaluate 'plot '.shade.bars."for [k = 1:N] data using (of(p, k)):(mean(p)) with linespoints linestyle k title series[k]".marks
    unset label 100
    unset label 101
}
unset multiplot
