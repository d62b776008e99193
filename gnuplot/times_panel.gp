# A panel: measured times with their confidence intervals over the size of messages, or over a process.
# Needs FILE (a block of lines "x value ci_low ci_high" in seconds for each series), NAME, XLABEL,
# SERIES and their TITLE[], the ranges LEAST, MOST (x; of size 0 nothing), LOWEST, HIGHEST (us),
# LOGARITHMIC (x), ZERO (there is a size 0; on a logarithmic axis it stands at half of LEAST),
# BY (what x is: "size", "process", or "algorithm": then it counts from LEAST on).
array COLOUR[8] = [BLUE, ORANGE, GREEN, "#cc79a7", "#e69f00", "#56b4e9", "#000000", GREY]
array SHAPE[6] = [7, 5, 9, 13, 11, 6] # changes where colours begin anew
set title NAME
set xlabel XLABEL . (SERIES > 1 && BY ne "algorithm" ? "\n " : "")
set ylabel "time [us]"
unset logscale
set format x "%g"
set format y HIGHEST >= 1e6 ? "%.0f" : "%g" # 1000000, not 1e+06
set xtics auto
if (LOGARITHMIC) {
    set logscale x
    eval set_size_tics
    if (ZERO) { # which stands left of all sizes
        set xtics ("0" LEAST / 2)
        do for [k = 0:12] { if (4 ** k >= LEAST) { set xtics add (size_name(4 ** k) 4 ** k) } }
    }
    set xrange [LEAST / (ZERO ? 3 : 1.5):MOST * 1.5]
} else {
    SPAN = MOST > LEAST || ZERO ? MOST - (ZERO ? 0 : LEAST) : 0
    SPAN = SPAN > 0 ? SPAN : (MOST > 0 ? MOST : 1)
    set xrange [(ZERO ? 0 : LEAST) - 0.04 * SPAN:MOST + 0.04 * SPAN]
    if (BY eq "size") { FROM = ZERO ? 0.0 : LEAST; TO = MOST; eval set_linear_size_tics }
    if (BY eq "process" && SPAN <= 16) { set xtics 1 }
    if (MOST == LEAST) { set xtics ((BY eq "size" ? size_name(MOST) : sprintf("%g", MOST)) MOST) }
}
if (BY eq "algorithm") {
    unset xlabel
    set xtics rotate by -40 ()
    do for [k = 1:SERIES] { set xtics add (TITLE[k] LEAST + k - 1) }
} else { set xtics norotate }
if (LOGARITHMIC && HIGHEST > 20 * LOWEST && LOWEST > 0) {
    set logscale y
    set yrange [LOWEST / 1.3:HIGHEST * 1.3]
} else { set yrange [0:HIGHEST > 0 ? HIGHEST * 1.08 : 1] }
if (SERIES > 1 && BY ne "algorithm") { set key below left Left reverse samplen 1.5 font ",9" } else { unset key }
LINES = SERIES > 1 && BY ne "algorithm"
colour(k) = COLOUR[1 + LINES * (k % 8)]
shape(k) = SHAPE[1 + LINES * (k / 8 % 6)]
plot for [k = 0:SERIES - 1] FILE index k using 1:($3 * 1e6):(0):(($4 - $3) * 1e6) \
         with vectors arrowstyle (SERIES > 1 ? 3 : 1) notitle, \
     for [k = 0:SERIES - 1] FILE index k using 1:(LINES ? $2 * 1e6 : NaN) smooth unique with lines \
         linewidth 1.2 linecolor rgb colour(k) notitle, \
     for [k = 0:SERIES - 1] FILE index k using 1:($2 * 1e6) with points pointtype shape(k) \
         pointsize 0.6 linecolor rgb colour(k) title TITLE[k + 1]
