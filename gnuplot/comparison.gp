# Predictions of several models against the same observations: one panel for each algorithm.
# gnuplot -c comparison.gp OUTPUT FILE.tsv TITLE "ALGORITHM ..." '"MODEL" "MODEL" ...' ROOT: FILE.tsv
# is what "cpm compare -o FILE.tsv" writes; the rows of that root are drawn.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
PANELS = words(ARG4)
MODELS = words(ARG5)
COLUMNS = PANELS < 3 ? PANELS : 3
ROWS = (PANELS + COLUMNS - 1) / COLUMNS
W = (PANELS == 1 ? 0 : 60) + 460 * COLUMNS
KEY_ROWS = PANELS == 1 ? MODELS + 1 : (MODELS + 3) / 3
KEY = 30 + 20 * KEY_ROWS
TOP = ARG3 eq " " ? 35 : 75 # one panel may do without a title for all
H = TOP - 15 + (PANELS == 1 ? 320 : 350) * ROWS + KEY
load DIR . "common.gp"
set datafile separator tab
set multiplot layout ROWS, COLUMNS title ARG3 . "\n " \
    margins 75.0 / W, 1 - 20.0 / W, (KEY + 50.0) / H, 1 - (TOP + 0.0) / H spacing 75.0 / W, 90.0 / H
set logscale xy
set xlabel "block size [bytes]"
set ylabel "time [us]"
set format y "10^{%L}"
set termoption enhanced
eval set_size_tics
set linetype 1 linecolor rgb BLUE
set linetype 2 linecolor rgb GREEN
set linetype 3 linecolor rgb "#cc79a7"
set linetype 4 linecolor rgb "#e69f00"
set linetype 5 linecolor rgb "#56b4e9"
set linetype 6 linecolor rgb GREY
set linetype 7 linecolor rgb "#000000"
set linetype 8 linecolor rgb "#f0e442"
COLOURS = 8 # the next models have the same colours, but dashed lines
FIRST_MODEL = word(ARG5, 1)
shown(a, m) = strcol(2) eq a && strcol(1) eq m && strcol(3) eq ARG6 && $4 > 0
do for [k = 1:PANELS] {
    A = word(ARG4, k)
    set autoscale
    stats ARG2 using (shown(A, FIRST_MODEL) ? $4 : NaN) nooutput
    set xrange [STATS_min / 1.5:STATS_max * 1.5]
    set title A noenhanced
    # The legend of all panels stands below the last one.
    if (k == PANELS) {
        set key at screen 0.5, screen (KEY - 5.0) / H center top vertical \
            maxrows KEY_ROWS Left reverse samplen 4 noenhanced
    } else { unset key }
    plot for [m = 1:MODELS] ARG2 using (shown(A, word(ARG5, m)) ? $4 : NaN):5 with lines \
             linetype (m - 1) % COLOURS + 1 \
             dashtype 1 + (m - 1) / COLOURS linewidth 2 title word(ARG5, m), \
         ARG2 using (shown(A, FIRST_MODEL) ? $4 : NaN):7:(0):($8 - $7) with vectors \
             arrowstyle 1 notitle, \
         ARG2 using (shown(A, FIRST_MODEL) ? $4 : NaN):6 with points pointtype 7 \
             pointsize 0.8 linecolor rgb ORANGE title "observed"
}
unset multiplot
