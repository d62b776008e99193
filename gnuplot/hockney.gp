# The parameters of a Hockney model.
# gnuplot -c hockney.gp OUTPUT FOLDER TITLE N: FOLDER holds alpha and beta, each what
# "cpm show FILE.mod --param NAME" prints; N is the number of processes.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
N = int(ARG4)
W = 1200
H = 560
load DIR . "common.gp"
set multiplot layout 1, 2 title ARG3 margins 0.07, 0.92, 0.12, 0.86 spacing 0.14, 0.11

FILE = ARG2 . "/alpha"; FACTOR = 1e6; NAME = "alpha: latency"; YLABEL = "us"
load DIR . "pair_panel.gp"
FILE = ARG2 . "/beta"; FACTOR = 1e9; NAME = "beta: time per byte"; YLABEL = "ns/B"
load DIR . "pair_panel.gp"
unset multiplot
