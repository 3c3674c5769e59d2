of(k) = column('series') == k ? column('time_h') / x_hours : NaN
panel = (height - 100.0) / N - 24
set lmargin at screen 66.0 / width
set rmargin at screen 1 - 20.0 / width
set xrange [begin_h / x_hours:end_h / x_hours]
set yrange [0:1.05 * most]
set label 100 'power (kW)' at screen 16.0 / width, 0.5 center rotate
set ytics step(most, panel > 110 ? 6 : 3)
set multiplot
do for [k = 1:N] {
    y = height - 52 - (k - 1) * (panel + 24)
    set tmargin at screen y / height
    set bmargin at screen (y - panel) / height
    set label 1 title[k] at screen 66.0 / width, (y + 10) / height left
    if (k == N) { set format x '%g'; set xlabel x_label } else { set format x '' }
    if (k == 1) { set key at screen 0.5, 1 - 14.0 / height center center horizontal maxrows 1 Left reverse samplen 2 } else { unset key }
    plot data using (of(k)):'measured_kw' with lines linewidth 1.6 linecolor rgb '#8C8C8C' title 'metered', \
         data using (of(k)):'predicted_kw' with lines linewidth 1.2 linecolor rgb '#0072B2' title 'model'
    unset label 100
}
unset multiplot
unset label
