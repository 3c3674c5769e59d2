of(p) = column('panel') == p ? column('mean') : NaN
P = |panels|
columns = P == 1 ? 1 : 2
rows = (P + columns - 1) / columns
span = (width - name_width - 16.0 - (columns - 1) * 32) / columns
high = (height - 40.0) / rows - 64
set label 100 note at screen 0.5, 1 - 14.0 / height center font small_font textcolor rgb '#505050'
set border 1
unset ytics
set grid noytics
unset key
set style fill solid 1 noborder
set multiplot
do for [p = 1:P] {
    x = name_width + ((p - 1) % columns) * (span + 32)
    y = height - 32 - ((p - 1) / columns) * (high + 64)
    set lmargin at screen x / width
    set rmargin at screen (x + span) / width
    set tmargin at screen y / height
    set bmargin at screen (y - high) / height
    set autoscale
    stats data skip 1 using (column(1) == p ? column(3) + column(4) : NaN) nooutput
    most = STATS_max > 0 ? STATS_max : 0
    stats data skip 1 using (column(1) == p ? column(3) - column(4) : NaN) nooutput
    least = STATS_min < 0 ? STATS_min : 0
    most = most > least ? most : 1
    set xrange [1.05 * least:1.05 * most]
    set xtics step(most - least, 5)
    set yrange [-N - 0.6:-0.4]
    set xlabel panels[p] offset 0, 0.3
    do for [i = 1:N] {
        if ((p - 1) % columns == 0) { set label i series[i] at screen (x - 8) / width, first -i right } else { unset label i }
    }
    plot for [i = 1:N] data using \
            (column('series') == i ? of(p) / 2 : NaN):(-i):(0):(of(p)):(-i - 0.36):(-i + 0.36) \
            with boxxyerror linecolor rgb color(i), \
        for [i = 1:2] data using (column('ci95') > 0 ? of(p) : NaN):(-column('series')):'ci95' with xerrorbars pointtype -1 \
            linewidth (i == 1 ? 4 : 1.4) linecolor rgb (i == 1 ? '#FFFFFF' : '#202020')
    unset label 100
}
unset multiplot
unset label
