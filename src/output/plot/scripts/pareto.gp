# A point outside the axes is drawn at the edge; its name says where it is.
x_at(v) = v < x_least ? x_least : v > x_most ? x_most : v
y_at(v) = v < y_least ? y_least : v > y_most ? y_most : v
is_in(x, y) = x == x_at(x) && y == y_at(y)
of(k) = column('series') == k ? x_at(column('x')) : NaN
inside(k) = column('series') == k && is_in(column('x'), column('y')) ? column('x') : NaN
outside(k) = column('series') == k && !is_in(column('x'), column('y')) ? x_at(column('x')) : NaN
y_of(k) = y_at(column('y'))
set lmargin at screen 1.0 * margins[1] / width
set rmargin at screen 1 - 1.0 * margins[2] / width
set tmargin at screen 1 - 1.0 * margins[3] / height
set bmargin at screen 1.0 * (legend + margins[4]) / height
set label 100 note at screen 0.5, 1 - 14.0 / height center font small_font textcolor rgb '#505050'
# Where no schedule is: left of and below the bounds, where there are any within the axes.
shaded = bounds[1] > x_least || bounds[2] > y_least
if (bounds[1] > x_least) {
    set object 101 rectangle from graph 0, graph 0 to first bounds[1], graph 1 behind fillcolor rgb '#E6E6EC' \
        fillstyle solid noborder
}
if (bounds[2] > y_least) {
    set object 102 rectangle from graph 0, graph 0 to graph 1, first bounds[2] behind fillcolor rgb '#E6E6EC' \
        fillstyle solid noborder
}
ringed = front > 0 ? (shaded ? 'ringed: the front; ' : 'ringed: the front, which no other beats in both') : ''
if (front > 0 || shaded) {
    set label 101 ringed.(shaded ? 'shaded: no schedule of these jobs is there' : '') at screen 0.5, 1 - 31.0 / height \
        center font small_font textcolor rgb '#505050'
}
set label 102 y_label at screen 16.0 / width, 0.5 + (legend + margins[4] - margins[3]) / 2.0 / height center rotate
set xlabel x_label
set xrange [x_least:x_most]
set yrange [y_least:y_most]
if (log_x) { set logscale x 10 }
if (log_y) { set logscale y 10 }
eval(tics('x', x_least, x_most, log_x, 6))
eval(tics('y', y_least, y_most, log_y, 8))
if (beside) {
    unset key
    do for [k = 1:N] {
        set label k series[k] at screen 1.0 * name_x[k] / width, 1.0 * name_y[k] / height left font small_font front
        if (name_far[k]) {
            set arrow k from screen 1.0 * point_x[k] / width, 1.0 * point_y[k] / height \
                to screen 1.0 * join_x[k] / width, 1.0 * join_y[k] / height nohead back linecolor rgb '#A0A0A0'
        }
    }
} else {
    set key at screen 0.5, (legend + 10.0) / height center top horizontal Left reverse samplen 1.5 maxcols key_columns
}
rings = front > 0 ? "data using (of(0)):(y_of(0)) with points pointtype 6 pointsize 2.2 linewidth 1.2 " \
    ."linecolor rgb '#202020' title 'front', " : ''
line = front > 1 ? "data using (of(0)):(y_of(0)) with steps linewidth 1.2 linecolor rgb '#A0A0A0' notitle, " : ''
evaluate 'plot '.line.rings."for [k = 1:N] data using (inside(k)):'y':'x_ci95':'y_ci95' with xyerrorbars "\
    ."linestyle k dashtype 1 linewidth 1.1 title series[k], "\
    ."for [k = 1:N] data using (outside(k)):(y_of(k)) with points linestyle k linewidth 1.6 notitle"
