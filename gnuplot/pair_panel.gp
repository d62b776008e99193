# A panel: one pair parameter as a heat map, sender down, receiver across.
# Needs FILE (lines: i j value ci), FACTOR, NAME, YLABEL (of the colours), N, UNIT.
# Ranges left by another panel would hide values.
set autoscale
stats FILE using ($3 * FACTOR) nooutput
set title NAME offset 0, 0
set cblabel YLABEL
eval set_units_around
set palette defined (0 "#fff7e0", 1 "#fdbe70", 2 "#d7603e")
set colorbox
set style fill solid 1.0 noborder
unset key
unset grid
# All values alike need a range too.
SPAN = STATS_max - STATS_min > 0 ? 0 : (STATS_max != 0 ? abs(STATS_max) / 10 : 1)
set cbrange [STATS_min - SPAN:STATS_max + SPAN]
DIGITS = STATS_max >= 100 ? "%.0f" : "%.1f"
if (N <= 8) {
    plot FILE using 2:1:($2 - 0.5):($2 + 0.5):($1 - 0.5):($1 + 0.5):($3 * FACTOR) \
             with boxxyerror linecolor palette, \
         FILE using 2:1:(sprintf(DIGITS, $3 * FACTOR)) with labels font ",9"
} else {
    plot FILE using 2:1:($2 - 0.5):($2 + 0.5):($1 - 0.5):($1 + 0.5):($3 * FACTOR) \
             with boxxyerror linecolor palette
}
set grid
set autoscale
set ytics auto
