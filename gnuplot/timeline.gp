# The time line of a predicted run: one row for each process.
# gnuplot -c timeline.gp OUTPUT FOLDER TITLE N END MESSAGES UNIT FACTOR NAMES: FOLDER holds
# "boxes", lines "begin end rank kind" (kind 0: sending, 1: receiving, 2: waiting), and "ways", lines
# "left sender arrived receiver" of the MESSAGES. Times in the files are seconds. END is when
# the last process finishes; times are shown in UNIT, FACTOR of them a second. NAMES is "process", or "host": then
# "ticks" in FOLDER names them.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
N = int(ARG4)
END = real(ARG5)
MESSAGES = int(ARG6)
W = 1100
ROW = N <= 40 ? 34.0 : N < 170 ? 1360.0 / N : 8.0
H = 140 + ROW * N
load DIR . "common.gp"
FACTOR = real(ARG8)
set title ARG3
set xlabel "time [" . ARG7 . "]"
set ylabel "process"
set xrange [0:(END > 0 ? END * FACTOR * 1.01 : 1)]
set yrange [N - 0.4:-0.6]
set ytics 0, N > 40 ? int(N / 20) : 1
if (ARG9 eq "host") {
    load ARG2 . "/ticks"
    set ytics ()
    do for [t = 1:|TICK|] { set ytics add (FORMAT_OF[t] TICK[t]) }
    set ylabel "host: process"
}
unset grid
if (MESSAGES <= 200) { set style fill solid 1 border linecolor rgb "white" }
if (MESSAGES > 200) { set style fill solid 1 noborder }
set style arrow 3 head filled size screen 0.006, 20 linewidth MESSAGES > 40 ? 0.6 : 1.1 \
    linecolor rgb MESSAGES > 40 ? "#90000000" : "#30000000"
set key outside bottom center horizontal Left reverse samplen 2 height 1
HALF = 0.3
# An arrow leaves the row of the sender at the side of the receiver.
side(from, to) = to > from ? HALF : -HALF
colour(kind) = kind == 0 ? 0x0072b2 : kind == 1 ? 0xe69f00 : 0xe4e4e4
BOXES = ARG2 . "/boxes"
WAYS = ARG2 . "/ways"
PLOT_BOXES = 'BOXES using ($1 * FACTOR):3:($1 * FACTOR):($2 * FACTOR):($3 - HALF):($3 + HALF): \
    (colour($4)) with boxxyerror linecolor rgb variable notitle, \
    keyentry with boxes fillcolor rgb BLUE title "sending", \
    keyentry with boxes fillcolor rgb "#e69f00" title "receiving", \
    keyentry with boxes fillcolor rgb "#e4e4e4" title "waiting", \
    keyentry with lines linecolor rgb "black" title "under way"'
if (MESSAGES > 0) {
    plot @PLOT_BOXES, WAYS using ($1 * FACTOR):($2 + side($2, $4)):(($3 - $1) * FACTOR): \
        ($4 - $2 - 2 * side($2, $4)) with vectors arrowstyle 3 notitle
} else {
    plot @PLOT_BOXES
}
