# A panel: a parameter over the message size, each value of a process or pair a point, their mean a
# line. Needs FILE (lines: size ... value ci), VALUE (column of the value), FACTOR, NAME, YLABEL.
set autoscale
set title NAME
set xlabel "message size [bytes]" offset 0, 0
set ylabel YLABEL offset 0, 0
set logscale x 2
set offsets graph 0.03, graph 0.03, 0, 0
set xtics norotate autojustify font ""
eval set_size_tics
eval set_from_zero
unset key
unset colorbox
set style fill solid 0.55 border
size_of(s) = s < 1 ? 1 : s
plot FILE using (size_of($1)):(column(VALUE) * FACTOR) with points pointtype 7 pointsize 0.5 linecolor rgb BLUE, \
     FILE using (size_of($1)):(column(VALUE) * FACTOR) smooth unique with lines linewidth 2 linecolor rgb ORANGE
unset logscale x
unset offsets
set xtics auto
set autoscale
