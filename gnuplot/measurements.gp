# Measured times: one panel for each kind of experiment and each collective.
# gnuplot -c measurements.gp OUTPUT FOLDER TITLE "NAME NAME ..." "AXIS AXIS ...": FOLDER holds files
# 1, 2, ..., one for each name, with lines "x value ci_low ci_high" in seconds; an axis is "log" or
# "linear" (x is a size in bytes) or "row" (x is the number of the experiment).
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
PANELS = words(ARG4)
COLUMNS = PANELS < 3 ? PANELS : (PANELS == 4 ? 2 : 3)
ROWS = (PANELS + COLUMNS - 1) / COLUMNS
W = 60 + (PANELS == 1 ? 700 : 480 * COLUMNS)
H = 60 + (PANELS == 1 ? 440 : 340 * ROWS)
load DIR . "common.gp"
set multiplot layout ROWS, COLUMNS title ARG3 . "\n "

set ylabel "time [us]"
unset key
above(x) = x > 0 ? x : NaN
do for [k = 1:PANELS] {
    AXIS = word(ARG5, k)
    FILE = sprintf("%s/%d", ARG2, k)
    set title word(ARG4, k)
    set xtics auto
    set xrange [*:*]
    unset logscale
    set xlabel AXIS eq "row" ? "experiment" : "size [bytes]"
    if (AXIS eq "row") { set logscale y }
    if (AXIS eq "linear") { set yrange [0:*]; set format x "%.0s%c" } else { set yrange [*:*]; set format x "%g" }
    if (AXIS eq "log") {
        set logscale xy
        eval set_size_tics
    }
    plot FILE using (AXIS eq "log" ? above($1) : $1):($3 * 1e6):(0):(($4 - $3) * 1e6) \
             with vectors arrowstyle 1, \
         FILE using (AXIS eq "log" ? above($1) : $1):($2 * 1e6) \
             with points pointtype 7 pointsize 0.6 linecolor rgb BLUE
}
unset multiplot
