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
# Checkpoints and logs have what memory had: the same after being killed and ended amid it.
ok "the model's answers after restarts: strict" \
    all_the_same strict --restart "$SCRATCH/strict.json"
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
 {"name": "levels", "now": 1795351388, "path": "/api/query/", "written": [
  "mem_bw,cluster=c,hostname=a,type=socket,type-id=0,subtype=channel,stype-id=0 value=1 1795351268",
  "mem_bw,cluster=c,hostname=a,type=socket,type-id=0,subtype=channel,stype-id=1 value=10 1795351268",
  "mem_bw,cluster=c,hostname=a,type=socket,type-id=1,subtype=channel,stype-id=0 value=100 1795351268",
  "mem_bw,cluster=c,hostname=a,type=socket,type-id=0,subtype=channel,stype-id=0 value=2 1795351328",
  "mem_bw,cluster=c,hostname=b,type-id=0 value=1 1795351268",
  "mem_bw,cluster=c,hostname=b,type-id=1 value=2 1795351268",
  "mem_bw,cluster=c,hostname=l,type=socket,type-id=0 value=1 1795351208",
  "mem_bw,cluster=c,hostname=l,type=socket,type-id=1 value=1 1795351208",
  "mem_bw,cluster=c,hostname=l,type=socket,type-id=0 value=1 1795351268",
  "mem_bw,cluster=c,hostname=l,type=socket,type-id=1 value=1 1795351268",
  "mem_bw,cluster=c,hostname=l,type=socket,type-id=0 value=1 1795351328"], "requests": [
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"a\", \"type\": \"socket\", \"type-ids\": [\"0\"], \"subtype\": \"channel\", \"subtype-ids\": [\"0\", \"1\"], \"aggreg\": false}]}", "status": 200, "answer": "{\"results\":[[{\"data\":[null,1.000,2.000],\"from\":1795351268,\"to\":1795351388,\"resolution\":60,\"avg\":1.50,\"min\":1.00,\"max\":2.00},{\"data\":[null,10.000],\"from\":1795351268,\"to\":1795351328,\"resolution\":60,\"avg\":10.00,\"min\":10.00,\"max\":10.00}]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"a\", \"type\": \"socket\", \"type-ids\": [\"0\"], \"subtype\": \"channel\", \"subtype-ids\": [\"1\", \"0\"], \"aggreg\": true}]}", "status": 200, "answer": "{\"results\":[[{\"data\":[null,11.000],\"from\":1795351268,\"to\":1795351328,\"resolution\":60,\"avg\":11.00,\"min\":11.00,\"max\":11.00}]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"a\", \"type\": \"socket\", \"type-ids\": [\"0\"], \"subtype\": \"channel\", \"subtype-ids\": [\"0\", \"1\"], \"aggreg\": true}]}", "status": 200, "answer": "{\"results\":[[{\"error\":\"[METRICSTORE]\\u003e data from lower granularities does not align (missing data after the end of the buffers)\",\"from\":0,\"to\":0,\"resolution\":0,\"avg\":0.00,\"min\":0.00,\"max\":0.00}]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"a\", \"type\": \"socket\", \"type-ids\": [\"0\"], \"subtype\": \"channel\", \"subtype-ids\": [\"1\", \"1\"], \"aggreg\": true}]}", "status": 200, "answer": "{\"results\":[[{\"data\":[null,20.000],\"from\":1795351268,\"to\":1795351328,\"resolution\":60,\"avg\":20.00,\"min\":20.00,\"max\":20.00}]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"a\", \"type\": \"socket\", \"type-ids\": [\"1\", \"0\"], \"subtype\": \"channel\", \"subtype-ids\": [\"0\"], \"aggreg\": true}]}", "status": 200, "answer": "{\"results\":[[{\"data\":[null,101.000],\"from\":1795351268,\"to\":1795351328,\"resolution\":60,\"avg\":101.00,\"min\":101.00,\"max\":101.00}]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"a\", \"type\": \"socket\", \"type-ids\": [\"0\"], \"subtype\": \"channel\", \"subtype-ids\": [], \"aggreg\": false}]}", "status": 200, "answer": "{\"results\":[[]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"a\", \"type\": \"socket\", \"type-ids\": [\"0\"], \"subtype\": \"channel\", \"subtype-ids\": [\"\"], \"aggreg\": false}]}", "status": 200, "answer": "{\"results\":[[]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"l\"}]}", "status": 200, "answer": "{\"results\":[[{\"error\":\"[METRICSTORE]\\u003e data from lower granularities does not align (collected data length is different than expected data length)\",\"from\":0,\"to\":0,\"resolution\":0,\"avg\":0.00,\"min\":0.00,\"max\":0.00}]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"l\", \"type\": \"socket\", \"type-ids\": [\"1\", \"0\"], \"aggreg\": true}]}", "status": 200, "answer": "{\"results\":[[{\"data\":[2.000,2.000],\"from\":1795351208,\"to\":1795351328,\"resolution\":60,\"avg\":2.00,\"min\":2.00,\"max\":2.00}]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"b\"}]}", "status": 200, "answer": "{\"results\":[[{\"data\":[null,3.000],\"from\":1795351268,\"to\":1795351328,\"resolution\":60,\"avg\":3.00,\"min\":3.00,\"max\":3.00}]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"b\", \"type\": \"\", \"type-ids\": [\"1\", \"\"]}]}", "status": 200, "answer": "{\"results\":[[{\"data\":[null,2.000],\"from\":1795351268,\"to\":1795351328,\"resolution\":60,\"avg\":2.00,\"min\":2.00,\"max\":2.00}]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"b\", \"type\": \"socket\"}]}", "status": 200, "answer": "{\"results\":[[]]}\n"},
  {"body": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"mem_bw\", \"host\": \"b\", \"type\": \"socket\", \"aggreg\": true}]}", "status": 200, "answer": "{\"results\":[[]]}\n"}]},
 {"name": "without a host or cluster", "now": 1795351388, "path": "/api/query/", "written": [
  "mem_bw,cluster=c,hostname=a value=1 1795351328", "mem_bw,cluster=c,hostname=b value=1 1795351328"], "requests": [
  {"body": "{\"cluster\":\"c\",\"from\":1795351328,\"to\":1795351388,\"queries\":[{\"metric\":\"mem_bw\"},{\"metric\":\"mem_bw\",\"host\":\"\"}]}", "status": 200, "answer": "{\"results\":[[],[]]}\n"},
  {"body": "{\"from\":1795351328,\"to\":1795351388,\"for-all-nodes\":[\"mem_bw\"],\"queries\":[{\"metric\":\"mem_bw\",\"host\":\"a\"},{\"metric\":\"mem_bw\"}]}", "status": 200, "answer": "{\"results\":[[],[]]}\n"},
  {"path": "/api/healthcheck/", "body": "{\"cluster\":\"c\",\"nodes\":[\"\"],\"metric-names\":[\"mem_bw\"]}", "status": 200, "answer": "{\"\":{\"State\":\"failed\",\"HealthMetrics\":\"\"}}\n"},
  {"path": "/api/healthcheck/", "body": "{\"nodes\":[\"\",\"c\"],\"metric-names\":[\"mem_bw\"]}", "status": 200, "answer": "{\"\":{\"State\":\"failed\",\"HealthMetrics\":\"\"},\"c\":{\"State\":\"failed\",\"HealthMetrics\":\"\"}}\n"}]},
 {"name": "a line without a time", "now": 1795351388, "writes": [
  {"written": "cpu_load,cluster=c,hostname=d value=1 1795351268\nno_such,cluster=c,hostname=d value=1 5\ncpu_load,cluster=c,hostname=e value=2\n", "status": 200, "answer": "", "then": "{\"cluster\": \"c\", \"from\": 1795351208, \"to\": 1795351388, \"queries\": [{\"metric\": \"cpu_load\", \"host\": \"e\"}]}", "then_status": 200, "then_answer": "{\"results\":[[{\"data\":[null,2.000],\"from\":1795351268,\"to\":1795351328,\"resolution\":60,\"avg\":2.00,\"min\":2.00,\"max\":2.00}]]}\n"}]},
 {"name": "bodies", "requests": [
  {"path": "/api/query/", "body": "", "status": 400, "answer": "{\"status\":\"Bad Request\",\"error\":\"EOF\"}\n"},
  {"path": "/api/query/", "body": "{\"from\": ", "status": 400, "answer": "{\"status\":\"Bad Request\",\"error\":\"unexpected EOF\"}\n"},
  {"path": "/api/healthcheck", "body": " \n", "status": 400, "answer": "{\"status\":\"Bad Request\",\"error\":\"parsing request body failed: EOF\"}\n"},
  {"path": "/api/healthcheck", "body": "{\"x\":1}", "status": 400, "answer": "{\"status\":\"Bad Request\",\"error\":\"parsing request body failed: json: unknown field \\\"x\\\"\"}\n"},
  {"method": "POST", "path": "/api/free/?to=x", "body": "[]", "status": 500, "answer": "{\"status\":\"Internal Server Error\",\"error\":\"strconv.ParseInt: parsing \\\"x\\\": invalid syntax\"}\n"},
  {"method": "POST", "path": "/api/free/?to=99999999999999999999", "body": "[]", "status": 500, "answer": "{\"status\":\"Internal Server Error\",\"error\":\"strconv.ParseInt: parsing \\\"99999999999999999999\\\": value out of range\"}\n"},
  {"method": "POST", "path": "/api/free/?to=-5", "body": "[[\"c\",\"a\"]]", "status": 200, "answer": "buffers freed: 0\n"},
  {"method": "POST", "path": "/api/free/?to=5", "body": "", "status": 400, "answer": "EOF\n"}]},
 {"name": "routes", "requests": [
  {"method": "GET", "path": "/api/none", "token": true, "status": 404, "answer": "404 page not found\n"},
  {"method": "POST", "path": "/api/query", "token": true, "status": 405, "answer": "Method Not Allowed\n"},
  {"method": "GET", "path": "/api/debug", "token": false, "status": 401, "answer": "Use JWT Authentication\n"}]}]}
END
ok "bad lines, names, levels, times, bodies and routes: strict" all_the_same strict "$SCRATCH/own.json"

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
