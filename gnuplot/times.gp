# Measured times: one panel for each kind of experiment and each collective operation.
# gnuplot -c times.gp OUTPUT FOLDER TITLE PANELS SERIES: FOLDER holds "panels", commands that set what
# times_panel.gp needs and load it, for each of PANELS; SERIES is the most that one of them has.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
FOLDER = ARG2
PANELS = int(ARG4)
COLUMNS = PANELS < 3 ? PANELS : (PANELS == 4 ? 2 : 3)
ROWS = (PANELS + COLUMNS - 1) / COLUMNS
# A legend stands below its panel.
LEGEND = int(ARG5) > 1 ? 20 + 17 * ((int(ARG5) + 2) / 3) : 0
W = 60 + (PANELS == 1 ? 740 : 500 * COLUMNS)
H = 60 + ((PANELS == 1 ? 440 : 340) + LEGEND) * ROWS
load DIR . "common.gp"
set multiplot layout ROWS, COLUMNS title ARG3 . "\n "
load FOLDER . "/panels"
unset multiplot
