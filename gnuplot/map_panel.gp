# A panel: one pair parameter of hosts as a heat map, sender down, receiver across; any number of them.
# Needs FILE (lines "i j value" of all, nan of those that are no pair or not known), FACTOR, NAME, YLABEL (of
# the colours), N, UNIT.
set autoscale
stats FILE using ($3 * FACTOR) nooutput
set title NAME offset 0, 0
set cblabel YLABEL offset NAMED ? 0 : 1, 0
eval set_units_around
set palette defined (0 "#fff7e0", 1 "#fdbe70", 2 "#d7603e") # values are read on it
if (N > 8) { set palette defined (0 "#fff7e0", 1 "#fdbe70", 2 "#d7603e", 3 "#5b1a18") }
set style fill solid 1.0 noborder
set colorbox
unset key
unset grid
# A few that are far from the others would leave these one colour: they get that of the end.
FAR = 3 * (STATS_up_quartile - STATS_lo_quartile)
LEAST = STATS_min < STATS_lo_quartile - FAR ? STATS_lo_quartile - FAR : STATS_min
MOST = STATS_max > STATS_up_quartile + FAR ? STATS_up_quartile + FAR : STATS_max
# All values alike need a range too, and what differs by rounding is alike.
SPAN = MOST - LEAST > 1e-6 * abs(MOST) ? 0 : (MOST != 0 ? abs(MOST) / 10 : 1)
set cbrange [LEAST - SPAN:MOST + SPAN]
DIGITS = STATS_max >= 100 ? "%.0f" : STATS_max >= 10 ? "%.1f" : "%.2f"
# Browsers blur an image of few cells.
CELLS = 'plot FILE using (valid(3) ? $2 : NaN):1:($2 - 0.5):($2 + 0.5):($1 - 0.5):($1 + 0.5):($3 * FACTOR) \
             with boxxyerror linecolor palette'
VALUES = ', FILE using 2:1:(valid(3) ? sprintf(DIGITS, $3 * FACTOR) : "") with labels font ",9"'
if (N > 32) { plot FILE using 2:1:($3 * FACTOR) with image } else { eval CELLS . (N <= 8 ? VALUES : "") }
set grid
set autoscale
set ytics auto font ""
