#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Answers that a cc-metric-store 1.5.4 gave, asked of barod in both modes: those of a real
# one, where they are, and those of a model of it, drawn by chance.
. "$(dirname "$0")/lib.sh"
requires python3 openssl
play() {
    mode=$1
    shift
    python3 "$TOP/tests/metrics/captured.py" --mode "$mode" "$@" \
        >"$SCRATCH/played" 2>&1
}
all_the_same() {
    play "$@" || {
        cut -c1-300 "$SCRATCH/played"
        return 1
    }
}
not_the_same() {
    ! play strict "$1"
}

# The model's, in strict mode with questions that add series up, else without.
python3 "$TOP/tests/metrics/peer_model.py" --seed 20 >"$SCRATCH/strict.json"
ok "the model's answers: strict" all_the_same strict "$SCRATCH/strict.json"
python3 "$TOP/tests/metrics/peer_model.py" --seed 21 --single >"$SCRATCH/better.json"
ok "the model's answers about single series: better" \
    all_the_same better "$SCRATCH/better.json"
sed 's/"resolution\\":60/"resolution\\":61/' "$SCRATCH/better.json" >"$SCRATCH/wrong.json"
ok "an answer that is not the same is found" not_the_same "$SCRATCH/wrong.json"
ok "and printed" grep -q '^differs: questions: GET /api/query/' "$SCRATCH/played"

# Our own cases of the same ground: bad lines, routes, names that JSON or HTML escape.
cat >"$SCRATCH/own.json" <<'END'
{"cases": [
 {"name": "bad lines", "now": 1795351388, "writes": [
  {"written": "garbage\ncpu_load,cluster=c,hostname=a value=1 1795351328\nmore garbage", "status": 200, "answer": "",
   "then": "{\"cluster\":\"c\",\"from\":1795351300,\"to\":1795351388,\"queries\":[{\"metric\":\"cpu_load\",\"host\":\"a\"}]}",
   "then_status": 200, "then_answer": "{\"results\":[[{\"data\":[null,1.000],\"from\":1795351328,\"to\":1795351388,\"resolution\":60,\"avg\":1.00,\"min\":1.00,\"max\":1.00}]]}\n"},
  {"written": "cpu_load,cluster=c,hostname=b value=1 1795351328\ncpu_load,cluster=c,hostname=b value=x 1795351388\ncpu_load,cluster=c,hostname=c value=1 1795351328\n",
   "status": 400, "answer": "{\"status\":\"Bad Request\",\"error\":\"at line 2:37: value for field \\\"value\\\" (\\\"x\\\") has unrecognized type\"}\n",
   "then": "{\"cluster\":\"c\",\"from\":1795351300,\"to\":1795351388,\"with-data\":false,\"queries\":[{\"metric\":\"cpu_load\",\"host\":\"b\"},{\"metric\":\"cpu_load\",\"host\":\"c\"}]}",
   "then_status": 200, "then_answer": "{\"results\":[[{\"from\":1795351328,\"to\":1795351388,\"resolution\":60,\"avg\":1.00,\"min\":1.00,\"max\":1.00}],[]]}\n"},
  {"written": "cpu_load,cluster=c,hostname=d value=\"text\" 1795351328\n", "status": 400,
   "answer": "{\"status\":\"Bad Request\",\"error\":\"host d: unsupported value type in message: string\"}\n"},
  {"written": "cpu_load,cluster=c,hostname=<&>,= value=1\n", "status": 400,
   "answer": "{\"status\":\"Bad Request\",\"error\":\"at line 1:33: empty tag key\"}\n"},
  {"written": "\nno_such,hostname=d value=\"text\" when\n", "status": 200, "answer": ""}]},
 {"name": "names", "now": 1795351388, "path": "/api/query/",
  "written": ["cpu_load,cluster=c,hostname=a<b value=1 1795351328"], "requests": [
  {"body": "{\"cluster\":\"c\",\"from\":1795351328,\"to\":1795351388,\"for-all-nodes\":[\"cpu_load\"],\"with-data\":false}", "status": 200,
   "answer": "{\"queries\":[{\"metric\":\"cpu_load\",\"host\":\"a\\u003cb\",\"resolution\":0,\"aggreg\":false}],\"results\":[[{\"from\":1795351328,\"to\":1795351388,\"resolution\":60,\"avg\":1.00,\"min\":1.00,\"max\":1.00}]]}\n"},
  {"body": "{\"cluster\":\"c\",\"queries\":[{\"metric\":\"<&>\u007f\u2028\",\"host\":\"a\"}]}", "status": 200,
   "answer": "{\"results\":[[{\"error\":\"[METRICSTORE]\\u003e unknown metric: \\u003c\\u0026\\u003e\u007f\\u2028\",\"from\":0,\"to\":0,\"resolution\":0,\"avg\":0.00,\"min\":0.00,\"max\":0.00}]]}\n"}]},
 {"name": "routes", "requests": [
  {"method": "GET", "path": "/api/none", "token": true, "status": 404, "answer": "404 page not found\n"},
  {"method": "POST", "path": "/api/query", "token": true, "status": 405, "answer": "Method Not Allowed\n"},
  {"method": "GET", "path": "/api/debug", "token": false, "status": 401, "answer": "Use JWT Authentication\n"}]}]}
END
ok "bad lines, names and routes: strict" all_the_same strict "$SCRATCH/own.json"

captured=$SHARED/data/metric-store/captured-answers-1.5.4.json.gz
config=$SHARED/data/metric-store/cc-metric-store/configs/config.json
if [ -n "$SHARED" ] && [ -f "$captured" ]; then
    ok "the real answers: strict" all_the_same strict --config "$config" "$captured"
    # What is better on purpose: bad lines are named, and lines after one are taken.
    play better --config "$config" --differences 20 "$captured"
    is "the real answers: better, but for bad lines" \
        "$(grep '^same' "$SCRATCH/played" | grep -v 'bad lines')" \
        "same 55 of 55 healthcheck
same 150 of 150 resampling
same 50 of 50 errors and edges
same 6 of 6 routes"
    is "of bad lines only the answers to writes differ, and what a bad one kept out" \
        "$(grep -c '^differs: bad lines' "$SCRATCH/played")" 6
else
    skip "the real answers: strict" "no ../shared"
    skip "the real answers: better" "no ../shared"
    skip "of bad lines" "no ../shared"
fi
finish
