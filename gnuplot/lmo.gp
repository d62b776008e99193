# The parameters of an LMO model.
# gnuplot -c lmo.gp OUTPUT FOLDER TITLE N: FOLDER holds C, t, L, invbeta, each what
# "cpm show FILE.mod --param NAME" prints; N is the number of processes.
DIR = ARG0
while (strlen(DIR) > 0 && DIR[strlen(DIR):*] ne "/") { DIR = DIR[1:strlen(DIR) - 1] }
OUTPUT = ARG1
N = int(ARG4)
W = 1200
H = 1000
load DIR . "common.gp"
set multiplot layout 2, 2 title ARG3 margins 0.08, 0.92, 0.07, 0.91 spacing 0.13, 0.11

FILE = ARG2 . "/C"; FACTOR = 1e6; NAME = "C: fixed delay of a process"; YLABEL = "us"
load DIR . "process_panel.gp"
FILE = ARG2 . "/t"; FACTOR = 1e9; NAME = "t: delay per byte of a process"; YLABEL = "ns/B"
load DIR . "process_panel.gp"
FILE = ARG2 . "/L"; FACTOR = 1e6; NAME = "L: latency of the network"; YLABEL = "us"
load DIR . "pair_panel.gp"
FILE = ARG2 . "/invbeta"; FACTOR = 1e9; NAME = "1/beta: time per byte of the network"; YLABEL = "ns/B"
load DIR . "pair_panel.gp"
unset multiplot
