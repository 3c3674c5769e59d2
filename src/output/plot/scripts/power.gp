of(k) = column('series') == k ? column('time_h') / x_hours : NaN
stats data skip 1 using 6 nooutput
most = STATS_max
if (has_cap) {
    stats data skip 1 using 4 nooutput
    most = most < STATS_max ? STATS_max : most
}
panel = (height - 100.0) / N - 24
set lmargin at screen 66.0 / width
set rmargin at screen 1 - 20.0 / width
set xrange [0:end_h / x_hours]
set yrange [0:most > 0 ? 1.05 * most : 1]
set label 100 'power (kW)' at screen 16.0 / width, 0.5 center rotate
set label 101 note at screen 1 - 20.0 / width, 1 - 42.0 / height right font small_font textcolor rgb '#505050'
set ytics step(most > 0 ? most : 1, panel > 110 ? 6 : 3)
of_time = 'data using (of(k)):'
band = binned ? of_time."'low_kw':'high_kw' with filledcurves linecolor rgb '#A6CEE3' title 'range', " : ''
line = of_time."'power_kw' with steps linewidth 1.2 linecolor rgb '#0072B2' title 'power'"
cap = has_cap ? ', '.of_time."'cap_kw' with steps linewidth 2 linecolor rgb '#000000' title 'cap'" : ''
set style fill solid 1 noborder
set multiplot
do for [k = 1:N] {
    y = height - 52 - (k - 1) * (panel + 24)
    set tmargin at screen y / height
    set bmargin at screen (y - panel) / height
    set label 1 series[k] at screen 66.0 / width, (y + 10) / height left
    if (k == N) { set format x '%g'; set xlabel x_label } else { set format x '' }
    if (k == 1 && (has_cap || binned)) { set key at screen 0.5, 1 - 14.0 / height center center horizontal maxrows 1 Left reverse samplen 2 } else { unset key }
    evaluate 'plot '.band.line.cap
    unset label 100
    unset label 101
}
unset multiplot
unset label
