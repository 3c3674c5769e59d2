# Draws measured against modelled points from the CSV that `easim calibrate --points` writes, as SVG and as PNG: one
# figure per model and GPU type, points measured, lines modelled; above throughput, below power where there is any.
#
# Usage: gnuplot -e "points='points.csv'; out='figures'" tools/calibration.gp
#   points  the CSV; rows of one model on one GPU type stand together, by nodes, k and batch
#   out     folder of the figures, made if missing; default "figures"
# The figures are NN-MODEL-GPU.svg and .png. The horizontal axis is the batch per GPU with a colour per k, or k itself
# where all rows have one batch. Of more than 8 curves only those with k a power of two are drawn, and the figure says
# so. Needs gnuplot 5.4 with the pngcairo and svg terminals.

set encoding utf8
set print "-"
usage = "usage: gnuplot -e \"points='points.csv'; out='figures'\" tools/calibration.gp"
if (!exists("points")) { printerr usage; exit status 2 }
if (!exists("out")) { out = "figures" }
system(sprintf("mkdir -p -- '%s'", out))
if (system(sprintf("test -w '%s' && echo y", out)) ne "y") { printerr "calibration.gp: cannot write to ".out; exit status 2 }
if (system(sprintf("test -r '%s' && echo y", points)) ne "y") {
    printerr "calibration.gp: cannot read ".points; exit status 2
}

set datafile separator ","
set border 3 linewidth 1 linecolor rgb "#404040"
set tics nomirror out scale 0.6 textcolor rgb "#202020"
set format "%g"
set grid linetype 1 linecolor rgb "#E4E4E4" linewidth 0.8
# Okabe and Ito's palette without its yellow, as in src/output/plot/scripts/begin.gp.
array colour[8] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C", "#000000"]
array shape[8] = [7, 5, 9, 11, 13, 15, 6, 4]

# ---- which models, and which curves of each -----------------------------------------------------------------------

MOST = 1000
array model[MOST]; array gpu[MOST]; array batch_least[MOST]; array batch_most[MOST]; array powers[MOST]
array w_most[MOST]; array k_least[MOST]; array k_most[MOST]; array by_table[MOST]
G = 0
smaller(a, b) = a < b ? a : b
larger(a, b) = a > b ? a : b
is_new(z) = G == 0 || model[G] ne strcol(1) || gpu[G] ne strcol(2)
open_group(z) = (G = smaller(G + 1, MOST), model[G] = strcol(1), gpu[G] = strcol(2), batch_least[G] = column(5), \
    batch_most[G] = column(5), k_least[G] = column(3), k_most[G] = column(3), powers[G] = 0, w_most[G] = 0, by_table[G] = 0)
stats points skip 1 using ((is_new(0) ? open_group(0) : 0), batch_least[G] = smaller(batch_least[G], column(5)), \
    batch_most[G] = larger(batch_most[G], column(5)), \
    by_table[G] = by_table[G] || strcol(13) eq "table", \
    k_least[G] = smaller(k_least[G], column(3)), k_most[G] = larger(k_most[G], column(3)), \
    valid(8) ? (powers[G] = powers[G] + 1, w_most[G] = larger(w_most[G], column(8))) : 0, 0) nooutput
if (G == 0) { printerr "calibration.gp: no rows in ".points; exit status 2 }

is_power(k) = k == 2**int(log(k) / log(2) + 0.5)
of_group(g) = strcol(1) eq model[g] && strcol(2) eq gpu[g]
allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._"
width = 900.0
look = 'font "sans-serif,%d" noenhanced background "#FFFFFF"'
svg_look = sprintf(look, 15)
png_look = sprintf(look, 11)." fontscale 2 linewidth 2 pointscale 2"

do for [g = 1:G] {
    # curves: k (negative: across nodes)
    array curve[256]
    K = 0; seen = 0
    by_batch = batch_most[g] > batch_least[g]
    signed(z) = column(4) == 1 ? -column(3) : column(3)
    note(z) = K == 0 || curve[K] != signed(0) ? (K = smaller(K + 1, 256), curve[K] = signed(0), 0) : 0
    if (by_batch) { stats points skip 1 using (of_group(g) ? note(0) : 0) nooutput } else { K = 1; curve[1] = 0 }
    seen = K
    if (K > 8) {
        K = 0
        do for [i = 1:seen] {
            if (is_power(abs(curve[i])) && K < 8) { K = K + 1; curve[K] = curve[i] }
        }
    }
    file = sprintf("%02d-", g); text = model[g]."-".gpu[g]
    do for [c = 1:strlen(text)] {
        file = file.(strstrt(allowed, text[c:c]) > 0 ? text[c:c] : "-")
    }
    of_curve(i) = of_group(g) && (by_batch ? signed(0) == curve[i] : 1)
    x(z) = by_batch ? column(5) : column(3)
    label(i) = by_batch ? sprintf("k = %d%s", abs(curve[i]), curve[i] < 0 ? ", across nodes" : "") : \
        sprintf("batch %d per GPU", batch_least[g])
    panels = powers[g] > 0 ? 2 : 1
    height = panels == 2 ? 720.0 : 420.0
    do for [format in "svg png"] {
        if (format eq "svg") { set terminal svg size width,height name "calibration" @svg_look } \
        else { set terminal pngcairo size 2*width,2*height @png_look }
        set output out."/".file.".".format
        set multiplot layout panels,1 title model[g]." on ".gpu[g].\
            (by_table[g] ? " (points measured, lines: a lookup table of them)" : " (points measured, lines modelled)").\
            (K < seen ? sprintf(", %d of %d curves", K, seen) : "")
        set logscale x 2
        set xrange [0.9 * (by_batch ? batch_least[g] : k_least[g]):1.1 * (by_batch ? batch_most[g] : k_most[g])]
        set lmargin 12; set rmargin 24
        set key at screen 0.985, 0.86 right top reverse Left samplen 1.5 width -2
        set xlabel by_batch ? "batch per GPU (samples)" : "GPUs"
        set ylabel "samples/s of one GPU"
        set yrange [0:*]
        plot for [i = 1:K] points skip 1 using (of_curve(i) ? x(0) : NaN):(column(6) / column(3)) \
                 with points pointtype shape[i] pointsize 1 linecolor rgb colour[i] title label(i), \
             for [i = 1:K] points skip 1 using (of_curve(i) ? x(0) : NaN):(column(7) / column(3)) \
                 with lines linewidth 1.6 linecolor rgb colour[i] notitle
        if (panels == 2) {
            set ylabel "W of one GPU"
            set yrange [0:1.1 * w_most[g]]
            unset key
            plot for [i = 1:K] points skip 1 using (of_curve(i) ? x(0) : NaN):8 \
                     with points pointtype shape[i] pointsize 1 linecolor rgb colour[i] notitle, \
                 for [i = 1:K] points skip 1 using (of_curve(i) ? x(0) : NaN):9 \
                     with lines linewidth 1.6 linecolor rgb colour[i] notitle
        }
        unset multiplot
        unset logscale
        set output
    }
}
