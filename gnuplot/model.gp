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
COLUMNS = PANELS > 1 ? 2 : 1
ROWS = (PANELS + COLUMNS - 1) / COLUMNS
# Names of hosts stand below and beside the panels.
BELOW = NAMED ? 135.0 : 95.0
PANEL = NAMED ? 520 : 450
W = 600 * COLUMNS
H = 70 + PANEL * ROWS
load DIR . "common.gp"
set multiplot layout ROWS, COLUMNS title ARG3 \
    margins (NAMED ? 0.11 : 0.08), 0.92, (BELOW - 35) / H, 1 - 80.0 / H spacing (NAMED ? 0.18 : 0.13), BELOW / H
load FOLDER . "/panels"
unset multiplot
