# A panel: one process parameter as bars, one beside the other for each regime of message sizes.
# Needs FILE (a block of lines "i value ci" for each regime), SIZES (first ones of regimes), FACTOR, NAME,
# YLABEL, N, UNIT.
set title NAME
set ylabel YLABEL
eval set_units_across
set yrange [0:*]
REGIMES = words(SIZES)
WIDTH = 0.8 / REGIMES
set boxwidth WIDTH
set style fill solid 0.55 border
unset colorbox
array COLOUR[4] = [BLUE, ORANGE, GREEN, GREY]
if (REGIMES > 1) { set key top left Left reverse maxrows 1 samplen 1 width -2 } else { unset key }
# Bars leave room for the legend.
set offsets 0, 0, graph (REGIMES > 1 ? 0.12 : 0), 0
beside(k) = (k - (REGIMES - 1) / 2.0) * WIDTH
plot for [k = 0:REGIMES - 1] FILE index k using ($1 + beside(k)):($2 * FACTOR) with boxes \
         linecolor rgb COLOUR[k % 4 + 1] title "from " . word(SIZES, k + 1) . " B", \
     for [k = 0:REGIMES - 1] FILE index k using ($1 + beside(k)):(($2 - $3) * FACTOR):(0):(2 * $3 * FACTOR) \
         with vectors arrowstyle 2 notitle
unset key
set offsets 0, 0, 0, 0
