#!/usr/bin/env bash
# The page of cpm report in a browser: it loads without errors, asks for nothing, fits a narrow and a wide
# window in light and dark; charts and maps are drawn, name hosts under the pointer and zoom; tables sort.
. "$(dirname "$0")/lib.sh"
browser=
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    browser=${browser:-$(command -v $name)}
done
[ -n "$browser" ] || { echo "skipped: no browser (Debian: apt install chromium-headless-shell)"; exit 77; }
[ "$("$browser" --version 2>/dev/null | grep -c .)" = 1 ] || { echo "skipped: $browser does not start"; exit 77; }
unset CPM_CHART_JS

play=(--machine hosts4.mod --noise 0.02 --quiet)
"$cpm" bench coll "${play[@]}" bcast:binomial,gather:linear -m 1K,16K -o observed.meas >/dev/null
python3 - <<'PYTHON'
import json
model = json.load(open("hosts4.mod"))
model.setdefault("provenance", {})["date"] = "2027-01-01T00:00:00Z"
json.dump(model, open("later.mod", "w"))
PYTHON
works "$cpm" report hosts4.mod observed.meas later.mod lmo4.mod -o page.html
charts=yes
grep -q 'libjs-chart.js' stderr && charts=no && echo "without Chart.js (Debian: apt install libjs-chart.js): no charts are looked at"

# What the page says of itself when all is loaded.
cat >look.html <<'SCRIPT'
<script>
addEventListener("load", function () {
  var root = document.documentElement, small = 99, said = [];
  function say(name, value) { said.push(name + "=" + value); }
  function point(node, kind, x, y) {
    var area = node.getBoundingClientRect();
    node.dispatchEvent(new PointerEvent(kind, { bubbles: true, pointerType: "mouse", button: 0,
      clientX: area.left + x * area.width, clientY: area.top + y * area.height }));
  }
  function column(table, name) {
    var heads = Array.from(table.tHead.rows[0].cells);
    var at = heads.findIndex(function (cell) { return cell.textContent.trim() === name; });
    return { button: heads[at].querySelector("button"), cells: function () {
      return Array.from(table.tBodies[0].rows, function (row) { return row.cells[at].textContent; }).join(","); } };
  }
  dispatchEvent(new Event("beforeprint")); // draws all that is not folded
  say("drawn", root.dataset.drawn);
  say("ms", root.dataset.ms);
  say("over", root.scrollWidth - root.clientWidth);
  say("wide", innerWidth);
  document.querySelectorAll("p, td, th, li, h1, figcaption").forEach(function (e) {
    small = Math.min(small, parseFloat(getComputedStyle(e).fontSize));
  });
  say("small", small);
  var broad = 0, empty = 0;
  document.querySelectorAll("figure canvas").forEach(function (c) {
    var picture = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    broad += c.offsetWidth > c.parentNode.clientWidth + 1;
    empty += !picture.some(function (byte) { return byte; });
  });
  say("broad", broad);
  say("empty", empty);
  say("verdict", document.querySelector("section").id);
  var size = document.querySelector("#model-1 table") && column(document.querySelector("#model-1 table"), "size");
  if (size) {
    size.button.click(); say("up", size.cells());
    size.button.click(); say("down", size.cells());
  }
  var file = column(document.querySelector("#measured-1 table"), "file");
  if (file.button) { file.button.click(); say("files", file.cells()); }
  var map = document.querySelector(".map canvas"), hint = document.querySelector(".hint");
  if (map) {
    point(map, "pointermove", 0.9, 0.08); // the first host sends to the last
    say("hint", hint.hidden ? "none" : hint.textContent);
    point(map.parentNode, "pointerdown", 0.5, 0.1); point(map.parentNode, "pointermove", 0.65, 0.25); point(map.parentNode, "pointerup", 0.65, 0.25);
    say("mapzoom", !map.parentNode.querySelector(".back").hidden);
  }
  if (typeof Chart !== "undefined" && document.querySelector("#accuracy-1")) {
    var box = document.querySelector("#accuracy-1 .figures:not(.one) .chart"), chart = Chart.getChart(box.querySelector("canvas"));
    var before = chart.scales.x.max / chart.scales.x.min;
    say("points", chart.data.datasets.map(function (set) { return set.label + ":" + set.data.length; }).join(";"));
    point(box, "pointerdown", 0.5, 0.2); point(box, "pointermove", 0.7, 0.6); point(box, "pointerup", 0.7, 0.6);
    say("zoom", chart.scales.x.max / chart.scales.x.min < before);
    box.querySelector(".back").click();
    say("whole", Math.abs(chart.scales.x.max / chart.scales.x.min / before - 1) < 0.01);
    var name = document.querySelector(".legend button"), shown = name.getAttribute("aria-pressed");
    name.click();
    say("toggled", shown === "true" && !Chart.getChart(box.querySelector("canvas")).isDatasetVisible(
      Chart.getChart(box.querySelector("canvas")).data.datasets.findIndex(function (set) { return set.label === name.textContent; })));
    say("trend", Chart.getChart(document.querySelector("#history-1 canvas")).data.datasets[0].data.length);
  }
  say("tables", document.querySelectorAll("figure table").length);
  say("ground", getComputedStyle(document.body).backgroundColor);
  document.body.textContent = "LOOK " + said.join(" | ") + " END";
});
</script>
SCRIPT

