of(k) = column('series') == k ? column('x') : NaN
set title note font small_font textcolor rgb '#505050'
set xlabel x_label
set ylabel y_label
set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05
set key outside below center horizontal Left reverse samplen 1.5 maxcols key_columns
plot for [f = 1:front] data using (of(0)):'y' with steps linewidth 1.2 linecolor rgb '#A0A0A0' title 'front', \
    for [k = 1:N] data using (of(k)):'y':'x_ci95':'y_ci95' with xyerrorbars linestyle style[k] dashtype 1 title series[k]
