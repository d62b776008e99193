# Deviations of processes and links from what is usual.
# gnuplot -c doctor.gp OUTPUT FOLDER TITLE N NAMES SHAPES UNIT: FOLDER holds for each of NAMES a file of
# lines "i times" (its word of SHAPES is row) or "i j times" (map), and where its word ends with -found
# NAME.found has the findings "i j times". NAME is "L" or, of messages of 65536 bytes and more, "L,65536". UNIT is "process", or "host": then "ticks" names them.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
N = int(ARG4)
UNIT = ARG7
NAMED = UNIT eq "host"
if (NAMED) { load ARG2 . "/ticks" }
COLUMNS = words(ARG5) > 1 ? (NAMED && words(ARG5) > 8 ? 4 : 2) : 1
ROWS = (words(ARG5) + COLUMNS - 1) / COLUMNS
W = 600 * COLUMNS
H = 60 + 470 * ROWS
load DIR . "common.gp"
set multiplot layout ROWS, COLUMNS title ARG3 . " (crosses: findings)" \
    margins (NAMED ? 110.0 : 96.0) / W, 1 - 96.0 / W, (NAMED ? 95.0 : 75.0) / H, 1 - 70.0 / H \
    spacing (NAMED ? 206.0 : 168.0) / W, 125.0 / H

# Half and twice as much are equally far from 1; colours span at least 1/2 to 2.
log2(x) = log(x) / log(2)
do for [k = 1:words(ARG5)] {
    NAME = word(ARG5, k)
    COMMA = strstrt(NAME, ",")
    WHAT = COMMA ? NAME[1:COMMA - 1] : NAME
    BEHIND = (COMMA ? " from " . NAME[COMMA + 1:*] . " B on" : "") . ", times the median"
    FILE = ARG2 . "/" . NAME
    FOUND = FILE . ".found"
    SHAPE = word(ARG6, k)
    HAS = strstrt(SHAPE, "-found") > 0
    if (SHAPE[1:3] eq "row") {
        set title WHAT . " of a " . UNIT . BEHIND
        unset ylabel
        set autoscale
        set ytics auto
        eval set_units_across
        set yrange [0:*]
        set boxwidth 0.7
        set style fill solid 0.55 border
        unset key
        unset colorbox
        set grid
        LOOKS = NAMED && N > MOST_BARS ? "points pointtype 7 pointsize 0.5" : "boxes"
        BARS = 'plot FILE using 1:2 with ' . LOOKS . ' linecolor rgb BLUE, 1 with lines linecolor rgb GREY'
        CROSSES = ', FOUND using 1:3 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb ORANGE'
        eval BARS . (HAS ? CROSSES : "")
    } else {
        # Ranges left by another panel would hide values.
        set autoscale
        stats FILE using (abs(log2($3))) nooutput
        SPAN = STATS_max > 1 ? STATS_max : 1
        set title WHAT . " of a link" . BEHIND
        eval set_units_around
        set palette defined (-1 "#2b6ca8", -0.35 "#a9cbe4", 0 "#f7f7f7", 0.35 "#fdbe70", 1 "#c8401e")
        set cbrange [-SPAN:SPAN]
        set cbtics ("1/8" -3, "1/4" -2, "1/2" -1, "1" 0, "2" 1, "4" 2, "8" 3)
        set colorbox
        set style fill solid 1.0 noborder
        unset key
        unset grid
        if (HAS) {
            plot FILE using 2:1:($2 - 0.5):($2 + 0.5):($1 - 0.5):($1 + 0.5):(log2($3)) \
                     with boxxyerror linecolor palette, \
                 FOUND using 2:1 with points pointtype 2 pointsize 1.4 linewidth 2.5 linecolor rgb "black"
        } else {
            plot FILE using 2:1:($2 - 0.5):($2 + 0.5):($1 - 0.5):($1 + 0.5):(log2($3)) \
                     with boxxyerror linecolor palette
        }
    }
}
unset multiplot
