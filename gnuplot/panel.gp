# One parameter of a model, as a picture of its own without a title (model.gp has them all).
# gnuplot -c panel.gp OUTPUT FOLDER NUMBER N UNIT FORM: FOLDER holds what model.gp is given, NUMBER is that of
# the panel, N the number of processes. UNIT is "process", or "host": then "ticks" names them. FORM is "bars",
# "map", or "large": a map with room for a name at each tick, to be scrolled.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
FOLDER = ARG2
N = int(ARG4)
UNIT = ARG5
BARS = ARG6 eq "bars"
UNTITLED = 1
NAMED = UNIT eq "host"
if (NAMED) { load FOLDER . "/ticks" }
NAMES = NAMED ? 6.6 * LONGEST_NAME : 0 # pixels
LEFT = BARS ? 80.0 : NAMED ? 40 + 1.2 * NAMES : 70.0
BELOW = 62.0 # an axis of numbers
# An array that is not there must not even be named in an expression that is not taken.
if (NAMED) { BELOW = (BARS ? 20.0 : 48.0) + (|TICK| > 8 ? NAMES : 10 + 0.7 * NAMES) }
BELOW = BELOW < 62.0 ? 62.0 : BELOW
RIGHT = BARS ? (NAMED ? 46.0 : 22.0) : 78.0
W = ARG6 eq "large" ? LEFT + RIGHT + 15.0 * N : 430
H = BELOW + (ARG6 eq "large" ? 20.0 + 15.0 * N : 275)
load DIR . "common.gp"
set style arrow 2 heads size screen 0.004, 90 linewidth 1 linecolor rgb "#444444"
set multiplot layout 1, 1 margins LEFT / W, 1 - RIGHT / W, BELOW / H, 1 - (BARS ? 42.0 : 16.0) / H
load FOLDER . "/panel." . ARG3
unset multiplot
