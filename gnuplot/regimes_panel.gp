# A panel: one process parameter over the message size, a step for each regime and dashed lines where
# these end: a line of each process where there are few, else all of them and their median.
# Needs FILE (a block of lines "i value ci" for each regime), SIZES (first ones of regimes), MEDIANS (of
# the values in them), VALUE (column of the value), FACTOR, NAME, YLABEL, N, UNIT.
REGIMES = words(SIZES)
FEW = 8
set autoscale
set title NAME offset 0, 0
set xlabel "message size [bytes]" offset 0, 0
set ylabel YLABEL offset 0, 0
eval set_from_zero
set offsets 0, 0, graph 0.05, 0
unset colorbox
unset key
array COLOUR[8] = [BLUE, ORANGE, GREEN, "#cc79a7", "#e69f00", "#56b4e9", "#000000", GREY]
# The first regime begins with size 0, which has no place on a logarithmic axis, the last has no end.
start_of(k) = k == 0 ? BEGIN : word(SIZES, k + 1) + 0.0
end_of(k) = k + 1 < REGIMES ? word(SIZES, k + 2) + 0.0 : END
# A regime whose values are unknown has none.
median_of(k) = word(MEDIANS, k + 1) eq "NaN" ? NaN : word(MEDIANS, k + 1) + 0.0
break_name(b) = int(b) % 1024 ? sprintf("%d", b) : size_name(b)
BEGIN = REGIMES > 1 ? 4.0 ** floor(log(word(SIZES, 2) / 16.0) / log(4)) : 16
BEGIN = BEGIN < 1 ? 1 : BEGIN # a tick of the axis, which "0" then replaces
END = (REGIMES > 1 ? word(SIZES, REGIMES) + 0.0 : 65536.0) * 8
set logscale x 2
set xrange [BEGIN:END]
set xtics norotate autojustify font ""
eval set_size_tics
set xtics add ("0" BEGIN)
do for [k = 1:REGIMES - 1] {
    set arrow k from start_of(k), graph 0 to start_of(k), graph 1 nohead dashtype 2 linecolor rgb "#888888"
    set label k break_name(start_of(k)) at start_of(k), graph 0.04 offset 0.4, 0 font ",8" textcolor rgb "#444444"
}
# Intervals stand side by side within a regime.
beside(k, i) = start_of(k) * (end_of(k) / start_of(k)) ** ((i + 1.0) / (N + 1))
if (N <= FEW) {
    if (NAMED) { # names of hosts, where there are all of them
        array LABEL[N]; do for [i = 1:N] { LABEL[i] = NAME_OF[i] }
    } else { array LABEL[N]; do for [i = 1:N] { LABEL[i] = sprintf("%s %d", UNIT, i - 1) } }
    set key inside top center maxrows 2 Left reverse samplen 1 width -1 font ",9"
    set offsets 0, 0, graph 0.3, 0
    plot for [i = 0:N - 1] for [k = 0:REGIMES - 1] FILE index k every ::i::i using (start_of(k)):($2 * FACTOR): \
             (end_of(k) - start_of(k)):(0) with vectors nohead linewidth 2 linecolor rgb COLOUR[i % 8 + 1] notitle, \
         for [i = 0:N - 1] for [k = 0:REGIMES - 1] FILE index k every ::i::i using (beside(k, i)): \
             (($2 - $3) * FACTOR):(0):(2 * $3 * FACTOR) with vectors heads size screen 0.002, 90 linewidth 1 \
             linecolor rgb COLOUR[i % 8 + 1] notitle, \
         for [i = 0:N - 1] NaN with lines linewidth 2 linecolor rgb COLOUR[i % 8 + 1] title LABEL[i + 1]
} else {
    set key inside top right horizontal samplen 1.5 font ",9"
    set offsets 0, 0, graph 0.15, 0
    plot for [k = 0:REGIMES - 1] FILE index k using (start_of(k)):($2 * FACTOR):(end_of(k) - start_of(k)):(0) \
             with vectors nohead linewidth 1 linecolor rgb "#a00072b2" notitle, \
         NaN with lines linewidth 1 linecolor rgb BLUE title "each", \
         NaN with lines linewidth 2.5 linecolor rgb ORANGE title "median", \
         for [k = 0:REGIMES - 1] "+" every ::0::0 using (start_of(k)):(median_of(k) * FACTOR):(end_of(k) - start_of(k)):(0) \
             with vectors nohead linewidth 2.5 linecolor rgb ORANGE notitle
}
do for [k = 1:REGIMES - 1] { unset arrow k; unset label k }
unset logscale x
unset offsets
unset key
set xtics auto
set autoscale
