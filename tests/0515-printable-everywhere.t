#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whatever comes from outside, no program sends a terminal a byte that steers it: names of
# files, options, values of configurations, what servers and hosts say, cells and headings.
# What is data for programs is exact in a pipe, and readable on a terminal.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
requires python3 baro barod baro-agent baro-abc baro-lustre-read baro-gpu-read
cd "$SCRATCH" || exit 1

cat >hostile.py <<'PY'
import http.server, json, os, pty, re, socketserver, subprocess, sys, threading

HOSTILE = (b"a\x1b]0;title\x07b\x1b[2Jc\x9b2Jd\xc2\x9b2Je\x7ff\rg\bh"
           b"\xe2\x80\xaei\xe2\x80\x8bj\xef\xbb\xbfk\xffl")
TEXT = HOSTILE.replace(b"\x9b2J", b"").replace(b"\xff", b"").replace(b"\xc2", b"\xc2\x9b")
TEXT = TEXT.decode()  # the same as JSON can have it
# What may stand in output: printable characters, newline, tab.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e"
                    "\u2060-\u2064\u2066-\u2069\ufeff]")
env = dict(os.environ, BARO_SERVER="unix:" + os.path.abspath("sock"), COLUMNS="80")
env.pop("BARO_TOKEN", None)
failed = []

def check(name, data):
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        failed.append(f"{name}: not UTF-8: {data[max(0, e.start - 30):e.start + 10]!r}")
        return
    found = STEERS.search(text)
    if found:
        failed.append(f"{name}: {text[max(0, found.start() - 40):found.start() + 20]!r}")

def run(*argv, name=None, only_error=False):
    argv = [a if isinstance(a, bytes) else a.encode() for a in argv]
    p = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, env=env)
    name = name or b" ".join(argv)[:60].decode("latin-1").encode("unicode_escape").decode()
    check(name, p.stderr)
    if not only_error:
        check(name, p.stdout)
    if p.returncode < 0:
        failed.append(f"{name}: ended by signal {-p.returncode}")
    return p

class Server(http.server.BaseHTTPRequestHandler):
    form = "problem"

    def respond(self):
        if self.form == "problem":
            status, kind = 400, "application/problem+json"
            body = json.dumps({"type": "about:blank", "title": TEXT, "detail": TEXT,
                               "status": 400}).encode()
        elif self.form == "raw":
            status, kind, body = 200, "text/plain", HOSTILE + b"\n"
        elif self.form == "html":
            status, kind, body = 502, "text/html", HOSTILE
        else:
            status, kind = 200, "application/json"
            body = json.dumps({
                "columns": [{"name": TEXT, "type": "text", "unit": TEXT},
                            {"name": "n", "type": "double", "unit": TEXT}],
                "rows": [[TEXT, 1.5]], "notes": [TEXT]}).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = respond

    def address_string(self):
        return "client"

    def log_message(self, *args):
        pass

