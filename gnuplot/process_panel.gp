# A panel: one process parameter as bars with its confidence intervals.
# Needs FILE (lines: i value ci), VALUE (column of the value), FACTOR, NAME, YLABEL, N, UNIT.
set title NAME offset 0, 0
set ylabel YLABEL offset 0, 0
eval set_units_across
eval set_from_zero
set offsets 0, 0, graph 0.05, 0
set boxwidth 0.7
set style fill solid 0.55 border
unset key
unset colorbox
if (N <= MOST_BARS) {
    plot FILE using 1:($2 * FACTOR) with boxes linecolor rgb BLUE, \
         FILE using 1:(($2 - $3) * FACTOR):(0):(2 * $3 * FACTOR) with vectors arrowstyle 2
} else {
    plot FILE using 1:($2 * FACTOR) with points pointtype 7 pointsize 0.5 linecolor rgb BLUE
}
unset offsets
