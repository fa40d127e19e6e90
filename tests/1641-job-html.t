#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of a job as one HTML page: the same from the command line and over REST, whole
# in itself, with hostile names as mere text; opened in Chromium where there is one.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib-barod.sh"
requires jq curl python3
cd "$SCRATCH" || exit 1

barod_conf cpu_load
ok "barod starts" start_barod
get() { curl -s --unix-socket "$SCRATCH/sock" "http://x$1"; }
show() { baro job show --server "$server" "$@"; }

now=$(date +%s)
start=$((now - 4000)) end=$((now - 400))
cat >sacct.txt <<END
JobID|Cluster|State|Start|End|NNodes|NodeList|User|Account
501|nova|COMPLETED|$start|$end|8|c[01-08]|ann|physics
502|nova|COMPLETED|$start|$end|1|d01|<script>document.title='hit'</script>|"'><img src=x onerror=document.title='hit'>
END
awk -v start="$start" -v end="$end" 'BEGIN { for (t = start; t < end; t += 60)
    for (n = 1; n <= 8; n++)
        printf "cpu_load,cluster=nova,hostname=c%02d,type=node value=%g %d\n", n, n == 4 ? 0.1 : 70 + (t + n) % 3, t
    }' >metrics.lp
is "metrics are stored" "$(curl -s -o out -w '%{http_code}' --unix-socket sock --data-binary @metrics.lp \
    'http://x/api/write?cluster=nova'; cat out)" 200
is "jobs are known" "$(baro job import --server "$server" sacct.txt 2>&1)" \
    "baro job import: 2 new, 0 changed, 0 known, 0 refused"

for id in 501 502; do
    show "$id" -o html >"$id.html"
    is "the page of job $id is what REST serves, byte for byte" "$(cksum <"$id.html")" "$(get "/v1/jobs/$id/page" | cksum)"
done
is "it is HTML, and a browser may load nothing" \
    "$(curl -s -D - -o /dev/null --unix-socket sock http://x/v1/jobs/501/page | tr -d '\r' |
        grep -iE '^(content-type|content-security-policy|x-content-type-options)' | sort)" \
    "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'
Content-Type: text/html; charset=utf-8
X-Content-Type-Options: nosniff"
ok "the sentence is the first that is read" grep -q "<p class='lead'>c04 did nothing from" 501.html
ok "its cost and what to do stand with it" grep -q -- '--nodes=8' 501.html
ok "each node is in the picture" grep -q '>c08</text>' 501.html
is "which evidence was found is listed, and which was not" \
    "$(grep -c "<li class='yes'>" 501.html; grep -c "<li class='no'>" 501.html)" "3
4"
is "no name from outside is an element" "$(grep -ciE '<(script|img)' 502.html)" 0
ok "but it can be read" grep -q '&lt;script&gt;document.title' 502.html
is "of an unknown job there is no page" \
    "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket sock 'http://x/v1/jobs/999/page')" 404

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
opened() { # PAGE EXPRESSION: what is left of the page in a browser
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$SCRATCH/profile" \
        --virtual-time-budget=2000 --dump-dom "file://$SCRATCH/$1" 2>browser.log
}
if [ -z "$browser" ]; then
    skip "a browser reads the page" "there is no Chromium"
else
    opened 501.html >501.dom
    is "a browser reads the page as it was written" \
        "$(grep -c '<article' 501.dom; grep -c '<svg' 501.dom; tr -d '\n' <501.dom | grep -c '</ul></section></main></body></html>$')" "1
1
1"
    opened 502.html >502.dom
    is "and runs nothing of a hostile name" "$(grep -o '<title>.*</title>' 502.dom; grep -c "title>hit" 502.dom)" \
        "<title>Job 502 on nova</title>
0"
    # 390 pixels are a phone.
    for id in 501 502; do
        python3 "$TOP/tests/sim/layout.py" "$browser" $id.html $id.pdf >layout 2>errors
        is "job $id fits on a phone and on a desk, by light and by dark" "$(cat layout errors)" \
            "390 light rgb(255,255,255) fits
390 dark rgb(18,22,28) fits
1100 light rgb(255,255,255) fits
1100 dark rgb(18,22,28) fits"
        is "and is printed" "$(head -c 5 $id.pdf)" "%PDF-"
    done
fi
finish
