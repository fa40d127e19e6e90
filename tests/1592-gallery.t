#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/gallery is what scripts/gallery makes, small, drawable, and says nothing by colour alone.
. "$(dirname "$0")/lib.sh"
requires python3 curl diff
command -v baro-sim-darshan >/dev/null || skip_all "the players are not built"
cd "$SCRATCH" || exit 1

"$TOP/scripts/gallery" "$SCRATCH/made" >out 2>&1
is "the gallery is made" "$?" 0
sed 's/^/# /' out | head -n 20
is "doc/gallery is what the script makes (if not: scripts/gallery, look, commit)" \
    "$(diff -r "$TOP/doc/gallery" made | cut -c 1-200 | head -n 20)" ""
is "its page shows every picture that is there, and no other" \
    "$(grep -o '([a-z0-9-]*\.svg)' made/index.md | tr -d '()' | sort)" \
    "$(cd made && ls ./*.svg | sed 's|./||' | sort)"
ok "it is small" test "$(cat made/* | wc -c)" -lt 300000
ok "every picture is XML without words outside of it" python3 - made/*.svg <<'END'
import sys, xml.dom.minidom
for path in sys.argv[1:]:
    svg = xml.dom.minidom.parse(path).documentElement
    width, height = float(svg.getAttribute("width")), float(svg.getAttribute("height"))
    for text in svg.getElementsByTagName("text"):
        if text.hasAttribute("transform"):
            continue
        words = "".join(node.data for node in text.childNodes)
        size = float(text.getAttribute("font-size") or 12)
        # Letters are 0.6 of their size wide in the mean, bold ones a little more.
        long = len(words) * size * (0.62 if text.getAttribute("font-weight") else 0.56)
        x, y = float(text.getAttribute("x")), float(text.getAttribute("y"))
        left = {"start": x, "middle": x - long / 2, "end": x - long}[text.getAttribute("text-anchor")]
        assert left >= 0 and left + long <= width and 0 < y <= height, (path, words, left, long, width)
END
ok "lines of a plot differ by their dashes" python3 - made/plot.svg <<'END'
import sys, xml.dom.minidom
paths = xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("path")
assert len({p.getAttribute("stroke-dasharray") for p in paths}) == len(paths) == 3
END
ok "the grey picture has no colour" python3 - made/umami-grey.svg <<'END'
import re, sys
for r, g, b in re.findall(r"#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})\b", open(sys.argv[1]).read()):
    assert r == g == b
END
if command -v rsvg-convert >/dev/null; then
    ok "every picture can be drawn" sh -c 'for f in made/*.svg; do rsvg-convert "$f" -o x.png || exit 1; done'
else
    skip "every picture can be drawn" "rsvg-convert is not installed"
fi
finish
