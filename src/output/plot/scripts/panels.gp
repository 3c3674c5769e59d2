# A panel for each series: GPUs, or power with its cap.
of(k) = column('series') == k ? column('time_h') / x_hours : NaN
from = 'data using (of(k)):'
fill = "with filledcurves linecolor rgb '"
if (exists('gpus')) {
    most = gpus
    ceiling = gpus
    alloc = "(column('alloc_gpus')"
    parts = (has_failed ? from.alloc." + column('idle_gpus')):".alloc." + column('idle_gpus') + column('failed_gpus')) " \
            .fill."#D55E00' title 'failed', " : '') \
        .from.alloc."):".alloc." + column('idle_gpus')) ".fill."#DDDDDD' title 'idle', " \
        .from."(0):".alloc.") ".fill."#0072B2' title 'allocated'"
    keys = (has_failed ? "NaN ".fill."#D55E00' title 'failed', " : '')."NaN ".fill."#DDDDDD' title 'idle', NaN " \
        .fill."#0072B2' title 'allocated'"
} else {
    stats data skip 1 using 6 nooutput
    most = STATS_max
    if (has_cap) {
        stats data skip 1 using 4 nooutput
        most = most < STATS_max ? STATS_max : most
    }
    most = most > 0 ? most : 1
    ceiling = 1.05 * most
    power = "linewidth 1.2 linecolor rgb '#0072B2' title 'power'"
    cap = "linewidth 2 linecolor rgb '#000000' title 'cap'"
    # An empty cell would not break the line, a NaN does.
    parts = (binned ? from."'low_kw':'high_kw' ".fill."#A6CEE3' title 'range', " : '').from."'power_kw' with steps ".power \
        .(has_cap ? ', '.from."(strlen(strcol('cap_kw')) ? column('cap_kw') : NaN) with steps ".cap : '')
    keys = !has_cap && !binned ? '' : (binned ? "NaN ".fill."#A6CEE3' title 'range', " : '').'NaN with lines '.power \
        .(has_cap ? ', NaN with lines '.cap : '')
}
top = keys eq '' ? 52 : 70
rows = (N + columns - 1) / columns
panel = (height - 48.0 - top) / rows - 24
span = (width - 86.0 - (columns - 1) * 18) / columns
set xrange [0:end_h / x_hours]
set yrange [0:ceiling]
set ytics step(most, panel > 110 ? (exists('gpus') ? 8 : 6) : exists('gpus') ? 4 : 3)
set label 100 y_label at screen 16.0 / width, 0.5 center rotate
set label 101 note at screen 0.5, 1 - 14.0 / height center font small_font textcolor rgb '#505050'
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
    evaluate 'plot '.parts
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
if (keys ne '') { evaluate 'plot '.keys }
unset multiplot
unset label