# look PAGE WIDTH SCHEME: 0 is dark, 1 light.
look() {
    cat "$1" look.html >looked.html
    HOME=$work timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
        --disable-component-update --user-data-dir="$work/browser" --log-net-log="$work/net.json" --enable-logging=stderr \
        --blink-settings=preferredColorScheme="$3" --window-size="$2,900" \
        --dump-dom "file://$work/looked.html" >dom 2>said || fail "the browser failed: $(tail -3 said)"
    result=$(grep -o 'LOOK .* END' dom | tail -1)
    ! grep -E 'CONSOLE|Uncaught|Refused to' said || fail "the page has errors"
    ! grep -oE '"url": *"(https?|wss?|ftp):[^"]*"' net.json | grep page || fail "the page asks for something"
    shows 'over=0' "wide=$2" 'broad=0' 'verdict=verdict-1'
    [ "$(grep -oE 'small=[0-9]+' <<<"$result" | cut -d= -f2)" -ge 11 ] || fail "text is too small: $result"
}
# shows TEXT...: the page says that of itself.
shows() {
    local text
    for text in "$@"; do
        [[ "$result" == *" $text |"* ]] || fail "not $text: $result"
    done
}
look page.html 400 0
dark=$(grep -oE 'ground=rgb\([^)]*\)' <<<"$result")
look page.html 1600 1
light=$(grep -oE 'ground=rgb\([^)]*\)' <<<"$result")
[ -n "$dark" ] && [ "$dark" != "$light" ] || fail "dark and light are alike: $dark $light"
# Sizes sort as numbers; the pointer names hosts; charts zoom.
shows 'up=1 B,1 B,1 KB,1 KB,64 KB,64 KB,1 MB,1 MB' 'down=1 MB,1 MB,64 KB,64 KB,1 KB,1 KB,1 B,1 B' \
    'files=hosts4.mod,later.mod,observed.meas' 'empty=0'
[[ $result =~ hint=north.*south ]] || fail "the pointer names no hosts: $result"
if [ $charts = yes ]; then
    shows 'zoom=true' 'whole=true' 'toggled=true' 'trend=2' 'tables=0'
    [[ $result =~ points=[^\|]*lmo2:3[0-9]\; ]] || fail "no smooth curve: $result"
fi
# Without the library there are tables.
CPM_CHART_JS='' works "$cpm" report hosts4.mod observed.meas later.mod lmo4.mod -o bare.html
look bare.html 400 1
! [[ $result == *' tables=0 |'* ]] || fail "neither charts nor tables: $result"

# 256 hosts on a page of less than 3 MB; how long it takes to draw them is told, not asked for.
python3 "$here/unlike_hosts.py" 256 >hosts256.mod
"$cpm" report hosts256.mod -o large.html >stdout 2>stderr || fail "no page of 256 hosts"
look large.html 1200 1
shows 'mapzoom=true' 'empty=0'
[[ $result =~ hint=node0[0-9]+\ .*node2[0-9]+ ]] || fail "the pointer names no hosts: $result"
size=$(stat -c %s large.html)
echo "256 hosts: $size bytes, drawn in $(grep -oE 'ms=[0-9]+' <<<"$result" | cut -d= -f2) ms"
[ "$size" -lt 3000000 ] || fail "256 hosts: $size bytes"
finish
