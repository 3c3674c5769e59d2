# A row for each policy: left the difference in each world, right where its variance comes from.
of(r, c) = column('row') == r && strcol('kind') eq 'world' && column('colour') == c ? column('place') : NaN
from(r, c) = column('row') == r && strcol('kind') eq 'share' && column('colour') == c ? column('value') : NaN
side(x) = 1.0 * x / width
up(y) = 1.0 * y / height
high = (height - 120.0) / N - 64
right = shares ? 0.29 * width : 0
end = width - 24 - right
left = end - 76 - (shares ? name_width : 0)
verdicts = '#009E73 #D55E00 #8C8C8C'
set label 100 note at screen 0.5, up(height - 36) center font small_font textcolor rgb '#505050'
set label 101 y_label at screen 0.5, up(height - 16) center
set label 102 'worlds, sorted' at screen side(76 + left / 2), up(66) center
do for [c = 1:3] {
    set label 102 + c word("'● clearly better' '● clearly worse' '● unclear: 95 % line crosses 0'", c) at screen side(24 + (c - 1) * 130), up(46) \
        font small_font textcolor rgb word(verdicts, c)
}
if (shares) {
    set label 107 'share (%)' at screen side(end + right / 2), up(66) center
    set label 108 '■ share of the variance of the difference over all runs' at screen side(24), up(29) font small_font textcolor rgb '#0072B2'
    set label 109 '■ of the part of physics: of each source, alone and with others' at screen side(24), up(12) font small_font \
        textcolor rgb '#B87400'
}
unset key
set style fill solid 0.5 noborder
set multiplot
do for [r = 1:N] {
    y = height - 82 - (r - 1) * (high + 64)
    set tmargin at screen up(y)
    set bmargin at screen up(y - high)
    set lmargin at screen side(76)
    set rmargin at screen side(76 + left)
    set label 1 series[r] at screen side(76), up(y + 24)
    set label 2 subtitles[r] at screen side(76), up(y + 9) font small_font textcolor rgb '#505050'
    set border 3
    set grid ytics noxtics
    set autoscale
    stats data skip 1 using (column(1) == r && strcol(2) eq 'world' ? column(6) : NaN) nooutput
    least = STATS_min < 0 ? STATS_min : 0
    stats data skip 1 using (column(1) == r && strcol(2) eq 'world' ? column(7) : NaN) nooutput
    most = STATS_max > 0 ? STATS_max : 0
    most = most > least ? most : least + 1
    set xrange [0.5:worlds + 0.5]
    set yrange [least - 0.05 * (most - least):most + 0.05 * (most - least)]
    set xtics step(worlds, 5)
    set ytics step(1.1 * (most - least), 5) nomirror out
    set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead linecolor rgb '#404040'
    plot for [c = 0:2] data using (of(r, c)):'low':(0):(column('high') - column('low')) with vectors nohead \
            linewidth 1.2 linecolor rgb word(verdicts, c + 1), \
        for [c = 0:2] data using (of(r, c)):'value' with points pointtype 7 pointsize 0.4 linecolor rgb word(verdicts, c + 1)
    unset arrow 1
    unset label
    if (!shares) { continue }
    set lmargin at screen side(end)
    set rmargin at screen side(end + right)
    set border 1
    set grid xtics noytics
    set autoscale
    # Intervals are cut off at 200 %.
    stats data skip 1 using (strcol(2) eq 'share' ? column(7) : NaN) nooutput
    most = STATS_max > 200 ? 200 : STATS_max > 100 ? STATS_max : 100
    stats data skip 1 using (strcol(2) eq 'share' ? column(5) : NaN) nooutput
    most = STATS_max > most ? STATS_max : most
    set xrange [0:1.03 * most]
    set xtics step(most, 4)
    unset ytics
    set yrange [-shares - 0.6:-0.4]
    do for [i = 1:shares] { set label i + 10 sources[i] at screen side(end - 8), first -i right }
    plot for [c = 3:4] data using (from(r, c) / 2):(-column('place')):(0):(from(r, c)):(-column('place') - 0.36) \
            :(-column('place') + 0.36) with boxxyerror linecolor rgb word('#0072B2 #E69F00', c - 2), \
        for [c = 3:4] data using (from(r, c)):(-column('place')):'low':'high' with xerrorbars pointtype -1 \
            linewidth 1.4 linecolor rgb '#202020'
    unset label
}
unset multiplot
