#!/usr/bin/env bash
# The page of cpm report in a browser: it loads without errors, asks for nothing, fits a narrow and a wide
# window in light and dark, and its tables sort.
. "$(dirname "$0")/lib.sh"
browser=
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
    browser=${browser:-$(command -v $name)}
done
[ -n "$browser" ] || { echo "skipped: no browser (Debian: apt install chromium-headless-shell)"; exit 77; }
[ "$("$browser" --version 2>/dev/null | grep -c .)" = 1 ] || { echo "skipped: $browser does not start"; exit 77; }

play=(--machine hosts4.mod --noise 0.02 --quiet)
"$cpm" bench coll "${play[@]}" bcast:binomial -m 1K,16K -o observed.meas >/dev/null
works "$cpm" report hosts4.mod observed.meas lmo4.mod -o page.html

# What the page says of itself when all is loaded; a click sorts the widest table both ways.
cat >look.html <<'SCRIPT'
<script>
addEventListener("load", function () {
  var root = document.documentElement, small = 99;
  var table = document.querySelector("#measured-1 table"), button = table.querySelector("th button");
  var first = function () { return table.tBodies[0].rows[0].cells[0].textContent; };
  document.querySelectorAll("p, td, th, li, h1, figcaption").forEach(function (e) {
    small = Math.min(small, parseFloat(getComputedStyle(e).fontSize));
  });
  button.click(); var up = first(); button.click(); var down = first();
  var ground = getComputedStyle(document.body).backgroundColor;
  document.body.textContent = "LOOK over=" + (root.scrollWidth - root.clientWidth) + " wide=" + innerWidth +
    " small=" + small + " up=" + up + " down=" + down + " ground=" + ground + " pictures=" + pictures + " END";
});
var pictures = document.querySelectorAll("figure svg").length;
</script>
SCRIPT
cat page.html look.html >looked.html

# look WIDTH SCHEME: 0 is dark, 1 light.
look() {
    HOME=$work timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
        --disable-component-update --user-data-dir="$work/browser" --log-net-log="$work/net.json" --enable-logging=stderr \
        --blink-settings=preferredColorScheme="$2" --window-size="$1,900" --virtual-time-budget=5000 \
        --dump-dom "file://$work/looked.html" >dom 2>said || fail "the browser failed: $(tail -3 said)"
    result=$(grep -o 'LOOK .* END' dom | tail -1)
    ! grep -E 'CONSOLE|Uncaught|Refused to' said || fail "the page has errors"
    ! grep -oE '"url": *"(https?|wss?|ftp):[^"]*"' net.json | grep page || fail "the page asks for something"
    [[ $result == *"over=0 wide=$1 "* ]] || fail "$1 pixels: $result"
    [[ $result == *"up=hosts4.mod down=observed.meas "* ]] || fail "tables do not sort: $result"
    [ "$(grep -oE 'small=[0-9]+' <<<"$result" | cut -d= -f2)" -ge 11 ] || fail "text is too small: $result"
}
look 400 0
dark=$(grep -oE 'ground=rgb\([^)]*\)' <<<"$result")
look 1600 1
light=$(grep -oE 'ground=rgb\([^)]*\)' <<<"$result")
[ -n "$dark" ] && [ "$dark" != "$light" ] || fail "dark and light are alike: $dark $light"
! command -v gnuplot >/dev/null || ! grep -q 'pictures=0 ' <<<"$result" || fail "no pictures"
finish
