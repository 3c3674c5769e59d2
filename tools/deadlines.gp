# Draws docs/studies/deadlines.svg from docs/studies/deadlines.csv (tools/deadlines.py): what a policy changes against another over
# deadline share x tightness, with the 95 % intervals of the paired differences. From the top folder:
#   gnuplot tools/deadlines.gp

set datafile separator ","
set encoding utf8
set terminal svg size 1100,1050 font "Helvetica,14" background "#ffffff"
set output "docs/studies/deadlines.svg"
set border 3 linecolor rgb "#404040"
set tics nomirror out scale 0.6
set grid ytics linecolor rgb "#e4e4e4"
set xrange [-0.45:3.45]
set xtics ("1.1 to 1.5" 0, "1.5 to 3" 1, "1.5 to 6" 2, "3 to 12" 3)
unset key
shares = "0.1 0.3 0.6 1"
# Okabe and Ito's palette
colours = "#0072B2 #D55E00 #009E73 #CC79A7"
points = "7 5 9 11"
tightness(least, most) = least == 1.1 ? 0 : least == 3 ? 3 : most == 3 ? 1 : 2

set multiplot layout 3, 2 margins 0.08, 0.985, 0.13, 0.96 spacing 0.1, 0.09
do for [pair in "zeus/pollux aurachronos/pollux aurachronos/chronos"] {
    ours = pair[1:strstrt(pair, "/") - 1]
    theirs = pair[strstrt(pair, "/") + 1:*]
    do for [panel = 1:2] {
        metric = panel == 1 ? "deadline_miss_rate" : "energy_per_work_kwh"
        scale = panel == 1 ? 100 : 1000
        set title sprintf("%s minus %s", ours, theirs)
        set ylabel panel == 1 ? "missed deadlines (points)" : "energy per work (Wh / GPU h)"
        if (theirs eq "chronos") {
            set xlabel "(deadline - submit) / T*"
            set key horizontal maxcols 4 at screen 0.5, 0.045 center samplen 2
        }
        wanted(i) = strcol(4) eq metric && strcol(5) eq ours && strcol(6) eq theirs && \
            column(1) == real(word(shares, i))
        plot 0 linecolor rgb "#808080" notitle, for [i = 1:4] "docs/studies/deadlines.csv" \
            using (tightness(column(2), column(3)) + 0.07 * (i - 2.5)): \
                (wanted(i) ? scale * column(9) : NaN):(scale * column(10)) \
            with yerrorbars pointtype int(word(points, i)) linewidth 1.6 linecolor rgb word(colours, i) \
            title sprintf("%g %% of jobs", 100 * real(word(shares, i)))
    }
}
unset multiplot
