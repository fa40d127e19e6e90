#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# baro climate study --report: of a table of another field (ferries, with times as a clerk
# writes them and values that are missing), and of SC18's data where they are there.
. "$(dirname "$0")/lib.sh"
requires python3
cd "$SCRATCH" || exit 1
LC_ALL=C.UTF-8
export LC_ALL

# A ferry line, twice a day for a year: wind slows one ship down, the other not; what the
# clerk did not write down is NA, -1 or nothing.
python3 - >ferry.csv <<'END'
import datetime, math
print("Abfahrt,Schiff,Knoten,Wind (m/s),Fahrgäste,Wellen")
day = datetime.datetime(2021, 3, 1, 6, 30)
for i in range(730):
    at = day + datetime.timedelta(hours=12 * i)
    for ship in ("Möwe <alt>", "Orka & Co"):
        wind = 8 + 6 * math.sin(i / 23) + (i * 7919 % 31) / 10
        knots = 21 - 0.5 * wind if ship[0] == "M" else 18 + (i * 104729 % 17) / 10
        wind_text = "NA" if i % 11 == 3 else f"{wind:.2f}"
        waves = -1 if i % 5 == 0 else round(wind / 4, 2)
        guests = "" if i % 13 == 0 else 100 + i * 31 % 57
        print(f"{at:%d.%m.%Y %H:%M},{ship},{knots:.3f},{wind_text},{guests},{waves}")
print("31.02.2021 06:30,Orka & Co,18,1,1,1")
print("morgen,Orka & Co,18,1,1,1")
END
cat >ferry.conf <<'END'
[study]
title = Ferries <of> a year
time = Abfahrt
time_format = %d.%m.%Y %H:%M
time_zone = +1h
performance = Knoten
class = Schiff
expect = observations 1460
expect = Möwe <alt> wind r -1.00
expect = sets 7
remark = sets: The clerk counted boats, too.
[measure wind]
value = [Wind (m/s)]
label = Wind
[measure waves]
value = if(Wellen < 0, 0 / 0, Wellen)
label = Waves
[measure guests]
value = [Fahrgäste]
label = Guests on board
contributor = no
END
baro climate study --map ferry.conf --report report ferry.csv >out 2>err
is "a report of one's own table is written" "$? $(cat out err)" "0 "
is "it has the pages and pictures" "$(cd report && echo *)" \
    "contributors.svg correlations.svg index.html quantiles.svg timeline-1.svg timeline-2.svg"
ok "every picture is XML" python3 -c 'import glob, xml.dom.minidom as m
for f in glob.glob("report/*.svg"): m.parse(f)'
ok "the page is well-formed, with pictures inside and no name as markup" python3 -c '
import html.parser
class P(html.parser.HTMLParser):
    stack, svgs = [], 0
    def handle_starttag(self, tag, attrs):
        if tag in ("meta", "br"): return
        assert tag not in ("alt", "of"), tag
        self.svgs += tag == "svg"
        self.stack.append(tag)
    def handle_startendtag(self, tag, attrs): pass
    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag
p = P(); p.feed(open("report/index.html", encoding="utf-8").read()); p.close()
assert not p.stack and p.svgs == 5, (p.stack, p.svgs)'
is "times of the clerk are read in his zone" \
    "$(baro climate study -m ferry.conf -o csv -t regions ferry.csv | sed -n 2p |
        grep -c '^Möwe <alt>,2021-[0-9-]*T\(05\|17\):30:00')" 1
is "days that are none are bad rows" \
    "$(baro climate study -m ferry.conf -o csv -t summary ferry.csv 2>err | grep '^bad')" "bad rows,2"
is "missing values are missing" \
    "$(baro climate study -m ferry.conf --list-figures ferry.csv | sed -n 's/^all \(.*\) n \(.*\)/\1 \2/p' |
        tr '\n' ' ')" "wind 1326 waves 1168 guests 1346 "
