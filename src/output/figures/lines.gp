of(p, k) = column('panel') == p && column('line') == k ? column('x') : NaN
P = |y_labels|
panel = (height - 110.0 - legend) / P - 14
set lmargin at screen 74.0 / width
set rmargin at screen 1 - 20.0 / width
if (log_x) { set logscale x 10 } else { set offsets graph 0.03, graph 0.03, 0, 0 }
set label 100 note at screen 0.5, 1 - 14.0 / height center font small_font textcolor rgb '#505050'
set yrange [0:*]
set multiplot
do for [p = 1:P] {
    y = height - 32 - (p - 1) * (panel + 14)
    set tmargin at screen y / height
    set bmargin at screen (y - panel) / height
    set ylabel y_labels[p] offset screen (14.0 - 20) / width, 0
    if (p == P) {
        set format x '%g'
        set xlabel x_label
        if (by ne '') {
            set key at screen 0.5, (legend + 24.0) / height center top horizontal Left reverse samplen 2.5 maxcols key_columns title by
        } else { unset key }
    } else { set format x ''; unset key }
    plot for [k = 1:N] data using (of(p, k)):'mean':'ci95' with yerrorlines linestyle k title series[k]
    unset label 100
}
unset multiplot
