of(k) = column('series') == k ? column('time_h') / x_hours : NaN
panel = (height - 100.0) / N - 24
set lmargin at screen 66.0 / width
set rmargin at screen 1 - 20.0 / width
set xrange [0:end_h / x_hours]
set yrange [0:gpus]
set ytics step(gpus, panel > 110 ? 8 : 4)
set label 100 'GPUs' at screen 16.0 / width, 0.5 center rotate
set label 101 note at screen 1 - 20.0 / width, 1 - 42.0 / height right font small_font textcolor rgb '#505050'
set style fill solid 1 noborder
set multiplot
do for [k = 1:N] {
    y = height - 52 - (k - 1) * (panel + 24)
    set tmargin at screen y / height
    set bmargin at screen (y - panel) / height
    set label 1 series[k] at screen 66.0 / width, (y + 10) / height left
    if (k == N) { set format x '%g'; set xlabel x_label } else { set format x '' }
    if (k == 1) { set key at screen 0.5, 1 - 14.0 / height center center horizontal maxrows 1 Left reverse samplen 1.5 } else { unset key }
    plot data using (of(k)):(column('alloc_gpus') + column('idle_gpus')):(column('alloc_gpus') + column('idle_gpus') + column('failed_gpus')) with filledcurves \
            linecolor rgb '#D55E00' title 'failed', \
        data using (of(k)):(column('alloc_gpus')):(column('alloc_gpus') + column('idle_gpus')) with filledcurves \
            linecolor rgb '#DDDDDD' title 'idle', \
        data using (of(k)):(0):(column('alloc_gpus')) with filledcurves linecolor rgb '#0072B2' title 'allocated'
    unset label 100
    unset label 101
}
unset multiplot
unset label