is "a figure that does not follow is said, with ours and the remark" \
    "$(grep -c "<td>sets</td><td class='n'>7</td><td class='n'>2</td><td>does not follow. The clerk" \
        report/index.html) $(grep -o '[0-9]* of [0-9]* published' report/index.html)" \
    "1 2 of 3 published"
is "the same again is the same to the byte" \
    "$(baro climate study -m ferry.conf --report again ferry.csv && diff -r report again && echo same)" same
sed 's/^time_zone.*/time_zone = Tuesday/' ferry.conf >bad.conf
is "a zone that is none is refused" \
    "$(baro climate study -m bad.conf ferry.csv 2>&1 | grep -c "study.time_zone: 'Tuesday'")" 1
touch file
is "a directory that cannot be is a failure" \
    "$(baro climate study -m ferry.conf --report file/x ferry.csv >out 2>&1; echo $?)" 1
printf 'Abfahrt,Schiff,Knoten,Wind (m/s),Fahrgäste,Wellen\n' >none.csv
grep -v expect ferry.conf >plain.conf
ok "a table without runs has a report, too" \
    baro climate study -m plain.conf --report none none.csv


is "the page has a dark dress, one for paper, and one for narrow screens" \
    "$(grep -oE 'color-scheme: light dark|prefers-color-scheme: dark|@media print|max-width: 45em' \
        report/index.html | sort -u | wc -l)" 4
is "pictures are told to those who do not see them, tables have heads that print again" \
    "$(grep -c "<svg [^>]*role='img'" report/index.html) $(grep -c '<title>.*divergence regions</title>' \
        report/index.html) $(grep -c '<thead>' report/index.html)" "5 2 3"
is "what was wrong with rows is in the page, as text" \
    "$(grep -c "<li>ferry.csv:1463: time (Abfahrt): 'morgen' is not of the form" report/index.html)" 1
is "a page without runs says so and draws nothing" \
    "$(grep -c 'No row is a run' none/index.html) $(cd none && echo *)" "1 index.html"
python3 - >many.csv <<'END'
print("when,speed,fs")
for i in range(3000):
    print(f"{1600000000 + i * 3600},{100 - i % 7},class {i % 500 if i < 2900 else 499}")
END
printf '[study]\ntime = when\nperformance = speed\nclass = fs\n' >many.conf
baro climate study -m many.conf --report many many.csv
is "of hundreds of groups those with the most runs are drawn, and the page says so" \
    "$(cd many && echo timeline-*.svg | wc -w) $(grep -c 'Of 500 groups the 24 with' many/index.html) $(
        grep -c 'class 499: 105 runs' many/index.html)" "24 1 2"

data=$SHARED/data/tokio/abcutils/summaries
if [ -n "$SHARED" ] && [ -d "$data" ]; then
    baro climate study --map "$TOP/etc/studies/sc18.conf" --report sc18 "$data"/*.csv.gz
    is "SC18: a report with nine pictures" "$? $(cd sc18 && ls | wc -l)" "0 9"
    is "SC18: twelve of fifteen published figures follow" \
        "$(grep -o '[0-9]* of [0-9]* published' sc18/index.html) $(grep -c 'does not follow' sc18/index.html)" \
        "12 of 15 published 3"
    is "SC18: 410 of 490 does not follow; it is 276" \
        "$(grep -c "<td>explained</td><td class='n'>410</td><td class='n'>276</td>" sc18/index.html)" 1
    is "SC18: two are cut where they should be rounded, and the report says so" \
        "$(grep -c 'cut, not rounded, it is what was published' sc18/index.html)" 2
    is "SC18: figure 10 has its bars" \
        "$(grep -oE '(32\.9|32\.5|18\.4|16\.7|14\.4) %: [0-9]+ of [0-9]+' sc18/contributors.svg | wc -l)" 5
else
    skip "SC18: a report with eight pictures" "its data is not here"
fi
finish
