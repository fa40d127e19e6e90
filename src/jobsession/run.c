/* SPDX-License-Identifier: Apache-2.0 */
/* run - a command with a session around it: this program is its control node. */
#include "jobsession/run.h"

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "jobsession/allocation.h"
#include "jobsession/command_child.h"
#include "jobsession/control.h"
#include "jobsession/provenance/provenance.h"
#include "jobsession/session_dir.h"

#include <openssl/rand.h>

#include <unistd.h>

#define POLL_NS (50 * NS_PER_MS)
/* So long may a spare need that replaces a node before the command begins. */
#define SUCCESSION_WAIT_NS (1 * NS_PER_S)
/* The site has it reported every so many heartbeats. */
#define HEARTBEATS_BEAT 15
/* Within so many heartbeats nodes leave when their pipe ends. */
#define HEARTBEATS_LEAVE 3

struct session_run {
    const struct session_run_opts *opts;
    struct session_dir dir;
    struct allocation allocation;
    struct plugins_opts plugins;
    struct results_file *results;
    struct site_link *site;             /* NULL: there is no agent */
    struct site_report *_Atomic report; /* likewise */
    struct succession *succession;      /* NULL: no spares */
    struct strbuf hosts;                /* a set */
    struct strbuf working, spares;      /* those of it */
    char id[SESSION_ID_BYTES + 1];
    char end_reason[64];
    int64_t begin_ns;
    struct control *control; /* NULL: the command runs without a session */
    struct launch launch;
    struct command_child child;
    struct strbuf provenance, provenance_key; /* as the invitation has them */
};

/* ---- before the command ---- */

/* The kernel states paths without links: a directory counts by its name and by that.
 * What no line of an invitation holds is no prefix. */
static void add_prefix(struct strbuf *prefixes, const char *path)
{
    AUTO_FREE char *real = realpath(path, NULL);
    const char *const names[] = { path, real };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i] && names[i][0] == '/' && names[i][1] &&
            !strpbrk(names[i], ":\n\r\t") &&
            span_eq(span_of(names[i]), span_trim(span_of(names[i]))))
            strbuf_addf(prefixes, "%s%s", prefixes->size ? ":" : "", names[i]);
}

static int read_prefixes(struct session_run *run, struct err *err)
{
    const char *home = getenv("HOME");
    for (size_t i = 0; i < run->opts->provenance_count; i++) {
        const char *prefix = run->opts->provenance[i];
        if (prefix[0] != '/' || strpbrk(prefix, ":\n") ||
            !span_eq(span_of(prefix), span_trim(span_of(prefix))))
            return err_set(err, EINVAL,
                           "--provenance: '%s' has to begin with /, without ':', and "
                           "without a blank at its end",
                           prefix);
        add_prefix(&run->provenance, prefix);
    }
    if (run->opts->provenance_count > 0 && home)
        add_prefix(&run->provenance, home);
    return strbuf_error(&run->provenance);
}

static int prepare_spares(struct session_run *run, struct err *err)
{
    const struct session_run_opts *opts = run->opts;
    uint64_t spares = opts->spares < UINT32_MAX ? opts->spares : UINT32_MAX;
    const struct succession_opts succession = {
        .hosts = run->allocation.hosts,
        .spares = (uint32_t)spares,
        .condemn = opts->condemn,
        .endpoint = opts->site,
        .cluster = getenv("SLURM_CLUSTER_NAME"),
        .period_ns = opts->period_ns,
    };
    int rc = succession_new(&succession, &run->succession, err);
    return rc < 0 ? rc : succession_print(run->succession, &run->working, &run->spares);
}

static int prepare(struct session_run *run, struct err *err)
{
    const struct session_run_opts *opts = run->opts;
    int rc = allocation_find(opts, &run->allocation, err);
    if (rc == 0)
        rc = succession_check_condemn(opts->condemn, err);
    if (rc == 0 && opts->spares > 0)
        rc = prepare_spares(run, err);
    if (rc == 0)
        rc = read_prefixes(run, err);
    if (rc == 0)
        rc = session_dir_make(opts->name, opts->directory, &run->dir, err);
    for (size_t i = 0; rc == 0 && i < opts->plugin_count; i++)
        rc = session_dir_copy_plugins(&run->dir, opts->plugins[i], err);
    run->plugins.directory = opts->plugin_count ? strbuf_text(&run->dir.plugins) : "";
    run->plugins.reads =
        (struct config_list){ (const char **)(uintptr_t)opts->reads, opts->read_count };
    return rc;
}