class Unix(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    server_name, server_port = "unix", 0

    def get_request(self):
        return self.socket.accept()[0], ("unix", 0)

def on_terminal(argv):
    main, other = pty.openpty()
    p = subprocess.Popen(argv, stdin=other, stdout=other, stderr=other, env=env)
    os.close(other)
    out = b""
    while True:
        try:
            got = os.read(main, 65536)
        except OSError:
            break
        if not got:
            break
        out += got
    os.close(main)
    p.wait()
    return out.replace(b"\r\n", b"\n")  # which the terminal itself makes of a newline

def report(sentence):
    global failed
    print(f"{'not ok' if failed else 'ok'} - {sentence}")
    for line in failed[:20]:
        print("#", line)
    failed = []
    sys.stdout.flush()

threading.Thread(target=Unix("sock", Server).serve_forever, daemon=True).start()

# ---- every command: an operand, an option, a value, a server ----
def lines_of(*argv):
    return subprocess.run(argv, capture_output=True, text=True, env=env).stdout.splitlines()

commands = {name: lines_of("baro", *name.split(), "--dump-options")
            for name in lines_of("baro", "--dump-options")}
assert len(commands) > 40 and sum("--output" in o for o in commands.values()) > 20, commands
for name, options in commands.items():
    words = name.split()
    run("baro", *words, HOSTILE, HOSTILE)
    run("baro", *words, b"--" + HOSTILE)
    if options:
        run("baro", *words, options[0], HOSTILE, HOSTILE)
    for option in ("--output", "--server", "--records", "--from"):
        if option in options:
            run("baro", *words, option, HOSTILE)
run("baro", HOSTILE)
run("baro", "jobstats", HOSTILE)
report("no command prints the bytes of an argument as they came")

# ---- files of that name, with that in them ----
os.makedirs(b"dir/" + HOSTILE, exist_ok=True)
for n in (b"log.darshan", b"runs.csv", b"jobs.txt", b"df.txt", b"day.h5", b"conf"):
    with open(b"dir/" + HOSTILE + n, "wb") as f:
        f.write((b"\x89HDF\r\n\x1a\n" if n == b"day.h5" else b"") + HOSTILE + b"," + HOSTILE +
                b"\n" + HOSTILE + b",1\n")
for words, n in (("darshan show", b"log.darshan"), ("job show", b"log.darshan"),
                 ("job summarize", b"log.darshan"), ("climate show", b"runs.csv"),
                 ("climate map", b"runs.csv"), ("climate regions", b"runs.csv"),
                 ("health show", b"df.txt"), ("series show", b"day.h5"),
                 ("jobstats parse", b"jobs.txt"), ("metric parse", b"jobs.txt"),
                 ("lustre stats", b"df.txt"), ("job import", b"jobs.txt"),
                 ("store config-import", b"conf"), ("token show", b"conf"),
                 ("store import", b"jobs.txt")):
    run("baro", *words.split(), b"dir/" + HOSTILE + n, only_error=words in (
        "climate map", "jobstats parse", "metric parse", "store config-import"))
report("nor of a file, its name or what is in it")

# ---- daemons: options, configuration ----
for program in ("barod", "baro-agent"):
    for text in (b"[net]\nlisten = " + HOSTILE + b"\n", b"[" + HOSTILE + b"]\n",
                 b"[agent]\n" + HOSTILE + b" = 1\nhost = " + HOSTILE + b"\n", HOSTILE + b"\n"):
        with open(HOSTILE + b".conf", "wb") as f:
            f.write(text)
        run(program, "--check", "--config", HOSTILE + b".conf")
    run(program, "--check", "--config", b"no" + HOSTILE)
    run(program, "--check", "--set", HOSTILE)
    run(program, "--check", "--set", b"agent.lctl=/" + HOSTILE)
    run(program, b"--" + HOSTILE)
    env["BARO_CLOCK"] = os.fsdecode(b"/no/" + HOSTILE)
    run(program, "--check", name=program + " with a clock")
    del env["BARO_CLOCK"]
run("baro-abc", HOSTILE)
run("baro-abc", "--dir", b"/" + HOSTILE, "--site", HOSTILE)
run("baro-gpu-read", HOSTILE)
run("baro-gpu-read", "--library", b"/" + HOSTILE)
run("baro-lustre-read", "get_param", HOSTILE)
run("baro-lustre-read", HOSTILE)
run("baro-lustre-read", "--root", b"/" + HOSTILE, "totals")
report("nor do the daemons and the other programs")

# ---- a hostile server ----
FREE = "store free --to 2020-01-01"
asked = ("jobstats rates", "jobstats series", "jobstats top --rounds 1", "jobstats job 1",
         "job list", "metric list", "metric query -m a", "metric plot -m a", "metric top -m a",
         "store status", FREE, "stats", "token list", "top --rounds 1",
         "weather", "series show barod", "job show 1", "analyze clock x")
for Server.form in ("problem", "html", "table"):
    for words in asked:
        run("baro", *words.split(), name=f"{Server.form}: {words}",
            only_error=words == FREE)
report("what a server says, its headings, units and notes are readable")

# ---- a host through ssh ----
with open("host", "w") as f:
    f.write("#!/bin/sh\nprintf '\\033]0;t\\007\\302\\233\\342\\200\\256' >&2\nexit 255\n")
os.chmod("host", 0o755)
p = run("baro", "top", "--ssh", HOSTILE, "--command", os.path.abspath("host"), "--rounds", "1",
        "--interval", "1ms")
if b"x1B]0;t" not in p.stdout + p.stderr:
    failed.append(f"the host's words are not there: {p.stdout + p.stderr!r}")
report("and what a host says through ssh")

# ---- data ----
Server.form = "raw"
p = run("baro", *FREE.split(), only_error=True)
if p.stdout != HOSTILE + b"\n":
    failed.append(f"{p.stdout!r}")
report("data is exact in a pipe")
check("data on a terminal", on_terminal(["baro", *FREE.split()]))
Server.form = "table"
out = on_terminal(["baro", "metric", "list"])
check("a table on a terminal", out.replace(b"\x1b[1m", b"").replace(b"\x1b[0m", b""))
if out.count(b"\x1b[1m") != 1:
    failed.append(f"no heading in bold: {out!r}")
for form in ("csv", "json"):
    check(form, on_terminal(["baro", "metric", "list", "--output", form]))
report("and readable on a terminal, where only our own orders pass")
out = subprocess.run(["baro", "metric", "list", "--output", "csv"], capture_output=True, env=env)
if TEXT.encode() not in out.stdout:
    failed.append(f"{out.stdout!r}")
out = subprocess.run(["baro", "metric", "list", "--output", "json"], capture_output=True, env=env)
if json.loads(out.stdout)[0][TEXT] != TEXT:
    failed.append(f"{out.stdout!r}")
report("CSV and JSON have the bytes as they are")

# ---- what a command prints by itself, and what it writes to a file: the same bytes ----
def printed(*argv):
    return subprocess.run(argv, capture_output=True, env=env).stdout

NAME = "a\x7fb\u200dc\u202ed\u009be"
with open("jobs.csv", "w") as f:
    f.write(f"id,start,name\n1,100,{NAME}\n")
out = printed("baro", "job", "import", "--into", "-", "jobs.csv")
subprocess.run(["baro", "job", "import", "jobs.csv", "--into", "jobs.jsonl"], capture_output=True,
               env=env, check=True)
with open("jobs.jsonl", "rb") as f:
    if f.read() != out:
        failed.append(f"{out!r}")
if json.loads(out)["name"] != NAME:
    failed.append(f"{out!r}")
check("job import on a terminal", on_terminal(["baro", "job", "import", "--into", "-", "jobs.csv"]))
report("a list of jobs is the same on standard output and in a file")

make = os.path.join(os.environ["BUILD"], "src/source/lmt/series_make")
weather = ["baro", "weather", "2017-07-14T02:40Z", "@1500000120", "-s", "w.sqlite3", "--svg"]
if os.access(make, os.X_OK):
    subprocess.run([make, "database", "w.sqlite3", "UPDATE OST_INFO SET OST_NAME = OST_NAME || "
                    "char(127) || char(8205) || char(8238);"], check=True)
    out = printed(*weather, "-")
    printed(*weather, "w.svg")
    with open("w.svg", "rb") as f:
        if f.read() != out or "\u200d".encode() not in out:
            failed.append(f"{len(out)} bytes: {out[:200]!r}")
    check("a picture on a terminal", on_terminal([*weather, "-"]))
    report("and so is a picture")
else:
    print("skip - and so is a picture")
PY
python3 hostile.py >result 2>error || { cat result error; fail "the table of commands runs to its end"; finish; }
cat error >&2
while IFS= read -r line; do
    case $line in
    "ok - "*) pass "${line#ok - }" ;;
    "not ok - "*) fail "${line#not ok - }" ;;
    "skip - "*) skip "${line#skip - }" "built without tests or HDF5" ;;
    *) echo "$line" ;;
    esac
done <result

# ---- who may write past it ----
# baro-pam, baro-plugin-host and baro-session-node print to the program that started them, in a format of theirs.
is "every program that a person starts starts it first" \
    "$(grep -l '^int main(' "$TOP"/src/cmd/*.c | xargs grep -L 'terminal_start(' | sed 's|.*/||' | tr '\n' ' ')" \
    "baro-plugin-host.c baro-session-node.c baro_pam.c "
is "no other file has an escape sequence" \
    "$(cd "$TOP" && grep -lE '"[^"]*\\(033|x1[bB]|e\[)' src/*/*.c src/*/*.h src/*/*/*.c | grep -v -e /test/ -e '^src/base/terminal/terminal.c$')" ""
# The child that reads parts prints to the agent that started it.
is "and only the log, baro-pam and the child that reads parts write to the descriptors" \
    "$(cd "$TOP" && grep -lE '\<(write|dprintf|writev|send|file_write_all)\((1|2|STDOUT_FILENO|STDERR_FILENO)\>' src/*/*.c src/*/*/*.c | grep -v /test/ | sort | tr '\n' ' ')" \
    "src/agent/sampling/inventory_probe.c src/base/log.c src/cmd/baro_pam.c "
finish
