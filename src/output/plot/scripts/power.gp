of(k) = column('series') == k ? column('time_h') / x_hours : NaN
stats data skip 1 using 6 nooutput
most = STATS_max
if (has_cap) {
    stats data skip 1 using 4 nooutput
    most = most < STATS_max ? STATS_max : most
}
rows = (N + columns - 1) / columns
top = has_cap || binned ? 70 : 52
panel = (height - 48.0 - top) / rows - 24
span = (width - 86.0 - (columns - 1) * 18) / columns
set xrange [0:end_h / x_hours]
set yrange [0:most > 0 ? 1.05 * most : 1]
set label 100 'power (kW)' at screen 16.0 / width, 0.5 center rotate
set label 101 note at screen 0.5, 1 - 14.0 / height center font small_font textcolor rgb '#505050'
set ytics step(most > 0 ? most : 1, panel > 110 ? 6 : 3)
of_time = 'data using (of(k)):'
band = binned ? of_time."'low_kw':'high_kw' with filledcurves linecolor rgb '#A6CEE3' title 'range', " : ''
line = of_time."'power_kw' with steps linewidth 1.2 linecolor rgb '#0072B2' title 'power'"
cap = has_cap ? ', '.of_time."(strlen(strcol('cap_kw')) ? column('cap_kw') : NaN) with steps linewidth 2 linecolor rgb '#000000' title 'cap'" : ''
set label 102 x_label at screen 0.5, 20.0 / height center
set style fill solid 1 noborder
unset key
set multiplot
do for [k = 1:N] {
    x = 66 + ((k - 1) % columns) * (span + 18)
    y = height - top - ((k - 1) / columns) * (panel + 24)
    set lmargin at screen x / width
    set rmargin at screen (x + span) / width
    set tmargin at screen y / height
    set bmargin at screen (y - panel) / height
    set label 1 series[k] at screen x / width, (y + 10) / height left
    if (k + columns > N) { set format x '%g' } else { set format x '' }
    if (k % columns == 1 || columns == 1) { set format y '%g' } else { set format y '' }
    evaluate 'plot '.band.line.cap
    do for [l = 100:102] { unset label l }
}
# The legend, as wide as the figure.
unset label
unset border
unset tics
unset grid
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
set xrange [0:1]
set yrange [0:1]
set key at screen 0.5, 1 - 33.0 / height center center horizontal maxrows 1 Left reverse samplen 2
if (has_cap || binned) {
    range = binned ? "NaN with filledcurves linecolor rgb '#A6CEE3' title 'range', " : ''
    cap = has_cap ? ", NaN with lines linewidth 2 linecolor rgb '#000000' title 'cap'" : ''
    evaluate 'plot '.range."NaN with lines linewidth 1.2 linecolor rgb '#0072B2' title 'power'".cap
}
unset multiplot
unset label
