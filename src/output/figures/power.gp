of(k) = column('series') == k ? column('time_h') / x_hours : NaN
stats data skip 1 using 6 nooutput
most = STATS_max
if (has_cap) {
    stats data skip 1 using 4 nooutput
    most = most < STATS_max ? STATS_max : most
}
panel = (height - 100.0) / N - 26
set lmargin at screen 66.0 / width
set rmargin at screen 1 - 20.0 / width
set xrange [0:end_h / x_hours]
set yrange [0:most > 0 ? 1.05 * most : 1]
if (panel < 120) { set ytics autofreq maxtics 4 } 
set label 100 'power (kW)' at screen 16.0 / width, 0.5 center rotate
set label 101 note at screen 1 - 20.0 / width, 1 - 42.0 / height right font small_font textcolor rgb '#505050'
set style fill solid 0.25 noborder
set multiplot
do for [k = 1:N] {
    y = height - 52 - (k - 1) * (panel + 26)
    set tmargin at screen y / height
    set bmargin at screen (y - panel) / height
    set label 1 series[k] at screen 66.0 / width, (y + 10) / height left
    if (k == N) { set format x '%g'; set xlabel x_label } else { set format x '' }
    if (k == 1) { set key at screen 0.5, 1 - 14.0 / height center center horizontal samplen 2 } else { unset key }
    plot for [b = 1:binned] data using (of(k)):'low_kw':'high_kw' with filledcurves linestyle style[k] \
            title 'least to largest in a bin', \
        data using (of(k)):'power_kw' with steps linestyle style[k] dashtype 1 linewidth 1.2 title 'power', \
        for [c = 1:has_cap] data using (of(k)):'cap_kw' with steps linewidth 1.8 linecolor rgb '#000000' title 'cap'
    unset label 100
    unset label 101
}
unset multiplot
unset label
