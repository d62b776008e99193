# What all plots share; loaded by them. Needs OUTPUT (file.png, .pdf or .svg), W and H (pixels).
EXT = OUTPUT[strlen(OUTPUT) - 2:*]
if (EXT eq "pdf") {
    set terminal pdfcairo size W / 100.0, H / 100.0 font "sans,10"
} else { if (EXT eq "svg") {
    set terminal svg size W, H font "sans,13" background "white"
} else { if (strstrt(GPVAL_TERMINALS, "pngcairo")) {
    set terminal pngcairo size W, H font "sans,10" background "white"
} else {
    set terminal png size W, H font "sans,10"
} } }
set output OUTPUT
set encoding utf8
set termoption noenhanced

# Colours that colour-blind readers can tell apart (Okabe and Ito).
BLUE = "#0072b2"
ORANGE = "#d55e00"
GREEN = "#009e73"
GREY = "#888888"
set border linecolor "#444444"
set grid linecolor "#dddddd" linetype 1
set tics nomirror
# Confidence intervals; "with yerrorbars" would punch a white hole into what lies behind.
set style arrow 1 heads size screen 0.003, 90 linewidth 1.5 linecolor rgb ORANGE
set style arrow 2 heads size screen 0.003, 90 linewidth 1.5 linecolor rgb "black"
set style arrow 3 heads size screen 0.002, 90 linewidth 1 linecolor rgb "#888888"
# Sizes on a logarithmic axis.
set_size_tics = 'set xtics ("1" 1, "4" 4, "16" 16, "64" 64, "256" 256, "1K" 1024, "4K" 4096, \
"16K" 16384, "64K" 65536, "256K" 262144, "1M" 1048576, "4M" 4194304, "16M" 16777216)'
# The same on a linear axis from FROM to TO: multiples of a power of two.
size_name(b) = b < 1024 ? sprintf("%d", b) : b < 1048576 ? sprintf("%gK", b / 1024.0) : sprintf("%gM", b / 1048576.0)
set_linear_size_tics = 'STEP = TO > FROM ? 2 ** ceil(log((TO - FROM) / 8.0) / log(2)) : 1; \
STEP = STEP < 1 ? 1 : STEP; set xtics (); \
do for [t = ceil(FROM / STEP):floor(TO / STEP)] { set xtics add (size_name(t * STEP) t * STEP) }'
# The values of FILE, which stand in column VALUE, upwards from 0; an axis from 0 to 0 there is not.
set_from_zero = 'set autoscale y; stats FILE using VALUE nooutput; \
if (STATS_max == 0) { set yrange [0:1] } else { set yrange [0:*] }'
MOST_BARS = 48 # more are points
# Processes along the x axis by their numbers; hosts by their names, as far as there is room, upright where
# they are many. Need UNIT, N, and where NAMED the arrays TICK and FORMAT_OF (tools/examine/plot_data.h).
NAMES_FONT = EXT eq "svg" ? ",11" : ",8.5"
set_units_below = 'set xlabel UNIT; if (NAMED) { \
if (|TICK| > 8) { set xtics rotate by 90 right () font NAMES_FONT } else { set xtics rotate by -40 autojustify () font NAMES_FONT } ; \
unset xlabel ; do for [t = 1:|TICK|] { set xtics add (FORMAT_OF[t] TICK[t]) } } else { set xtics 0, N > 16 ? int(N / 8) : 1 }'
set_units_across = set_units_below . '; set xrange [-0.6:N - 0.4]'
# The same of a map, sender down and receiver across; gnuplot leaves more room for long names than they take.
set_units_around = set_units_below . '; CLOSER = NAMED && LONGEST_NAME > 4 ? 0.2 * (LONGEST_NAME - 4) : 0; \
set xlabel "receiver" offset 0, CLOSER; set ylabel "sender" offset CLOSER, 0; \
set xrange [-0.5:N - 0.5]; set yrange [N - 0.5:-0.5]; if (NAMED) { set ytics () font NAMES_FONT ; \
do for [t = 1:|TICK|] { set ytics add (FORMAT_OF[t] TICK[t]) } } else { set ytics 0, N > 16 ? int(N / 8) : 1 }'
