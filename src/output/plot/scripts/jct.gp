of(k) = column('series') == k ? column('jct_h') : NaN
set xlabel 'job completion time (h)'
set ylabel 'share of submitted jobs finished (%)'
set yrange [0:100]
stats data skip 1 using 2 nooutput
if (STATS_min == STATS_max) { set xrange [0:STATS_max > 0 ? 2 * STATS_max : 1] }
if (log_x) { set logscale x 10 }
set bmargin at screen (legend + 64.0) / height
set key at screen 0.5, (legend + 10.0) / height center top horizontal Left reverse samplen 3 maxcols key_columns
shade = band ? "data using (column('jct_h')):'low':'high' with filledcurves fillcolor rgb '#C4DDEE' title '10 to 90 %', " : ''
evaluate 'plot '.shade."for [k = 1:N] data using (of(k)):'share_percent' with lines linestyle k title series[k]"
