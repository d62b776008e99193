# One parameter of a model, as a picture of its own (model.gp has them all).
# gnuplot -c panel.gp OUTPUT FOLDER NUMBER N UNIT FULL: FOLDER holds what model.gp is given, NUMBER is that of
# the panel, N the number of processes. UNIT is "process", or "host": then "ticks" names them. FULL is 1 for a
# picture that is large enough for a name at each tick, to be scrolled.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
FOLDER = ARG2
N = int(ARG4)
UNIT = ARG5
FULL = int(ARG6)
NAMED = UNIT eq "host"
if (NAMED) { load FOLDER . "/ticks" }
LEFT = NAMED ? 96.0 : 70.0
BELOW = NAMED ? 92.0 : 62.0
RIGHT = 72.0
W = FULL ? LEFT + RIGHT + 15.0 * N : 480
H = FULL ? BELOW + 50.0 + 15.0 * N : 400
load DIR . "common.gp"
set termoption font "sans,12"
set multiplot layout 1, 1 margins LEFT / W, 1 - RIGHT / W, BELOW / H, 1 - 50.0 / H
load FOLDER . "/panel." . ARG3
unset multiplot