static void note_time(struct session_run *run, const char *key)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)clock_now_ms());
    results_file_note(run->results, key, text);
}

/* The session that this one is started in: its command has it in its environment. */
static const char *parent_id(void)
{
    const char *id = getenv("BARO_SESSION_ID");
    return id && strlen(id) == SESSION_ID_BYTES &&
                   strspn(id, "0123456789abcdef") == SESSION_ID_BYTES
               ? id
               : "";
}

static int draw_id(struct session_run *run)
{
    unsigned char bytes[SESSION_ID_BYTES / 2];
    run->begin_ns = clock_now_ns();
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return -EIO;
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(run->id + 2 * i, 3, "%02x", bytes[i]);
    hostset_print(run->allocation.hosts, &run->hosts);
    return strbuf_error(&run->hosts);
}

static void note_begin(struct session_run *run)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const char *job = getenv("SLURM_JOB_ID"), *cluster = getenv("SLURM_CLUSTER_NAME");
    results_file_note(run->results, "format", "1");
    results_file_note(run->results, "name", strbuf_text(&run->dir.name));
    results_file_note(run->results, "session", run->id);
    results_file_note(run->results, "parent", parent_id());
    results_file_note(run->results, "job", job ? job : "");
    results_file_note(run->results, "cluster", cluster ? cluster : "");
    results_file_note(run->results, "hosts", strbuf_text(&run->hosts));
    if (run->succession)
        results_file_note(run->results, "spares", strbuf_text(&run->spares));
    for (size_t i = 0; run->opts->command[i]; i++)
        strbuf_addf(&text, "%s%s", i ? " " : "", run->opts->command[i]);
    results_file_note(run->results, "command", strbuf_text(&text));
    strbuf_clear(&text);
    strbuf_addf(&text, "%lld", (long long)(run->opts->period_ns / NS_PER_MS));
    results_file_note(run->results, "period_ms", strbuf_text(&text));
    note_time(run, "begin_ms");
}

/* The site hears of the session by this node's agent, which knows whose it is.  For
 * root, too, a name that is no session's. */
static void announce(struct session_run *run, const char *state)
{
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    struct json_writer w;
    json_writer_init(&w, &payload);
    json_object(&w);
    json_key(&w, "name");
    json_span(&w, strbuf_span(&run->dir.name));
    json_key(&w, "state");
    json_text(&w, state);
    json_key(&w, "job");
    json_text(&w, getenv("SLURM_JOB_ID"));
    json_key(&w, "ranks");
    json_i64(&w, (int64_t)hostset_count(run->allocation.hosts));
    json_key(&w, "address");
    json_text(&w,
              run->control ? control_invitation(run->control)->control_address : NULL);
    json_object_end(&w);
    if (strbuf_error(&payload) == 0)
        site_link_send(run->site, SPAN("child.session"), strbuf_span(&payload));
}

static const char *agent_of(const struct session_run *run)
{
    const char *path = run->opts->agent ? run->opts->agent : getenv("BARO_AGENT");
    return path && *path ? path : NULL;
}

static void open_site(struct session_run *run)
{
    const char *path = agent_of(run);
    if (path && site_link_open(path, &run->site) < 0)
        log_warn("the site hears of nothing: no thread can be started");
}

/* Once its address is known. */
static void open_report(struct session_run *run)
{
    struct site_report *report = NULL;
    bool is_long = run->hosts.size > SESSION_HOSTS_BYTES_MAX;
    const char *address =
        run->control ? control_invitation(run->control)->control_address : "";
    const struct site_report_opts opts = {
        .path = agent_of(run),
        .self = { .session = span_of(run->id),
                  .name = strbuf_span(&run->dir.name),
                  .parent = span_of(parent_id()),
                  .hosts = is_long ? SPAN("") : strbuf_span(&run->hosts),
                  .ranks = hostset_count(run->allocation.hosts),
                  .address = span_of(address),
                  .start_ns = run->begin_ns },
        .beat_ns = HEARTBEATS_BEAT * run->opts->heartbeat_ns,
    };
    int rc = opts.path ? site_report_open(&opts, &report) : 0;
    if (rc < 0)
        log_warn("the site does not list the session: %s", strerror(-rc));
    atomic_store(&run->report, report);
}

