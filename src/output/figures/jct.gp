of(k) = column('series') == k ? column('jct_h') : NaN
set xlabel 'job completion time (h)'
set ylabel 'share of submitted jobs finished (%)'
set yrange [0:100]
if (log_x) { set logscale x 10 }
set key outside below center horizontal Left reverse samplen 2.5 maxcols key_columns
plot for [k = 1:N] data using (of(k)):'share_percent' with steps linestyle style[k] title series[k]
