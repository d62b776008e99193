# Every time that was measured, natively and tuned: a panel for each operation.
# gnuplot -c incast.gp OUTPUT FOLDER "OPERATION ..." M1 M2: FOLDER holds OPERATION.native and
# OPERATION.tuned, with lines "bytes seconds median"; M1 and M2 are bytes or nan.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
PANELS = words(ARG3)
W = 60 + 480 * PANELS
H = 440
load DIR . "../../gnuplot/common.gp"
M1 = real(ARG4)
M2 = real(ARG5)
set multiplot layout 1, PANELS
set logscale xy
eval set_size_tics
set xlabel "block size [bytes]"
set ylabel "time [ms]"
set xrange [*:*] noextend
set offsets graph 0.04, graph 0.04, graph 0.05, graph 0
set key bottom right Left reverse samplen 2
if (M1 == M1) {
    set arrow 1 from M1, graph 0 to M1, graph 1 nohead dashtype 2 linecolor rgb GREY
    set label 1 " M1" at M1, graph 0.96 textcolor rgb "#444444"
}
if (M2 == M2) {
    set arrow 2 from M2, graph 0 to M2, graph 1 nohead dashtype 2 linecolor rgb GREY
    set label 2 " M2" at M2, graph 0.96 textcolor rgb "#444444"
}
do for [k = 1:PANELS] {
    NATIVE = sprintf("%s/%s.native", ARG2, word(ARG3, k))
    TUNED = sprintf("%s/%s.tuned", ARG2, word(ARG3, k))
    set title "MPI_" . (word(ARG3, k) eq "gatherv" ? "Gatherv" : "Gather")
    plot NATIVE using 1:($2 * 1e3) with points pointtype 6 pointsize 0.6 linecolor rgb ORANGE \
             title "the MPI library's own, 10 times", \
         NATIVE using 1:($3 * 1e3) with lines linewidth 2 linecolor rgb ORANGE title "its median", \
         TUNED using 1:($2 * 1e3) with points pointtype 2 pointsize 0.6 linecolor rgb BLUE \
             title "chosen by the model, 10 times", \
         TUNED using 1:($3 * 1e3) with lines linewidth 2 linecolor rgb BLUE title "its median"
}
unset multiplot