static void begin_provenance(struct session_run *run)
{
    unsigned char key[PATH_KEY_BYTES];
    struct err err = { 0 };
    if (run->opts->provenance_count == 0)
        return;
    int rc = owner_key_get(key, &err);
    if (rc == 0)
        owner_key_print(key, &run->provenance_key);
    else
        log_warn("what the command runs and opens is not recorded: %s",
                 err.text[0] ? err.text : strerror(-rc));
}

/* What fails from here on costs the command nothing. */
static void begin_session(struct session_run *run)
{
    struct err err = { 0 };
    open_site(run);
    begin_provenance(run);
    int rc = results_file_open(strbuf_text(&run->dir.database), run->opts->bytes_max,
                               &run->results, &err);
    if (rc == 0)
        note_begin(run);
    const struct control_opts opts = {
        .name = strbuf_text(&run->dir.name),
        .state = strbuf_text(&run->dir.path),
        .hosts = run->allocation.hosts,
        .host = run->allocation.host,
        .listen = run->allocation.listen,
        .period_ns = run->opts->period_ns,
        .heartbeat_ns = run->opts->heartbeat_ns,
        .plugins = &run->plugins,
        .results = run->results,
        .site = run->site,
        .report = &run->report,
        .site_events = run->opts->site_events,
        .site_event_count = run->opts->site_event_count,
        .succession = run->succession,
        .id = run->id,
        .provenance = strbuf_text(&run->provenance),
        .provenance_key = strbuf_text(&run->provenance_key),
        .agent = agent_of(run),
    };
    if (rc == 0)
        rc = control_start(&opts, &run->control, &err);
    open_report(run);
    if (rc == 0)
        rc = launch_start(&run->allocation.launch, control_invitation(run->control),
                          &run->launch, &err);
    announce(run, "running");
    if (rc < 0)
        log_warn("the command runs without all of its session: %s",
                 err.text[0] ? err.text : strerror(-rc));
}

/* So that what the nodes see begins with the command. */
static void await_nodes(struct session_run *run)
{
    int64_t end_ns = clock_monotonic_ns() + run->opts->start_wait_ns;
    size_t wanted = hostset_count(run->allocation.hosts);
    while (run->control && clock_monotonic_ns() < end_ns) {
        struct control_counts counts;
        control_count(run->control, &counts);
        if (counts.online >= wanted ||
            launch_ended(&run->launch) == run->launch.count ||
            command_child_is_unwanted(&run->child, POLL_NS))
            return;
    }
}

/* Who works when the command begins: not who was to, before any joined. */
static void await_succession(struct session_run *run)
{
    int64_t end_ns = clock_monotonic_ns() + SUCCESSION_WAIT_NS;
    if (!run->succession)
        return;
    succession_begun(run->succession);
    while (succession_is_due(run->succession) && clock_monotonic_ns() < end_ns &&
           !command_child_is_unwanted(&run->child, POLL_NS))
        continue;
    if (succession_print(run->succession, &run->working, &run->spares) < 0)
        log_warn("memory is out: BARO_SESSION_HOSTS may name nodes that are replaced");
}

/* ---- after it ---- */

static void print_summary(struct session_run *run, const struct control_counts *counts)
{
    struct results_counts rows = { 0 };
    if (run->results)
        results_file_count(run->results, &rows);
    if (rows.lost > 0)
        log_warn("%llu rows are not in %s: %s", (unsigned long long)rows.lost,
                 strbuf_text(&run->dir.database), rows.error);
    if (run->opts->is_quiet)
        return;
    char spares[96] = "";
    if (run->succession) {
        struct spares_counts s;
        succession_count(run->succession, &s);
        (void)snprintf(spares, sizeof spares, "%llu of them spares, %llu replaced, ",
                       (unsigned long long)run->opts->spares,
                       (unsigned long long)s.replaced);
    }
    fprintf(stderr,
            "baro session run: %s: %u of %zu ranks, %s%llu triggers, "
            "%llu contributions, %llu events; data: %s\n",
            strbuf_text(&run->dir.name), (unsigned)counts->online_max,
            hostset_count(run->allocation.hosts), spares,
            (unsigned long long)counts->triggers,
            (unsigned long long)counts->contributions,
            (unsigned long long)counts->events, strbuf_text(&run->dir.database));
}

