of(k) = column('series') == k ? column('time_h') / x_hours : NaN
rows = (N + columns - 1) / columns
top = 70
panel = (height - 48.0 - top) / rows - 24
span = (width - 86.0 - (columns - 1) * 18) / columns
set xrange [0:end_h / x_hours]
set yrange [0:gpus]
set ytics step(gpus, panel > 110 ? 8 : 4)
set label 100 'GPUs' at screen 16.0 / width, 0.5 center rotate
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
    failed = has_failed ? "data using (of(k)):(column('alloc_gpus') + column('idle_gpus')):(column('alloc_gpus') "\
        ."+ column('idle_gpus') + column('failed_gpus')) with filledcurves linecolor rgb '#D55E00' title 'failed', " : ''
    evaluate 'plot '.failed."data using (of(k)):(column('alloc_gpus')):(column('alloc_gpus') + column('idle_gpus')) "\
        ."with filledcurves linecolor rgb '#DDDDDD' title 'idle', "\
        ."data using (of(k)):(0):(column('alloc_gpus')) with filledcurves linecolor rgb '#0072B2' title 'allocated'"
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
set key at screen 0.5, 1 - 33.0 / height center center horizontal maxrows 1 Left reverse samplen 1.5
failed = has_failed ? "NaN with filledcurves linecolor rgb '#D55E00' title 'failed', " : ''
evaluate 'plot '.failed."NaN with filledcurves linecolor rgb '#DDDDDD' title 'idle', "\
    ."NaN with filledcurves linecolor rgb '#0072B2' title 'allocated'"
unset multiplot
unset label
