# Predictions against observations: one panel for each algorithm.
# gnuplot -c validation.gp OUTPUT FILE.tsv TITLE '"ALGORITHM" ...': FILE.tsv is what
# "cpm validate -o FILE.tsv" writes.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
PANELS = words(ARG4)
COLUMNS = PANELS < 3 ? PANELS : 3
ROWS = (PANELS + COLUMNS - 1) / COLUMNS
W = (PANELS == 1 ? 20 : 60) + 420 * COLUMNS
H = 60 + 330 * ROWS
load DIR . "common.gp"
set datafile separator tab
set multiplot layout ROWS, COLUMNS title ARG3 eq " " ? "" : ARG3 . "\n "

set logscale xy
set xlabel "block size [bytes]"
set ylabel "time [us]"
set format y "10^{%L}"
set termoption enhanced
eval set_size_tics
set key top left Left reverse samplen 2
# Size 0 has no place on a logarithmic axis; bars that reach 0 neither.
above(x) = x > 0 ? x : NaN
do for [k = 1:PANELS] {
    A = word(ARG4, k)
    set autoscale
    stats ARG2 using (strcol(1) eq A && $2 > 0 ? $2 : NaN) nooutput
    FIRST = STATS_records > 0 ? STATS_min : 1
    LAST = STATS_records > 0 ? STATS_max : 2
    set xrange [FIRST / 1.5:LAST * 1.5]
    set title A noenhanced
    plot ARG2 using (strcol(1) eq A ? above($2) : NaN):3 with lines linewidth 2 \
             linecolor rgb BLUE title "predicted", \
         ARG2 using (strcol(1) eq A ? above($2) : NaN):5:(0):($6 - $5) with vectors \
             arrowstyle 1 notitle, \
         ARG2 using (strcol(1) eq A ? above($2) : NaN):4 with points pointtype 7 \
             pointsize 0.8 linecolor rgb ORANGE title "observed"
}
unset multiplot