/* What the nodes stated is in it: they have left. */
static void close_report(struct session_run *run, int status)
{
    struct site_report_counts counts;
    (void)snprintf(run->end_reason, sizeof run->end_reason, "exit status %d", status);
    site_report_end(atomic_exchange(&run->report, NULL), run->end_reason, &counts);
    if (counts.lost > 0)
        log_warn("the site does not have %llu reports of the session: %s",
                 (unsigned long long)counts.lost, counts.error);
}

static void close_site(struct session_run *run)
{
    struct site_counts counts;
    if (!run->site)
        return;
    announce(run, "ended");
    site_link_flush(run->site);
    site_link_count(run->site, &counts);
    if (counts.lost > 0)
        log_warn("the site did not hear of %llu events: %s",
                 (unsigned long long)counts.lost, counts.error);
}

/* Once the control node is gone no more rows come: the summary has all that were lost.
 * False: a file's system does not respond. */
static bool end_session(struct session_run *run, int status)
{
    struct control_counts counts = { 0 };
    char text[16];
    succession_leave(run->succession);
    launch_end(&run->launch, HEARTBEATS_LEAVE * run->opts->heartbeat_ns);
    close_site(run);
    if (run->control)
        control_count(run->control, &counts);
    control_leave(run->control);
    close_report(run, status);
    control_stop(run->control);
    site_link_close(run->site);
    if (run->results) {
        (void)snprintf(text, sizeof text, "%d", status);
        results_file_note(run->results, "exit_status", text);
        note_time(run, "end_ms");
        results_file_flush(run->results, RESULTS_WAIT_NS);
    }
    print_summary(run, &counts);
    bool has_ended = succession_stop(run->succession);
    if (!has_ended)
        log_warn("a query of the health of nodes does not return, and is left");
    return results_file_end(run->results, 0) && has_ended;
}

static int run_owner_command(struct session_run *run)
{
    struct err err = { 0 };
    int status = 0;
    const struct command_variable variables[] = {
        { "BARO_SESSION", strbuf_text(&run->dir.name) },
        { "BARO_SESSION_ID", run->id },
        { "BARO_SESSION_DIR", strbuf_text(&run->dir.path) },
        { "BARO_SESSION_HOSTS",
          strbuf_text(run->succession ? &run->working : &run->hosts) },
        { "BARO_SESSION_SPARES", strbuf_text(&run->spares) },
    };
    int rc = command_child_start(&run->child, run->opts->command, variables,
                                 COUNT_OF(variables), &err);
    if (rc < 0) {
        log_error("%s", err.text);
        return rc == -ENOENT ? 127 : 126;
    }
    (void)command_child_wait(&run->child, INT64_MAX, &status);
    return status;
}

static struct session_run_opts with_defaults(const struct session_run_opts *given)
{
    struct session_run_opts opts = *given;
    opts.condemn = opts.condemn ? opts.condemn : "down";
    opts.period_ns = opts.period_ns ? opts.period_ns : 10 * NS_PER_S;
    opts.heartbeat_ns = opts.heartbeat_ns ? opts.heartbeat_ns : 2 * NS_PER_S;
    opts.start_wait_ns = opts.start_wait_ns ? opts.start_wait_ns : 10 * NS_PER_S;
    opts.bytes_max = opts.bytes_max ? opts.bytes_max : UINT64_C(1) << 30;
    return opts;
}

int session_run(const struct session_run_opts *given, int *ret_status, struct err *err)
{
    const struct session_run_opts opts = with_defaults(given);
    struct session_run run = { .opts = &opts };
    int rc = prepare(&run, err);
    if (rc == 0)
        rc = draw_id(&run);
    if (rc == 0)
        rc = command_child_hold(&run.child, err);
    if (rc == 0) {
        begin_session(&run);
        await_nodes(&run);
        await_succession(&run);
        *ret_status = run_owner_command(&run);
        bool has_ended = end_session(&run, *ret_status);
        command_child_release(&run.child);
        if (!has_ended) /* what runs at exit could wait for the same file system */
            _exit(*ret_status);
    }
    succession_free(run.succession);
    strbuf_done(&run.hosts);
    strbuf_done(&run.working);
    strbuf_done(&run.spares);
    allocation_done(&run.allocation);
    session_dir_done(&run.dir);
    strbuf_done(&run.provenance);
    strbuf_done(&run.provenance_key);
    return rc;
}
