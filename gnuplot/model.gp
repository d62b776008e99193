# The parameters of a model, a panel each.
# gnuplot -c model.gp OUTPUT FOLDER TITLE N PANELS: FOLDER holds a file for each parameter, what
# "cpm show FILE.mod --param NAME" prints, and "panels", commands that set FILE, FACTOR, NAME and
# YLABEL and load one of the panel scripts for each; N is the number of processes, PANELS theirs.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
N = int(ARG4)
ROWS = (int(ARG5) + 1) / 2
W = 1200
H = 70 + 450 * ROWS
load DIR . "common.gp"
set multiplot layout ROWS, 2 title ARG3 \
    margins 0.08, 0.92, 60.0 / H, 1 - 80.0 / H spacing 0.13, 95.0 / H
FOLDER = ARG2
load FOLDER . "/panels"
unset multiplot
