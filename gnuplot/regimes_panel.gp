# A panel: one process parameter as bars, one beside the other for each regime of message sizes; as
# points where there is no room for bars.
# Needs FILE (a block of lines "i value ci" for each regime), SIZES (first ones of regimes), FACTOR, NAME,
# YLABEL, N, UNIT.
REGIMES = words(SIZES)
set title NAME offset 0, (REGIMES > 1 ? 0.9 : 0)
set ylabel YLABEL
eval set_units_across
set yrange [0:*]
set offsets 0, 0, graph 0.05, 0
WIDTH = 0.8 / REGIMES
set boxwidth WIDTH
set style fill solid 0.55 border
unset colorbox
array COLOUR[4] = [BLUE, ORANGE, GREEN, GREY]
# The legend is between the title and the panel.
KEY_FONT = exists("UNTITLED") ? NAMES_FONT : ""
if (REGIMES > 1) {
    set key at graph 0, graph (exists("UNTITLED") ? 1.09 : 1.06) left Left reverse maxrows 1 samplen 1 font KEY_FONT width (exists("UNTITLED") ? -2.5 : -1)
} else { unset key }
from(k) = (k ? "" : "from ") . word(SIZES, k + 1) . " B"
beside(k) = (k - (REGIMES - 1) / 2.0) * WIDTH
if (N <= MOST_BARS) {
    plot for [k = 0:REGIMES - 1] FILE index k using ($1 + beside(k)):($2 * FACTOR) with boxes \
             linecolor rgb COLOUR[k % 4 + 1] title from(k), \
         for [k = 0:REGIMES - 1] FILE index k using ($1 + beside(k)):(($2 - $3) * FACTOR):(0): \
             (2 * $3 * FACTOR) with vectors arrowstyle 2 notitle
} else {
    plot for [k = 0:REGIMES - 1] FILE index k using 1:($2 * FACTOR) with points pointtype 7 \
             pointsize 0.5 linecolor rgb COLOUR[k % 4 + 1] title from(k)
}
unset key
unset offsets
