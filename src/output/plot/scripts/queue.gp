of(k) = column('series') == k ? column('time_h') / x_hours : NaN
set title note font small_font textcolor rgb '#505050'
set xlabel x_label
set ylabel 'jobs waiting'
set xrange [0:end_h / x_hours]
if (band) { stats data skip 1 using 6 nooutput } else { stats data skip 1 using 3 nooutput }
set yrange [0:STATS_max > 0 ? 1.05 * STATS_max : 1]
set bmargin at screen (legend + 64.0) / height
set key at screen 0.5, (legend + 10.0) / height center top horizontal Left reverse samplen 3 maxcols key_columns
shade = band ? "data using (column('time_h') / x_hours):'low':'high' with filledcurves fillcolor rgb '#C4DDEE' title '10 to 90 %', " : ''
evaluate 'plot '.shade."for [k = 1:N] data using (of(k)):'waiting' with lines linestyle k title series[k]"
