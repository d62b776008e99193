# The parameters of a model, a panel each.
# gnuplot -c model.gp OUTPUT FOLDER TITLE N PANELS UNIT: FOLDER holds a file for each parameter, what
# "cpm show FILE.mod --param NAME" prints, and "panels", commands that set FILE, FACTOR, NAME and
# YLABEL and load one of the panel scripts for each; N is the number of processes, PANELS theirs.
# UNIT is "process", or "host": then "ticks" names them.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
N = int(ARG4)
PANELS = int(ARG5)
UNIT = ARG6
FOLDER = ARG2
NAMED = UNIT eq "host"
if (NAMED) { load FOLDER . "/ticks" }
COLUMNS = PANELS == 1 ? 1 : NAMED && PANELS > 8 ? 4 : 2
ROWS = (PANELS + COLUMNS - 1) / COLUMNS
# Names of hosts stand below and beside the panels.
LONGER = NAMED && LONGEST_NAME > 10 ? 9 * (LONGEST_NAME - 10) : 0
BELOW = (NAMED ? 145.0 : 95.0) + LONGER
LEFT = (NAMED ? 110.0 : 96.0) + LONGER
W = ((NAMED ? 575 : 620) + LONGER) * COLUMNS
H = 70 + ((NAMED ? 470 : 450) + LONGER) * ROWS
load DIR . "common.gp"
set multiplot layout ROWS, COLUMNS title ARG3 \
    margins LEFT / W, 1 - (NAMED ? 100.0 : 96.0) / W, (BELOW - 35) / H, 1 - 80.0 / H \
    spacing ((NAMED ? 205.0 : 180.0) + LONGER) / W, BELOW / H
load FOLDER . "/panels"
unset multiplot
