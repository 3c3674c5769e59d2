
# ---- what all figures share ----

set encoding utf8
data = figure.'.csv'
N = |series|
color(i) = word(style[i], 1)
# A step of 1, 2 or 5 times a power of ten that cuts span into at most n pieces.
step(span, n) = (p10 = 10.0**floor(log10(1.0 * span / n)), m10 = 1.0 * span / n / p10, \
    p10 * (m10 <= 1 ? 1 : m10 <= 2 ? 2 : m10 <= 5 ? 5 : 10))
# 25000 as 25k: what is short enough for an axis.
short(v) = abs(v) >= 1e9 ? sprintf('%.6gG', v / 1e9) : abs(v) >= 1e6 ? sprintf('%.6gM', v / 1e6) \
    : abs(v) >= 1e4 ? sprintf('%.6gk', v / 1e3) : sprintf('%.6g', abs(v) < 1e-300 ? 0 : v)
# The same with three digits, without an exponent below 10000.
short3(v) = abs(v) >= 1e9 ? sprintf('%.3gG', v / 1e9) : abs(v) >= 1e6 ? sprintf('%.3gM', v / 1e6) \
    : abs(v) >= 1e4 ? sprintf('%.3gk', v / 1e3) : abs(v) >= 1e3 ? sprintf('%.0f', v) : sprintf('%.3g', v)
# "'1' 1, '2' 2": from v on in steps; 1, 2 and 5 times each power of ten, or only each n-th power.
tic(v) = sprintf("'%s' %.12g, ", short(v), v)
each(v, most, by) = v > most ? '' : tic(abs(v) < by * 1e-9 ? 0 : v).each(v + by, most, by)
mantissas(p, least, most) = (p >= least && p <= most ? tic(p) : '').(2 * p >= least && 2 * p <= most ? tic(2 * p) : '') \
    .(5 * p >= least && 5 * p <= most ? tic(5 * p) : '')
decades(e, least, most) = 10.0**e > most ? '' : mantissas(10.0**e, least, most).decades(e + 1, least, most)
powers(e, least, most, n) = 10.0**e > most ? '' : (10.0**e >= least ? tic(10.0**e) : '').powers(e + n, least, most, n)
tic_list(least, most, is_log, n) = !is_log ? each(ceil(least / step(most - least, n) - 1e-9) * step(most - least, n), \
        most + 1e-9 * (most - least), step(most - least, n)) \
    : 3 * log10(most / least) <= n + 2 ? decades(floor(log10(least)), least, most) \
    : powers(floor(log10(least)), least, most, int(ceil(log10(most / least) / n)))
tics(axis, least, most, is_log, n) = 'set '.axis.'tics ('.tic_list(least, most, is_log, n).'0 -1e308)'

do for [format in formats] {
reset
set datafile separator comma
set dashtype 2 (14, 6)
set dashtype 3 (5, 5)
set dashtype 4 (18, 5, 4, 5)
if (exists('style')) {
    do for [i = 1:|style|] {
        set style line i linewidth 1.6 pointsize 0.9 linecolor rgb color(i) pointtype int(word(style[i], 2)) \
            dashtype int(word(style[i], 3))
    }
}
set border 3 linecolor rgb '#404040'
set tics nomirror out scale 0.6
set format '%g'
set grid linetype 1 linecolor rgb '#E4E4E4' linewidth 0.8
if (format eq 'svg') {
    set terminal svg size width,height noenhanced font 'sans-serif,14' background '#FFFFFF' name figure
    small_font = ',12'
} else {
    small_font = ',9'
    if (format eq 'pdf') {
        set terminal pdfcairo size width / 96.0,height / 96.0 noenhanced font 'sans-serif,10.5' fontscale 0.75
    } else {
        set terminal pngcairo size 3 * width,3 * height noenhanced font 'sans-serif,10.5' fontscale 3 linewidth 3 \
            pointscale 3
    }
}
set output figure.'.'.format

# ---- this figure ----

