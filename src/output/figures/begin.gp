
# ---- what all figures share ----

set encoding utf8
set datafile separator comma
data = figure.'.csv'
N = exists('series') ? |series| : 0
# Okabe and Ito's palette without its yellow and black, with a grey; 7 colours x 4 dashes are 28 different lines.
colours = '#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #707070'
shapes = '7 5 9 11 13 15 6 4 8'
do for [i = 1:28] {
    set style line i linewidth 1.6 pointsize 0.9 linecolor rgb word(colours, (i - 1) % 7 + 1) \
        pointtype int(word(shapes, (i - 1) % 9 + 1)) dashtype (i - 1) % 4 + 1
}
set border 3 linecolor rgb '#404040'
set tics nomirror out scale 0.6
set format '%g'
set grid linetype 1 linecolor rgb '#E4E4E4' linewidth 0.8
small = 0.85

# ---- the figure, once for each format ----

do for [format in formats] {
if (format eq 'svg') {
    set terminal svg size width,height noenhanced font 'sans-serif,14' background '#FFFFFF' name figure
}
if (format eq 'pdf') {
    set terminal pdfcairo size width / 96.0,height / 96.0 noenhanced font 'sans-serif,10.5' fontscale 1 linewidth 1
}
if (format eq 'png') {
    set terminal pngcairo size 3 * width,3 * height noenhanced font 'sans-serif,10.5' fontscale 3 linewidth 3 \
        pointscale 3
}
small_font = format eq 'svg' ? ',12' : ',9'
set output figure.'.'.format

