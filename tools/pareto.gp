# Draws the Pareto front of a comparison: the first two metrics of pareto.csv with their 95 % intervals.
#   gnuplot -e "dir='results/NAME'; out='pareto.svg'" tools/pareto.gp
# dir is a folder of `easim compare`; out is an SVG or a PNG file. Policies on the front have filled points.

set print "-"
if (!exists("dir") || !exists("out")) { printerr "usage: gnuplot -e \"dir='DIR'; out='FILE'\" tools/pareto.gp"; exit status 2 }
file = dir."/pareto.csv"
set datafile separator ","
set encoding utf8
if (out[strlen(out) - 3:*] eq ".png") {
    set terminal pngcairo size 900,600 font "Helvetica,13"
} else {
    set terminal svg size 900,600 font "Helvetica,14" background "#ffffff"
}
set output out
stats file skip 1 using 5 nooutput
n = int(STATS_records)
array name[n]; array front[n]
stats file skip 1 using (name[int($0) + 1] = strcol(1), front[int($0) + 1] = column(2), 0) nooutput
heading = system(sprintf("head -1 '%s'", file))
metric(i) = system(sprintf("echo '%s' | cut -d, -f%d | sed -E 'y/_/ /; s/ (s|js|w)$/ (\\1)/; s/ kwh$/ (kWh)/'", heading, i))
# Okabe and Ito's palette; the shape tells apart what shares a colour.
array colour[6] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#8C8C8C"]
array filled[5] = [7, 5, 9, 11, 13]
array hollow[5] = [6, 4, 8, 10, 12]
set border 3 linecolor rgb "#404040"
set tics nomirror out scale 0.6
set grid linecolor rgb "#e4e4e4"
set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05
set xlabel metric(5)
set ylabel metric(7)
set key outside right center samplen 1
set title "means and 95 % intervals; filled: no other policy is better in both"
plot for [i = 1:n] file skip i every ::0::0 using 5:7:6:8 with xyerrorbars linewidth 1.5 \
    pointsize 1.3 pointtype (front[i] == 1 ? filled[(i - 1) % 5 + 1] : hollow[(i - 1) % 5 + 1]) \
    linecolor rgb colour[(i - 1) % 6 + 1] title name[i]
