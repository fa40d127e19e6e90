/* SPDX-License-Identifier: Apache-2.0 */
/* check_print - what a check found, in words. */
#include "agent/check/check.h"
#include "base/number.h"
#include "base/timetext.h"

#define CLOCK_WARN_NS (10 * NS_PER_S)
#define EXPIRY_WARN_NS (14 * 86400 * NS_PER_S)

/* ---- sources ---- */

static void print_place(const struct check_place *place, struct strbuf *out)
{
    strbuf_addf(out, "  %s: %s\n", place->path,
                place->error == 0 ? "can be read"
                : place->error == EACCES
                    ? "needs root or CAP_DAC_READ_SEARCH (job_stats does not lie "
                      "there; server totals of 2.12 and later do)"
                : place->error == EIO ? "cannot be read"
                                      : strerror(place->error));
}

static void print_target(const struct check_target *target, int64_t interval_ns,
                         struct strbuf *out)
{
    strbuf_addf(out, "  %s: ", target->name);
    if (!target->is_read) {
        strbuf_addf(out, "cannot be read: %s\n", target->complaint);
        return;
    }
    strbuf_addf(out, "%llu entries, %zu bytes", (unsigned long long)target->entries,
                target->size_bytes);
    if (target->counts_from_boot)
        strbuf_adds(out, ", times count from boot");
    if (target->cleanup_s < 0)
        strbuf_adds(out, ", job_cleanup_interval cannot be read (600 s is assumed)");
    else
        strbuf_addf(out, ", job_cleanup_interval %lld s", (long long)target->cleanup_s);
    if (target->cleanup_s > 0 && interval_ns / NS_PER_S * 2 > target->cleanup_s)
        strbuf_adds(out, "\n    warning: the interval is more than half of it: "
                         "resets may go unseen");
    strbuf_addc(out, '\n');
}

static void print_sources(const struct check_result *result, struct strbuf *out)
{
    const struct check_sources *sources = &result->sources;
    const struct agent_opts *opts = result->opts;
    bool is_lctl = strcmp(opts->source, "lctl") == 0;
    strbuf_addf(out, "source %s:\n", opts->source);
    for (size_t i = 0; i < sources->place_count; i++)
        print_place(&sources->places[i], out);
    if (sources->error) {
        strbuf_addf(
            out,
            "  '%s' cannot be started: %s\n  is this a Lustre server? where the "
            "program lies elsewhere, set agent.%s\n",
            is_lctl ? opts->lctl : opts->reader, strerror(-sources->error),
            is_lctl ? "lctl" : "reader");
        return;
    }
    for (size_t i = 0; i < sources->target_count; i++)
        print_target(&sources->targets[i], opts->interval_ns, out);
    if (sources->target_count == 0)
        strbuf_addf(
            out,
            "  no target is found: is this a Lustre server, and are its targets "
            "mounted?\n  %s\n",
            sources->complaint);
}

/* ---- the server ---- */

static void print_verdict(const struct check_server *server,
                          const struct agent_opts *opts, struct strbuf *out)
{
    switch (server->state) {
    case CHECK_SERVER_ACCEPTS:
        strbuf_addf(out, "server: responds, and lets us send%s%s\n",
                    server->targets.size ? "; of the targets " : "",
                    strbuf_text(&server->targets));
        return;
    case CHECK_SERVER_QUERIES_ONLY:
        strbuf_adds(out, "server: responds, and lets us query but not send: that wants "
                         "a token of an agent; see token_file\n");
        return;
    case CHECK_SERVER_OTHER_HOST:
        strbuf_addf(out,
                    "server: would refuse us: the token is for the host '%s', this one "
                    "reports as '%s'; see token_file and host\n",
                    server->host, opts->host);
        return;
    case CHECK_SERVER_NOT_BAROD:
        strbuf_adds(out, "server: what responds there is not barod; see server\n");
        return;
    case CHECK_SERVER_REFUSES:
        strbuf_addf(out, "server: %s; see token_file\n", server->reason);
        return;
    case CHECK_SERVER_FAILS:
        strbuf_addf(out, "server: %s; see server\n", server->reason);
        return;
    case CHECK_SERVER_BUSY:
        strbuf_addf(out, "server: %s; batches would wait in the spool\n",
                    server->reason);
        return;
    case CHECK_SERVER_AWAY:
        strbuf_addf(out,
                    "server: does not respond: %s; batches would wait in the spool\n",
                    server->reason);
        return;
    case CHECK_SERVER_INVALID:
        strbuf_addf(out, "server: %s\n", server->reason);
        return;
    case CHECK_SERVER_NO_TOKEN:
        strbuf_addf(out, "token_file: %s\n", server->reason);
        return;
    }
}

static void print_server(const struct check_result *result, struct strbuf *out)
{
    const struct check_server *server = &result->server;
    char text[TIMETEXT_SIZE];
    int64_t ahead_ns = server->ahead_ns;
    print_verdict(server, result->opts, out);
    if (server->server_now_ns == T_NONE)
        return;
    if (server->expires_ns != T_NONE) {
        (void)timetext_print(text, server->expires_ns);
        strbuf_addf(out, "  %sthe token is valid until %s\n",
                    server->expires_ns - server->server_now_ns < EXPIRY_WARN_NS
                        ? "warning: "
                        : "",
                    text);
    }
    if (ahead_ns >= CLOCK_WARN_NS || ahead_ns <= -CLOCK_WARN_NS)
        strbuf_addf(
            out,
            "  warning: this clock is %lld s %s the server's: rows more than an "
            "hour ahead are refused\n",
            (long long)((ahead_ns < 0 ? -ahead_ns : ahead_ns) / NS_PER_S),
            ahead_ns < 0 ? "behind" : "ahead of");
}

/* ---- directories ---- */

static void print_dir(const struct check_dir *dir, struct strbuf *out)
{
    strbuf_addf(out, "%s '%s': ", dir->what, dir->path);
    switch (dir->state) {
    case CHECK_DIR_WRITABLE:
        strbuf_adds(out, "can be written\n");
        return;
    case CHECK_DIR_BARRED:
        strbuf_addf(out, "%s\n", strerror(dir->error));
        return;
    case CHECK_DIR_TO_BE_MADE:
        strbuf_addf(out, "is not there yet, and can be made in '%s'\n", dir->above);
        return;
    case CHECK_DIR_CANNOT_MAKE:
        strbuf_addf(out, "is not there, and cannot be made in '%s': %s; %s\n",
                    dir->above, strerror(dir->error),
                    dir->is_units
                        ? "the unit makes it at its first start (StateDirectory)"
                        : "make it, and give it to the service's user");
        return;
    }
}

void check_print(const struct check_result *result, struct strbuf *out)
{
    strbuf_addf(out, "this server reports as '%s' to %s\n", result->opts->host,
                result->opts->server);
    print_sources(result, out);
    print_server(result, out);
    print_dir(&result->dirs[0], out);
    print_dir(&result->dirs[1], out);
}
