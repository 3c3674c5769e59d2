of(p) = column('panel') == p ? column('x_place') : NaN
X = |x_values|
Y = |y_values|
rows = (N + columns - 1) / columns
span = (width - left - 16.0 - (columns - 1) * 14) / columns
high = (height - 146.0 - below - held_height) / rows - 26
stats data skip 1 using 4 nooutput
low = STATS_min
most = STATS_max > STATS_min ? STATS_max : STATS_min + (STATS_min == 0 ? 1 : abs(STATS_min))
if (log_z) { set logscale cb 10 }
# Seven values of up to five characters have room below the colours.
each7 = step(most - low, 7)
second = strlen(short((ceil(low / each7) + 1) * each7))
eval(tics('cb', low, most, log_z, log_z ? 6 : second <= 5 && strlen(short(each7)) <= 5 ? 7 : 5))
set cbrange [low:most]
# viridis
set palette defined (0 '#440154', 1 '#472C7A', 2 '#3B518B', 3 '#2C718E', 4 '#21908D', 5 '#27AD81', 6 '#5CC863', \
    7 '#AADC32', 8 '#FDE725')
set xrange [0.5:X + 0.5]
set yrange [0.5:Y + 0.5]
unset key
unset grid
set style fill solid 1 noborder
# As many values at the axes as there is room for.
longest = 1
do for [i = 1:X] { longest = strlen(x_values[i]) > longest ? strlen(x_values[i]) : longest }
every_x = int(ceil(X * (upright ? 18.0 : 9.0 * longest + 8) / span))
every_y = int(ceil(Y * 18.0 / high))
# Values stand in their cells if there is room, white on the dark half of the colours.
ink(value) = value < (log_z ? sqrt(low * most) : (low + most) / 2) ? 0xFFFFFF : 0x000000
map = "data using (of(p)):'y_place':(of(p) - 0.5):(of(p) + 0.5):(column('y_place') - 0.5):(column('y_place') + 0.5):'mean'"\
    .' with boxxyerror linecolor palette'
# Hatched: the run warns of the point.
hatch(p) = column('warned') > 0 ? of(p) : NaN
hatched = ", data using (hatch(p)):'y_place':(of(p) - 0.5):(of(p) + 0.5):(column('y_place') - 0.5):(column('y_place') + 0.5)"\
    ." with boxxyerror fillstyle transparent pattern 4 noborder linecolor rgb '#B0FFFFFF'"
text = span / X >= 7.5 * cell_characters + 4 && high / Y >= 16 ? \
    ", data using (of(p)):'y_place':(short3(column('mean'))):(ink(column('mean')))"\
    .' with labels textcolor rgb variable font small_font' : ''
set label 100 note at screen 0.5, 1 - 14.0 / height center font small_font textcolor rgb '#505050'
if (held_height) {
    set label 104 held at screen 0.5, 1 - 30.0 / height center font small_font textcolor rgb '#505050'
}
set label 101 x_label at screen 0.5, 88.0 / height center
set label 102 y_label at screen 14.0 / width, (height + 54.0 + below) / 2 / height center rotate
set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillcolor rgb '#E8E8E8' fillstyle solid 1 noborder
set colorbox horizontal user origin 0.2, 54.0 / height size 0.6, 12.0 / height
set label 103 z_label at screen 0.5, 16.0 / height center
set multiplot
do for [p = 1:N] {
    column_of = (p - 1) % columns
    x = left + column_of * (span + 14)
    y = height - 46 - held_height - ((p - 1) / columns) * (high + 26)
    set lmargin at screen x / width
    set rmargin at screen (x + span) / width
    set tmargin at screen y / height
    set bmargin at screen (y - high) / height
    if (upright) { set xtics rotate () } else { set xtics norotate () }
    set ytics ()
    lowest = p + columns > N
    do for [i = 1:X] { if ((i - 1) % every_x == 0) { set xtics add (lowest ? x_values[i] : '' i) } }
    do for [i = 1:Y] { if ((i - 1) % every_y == 0) { set ytics add (column_of == 0 ? y_values[i] : '' i) } }
    set label 1 series[p] at screen x / width, (y + 9) / height left
    evaluate 'plot '.map.hatched.text
    do for [l = 100:104] { unset label l }
    unset colorbox
}
unset multiplot
unset label
