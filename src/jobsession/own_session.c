/* SPDX-License-Identifier: Apache-2.0 */
/* own_session - a user's session of her own, from its options to its end: this program
 * is its control node. */
#include "jobsession/own_session.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "jobsession/children.h"
#include "jobsession/provenance/provenance.h"
#include "jobsession/results_past.h"
#include "jobsession/site/site_numbers.h"

#include <openssl/rand.h>

#include <unistd.h>

#define POLL_NS (50 * NS_PER_MS)
/* So long may a spare need that replaces a node before the command begins. */
#define SUCCESSION_WAIT_NS (1 * NS_PER_S)
/* The site has it reported every so many heartbeats. */
#define HEARTBEATS_BEAT 15
/* Within so many heartbeats nodes leave when their pipe ends. */
#define HEARTBEATS_LEAVE 3

/* ---- before it begins ---- */

/* The session that this one is started in: its command has it in its environment. */
static const char *parent_id(void)
{
    const char *id = getenv("BARO_SESSION_ID");
    return id && strlen(id) == SESSION_ID_BYTES &&
                   strspn(id, "0123456789abcdef") == SESSION_ID_BYTES
               ? id
               : "";
}

struct own_session_opts own_session_defaults(const struct own_session_opts *given)
{
    struct own_session_opts opts = *given;
    opts.agent = opts.agent ? opts.agent : getenv("BARO_AGENT");
    opts.agent = opts.agent && *opts.agent ? opts.agent : NULL;
    opts.parent = opts.parent ? opts.parent : parent_id();
    if (!opts.parent_dir)
        opts.parent_dir = getenv("BARO_SESSION_DIR");
    opts.condemn = opts.condemn ? opts.condemn : "down";
    opts.period_ns = opts.period_ns ? opts.period_ns : 10 * NS_PER_S;
    opts.heartbeat_ns = opts.heartbeat_ns ? opts.heartbeat_ns : 2 * NS_PER_S;
    opts.start_wait_ns = opts.start_wait_ns ? opts.start_wait_ns : 10 * NS_PER_S;
    opts.bytes_max = opts.bytes_max ? opts.bytes_max : UINT64_C(1) << 30;
    return opts;
}

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

static int read_prefixes(struct own_session *s, struct err *err)
{
    const char *home = getenv("HOME");
    for (size_t i = 0; i < s->opts->provenance_count; i++) {
        const char *prefix = s->opts->provenance[i];
        if (prefix[0] != '/' || strpbrk(prefix, ":\n") ||
            !span_eq(span_of(prefix), span_trim(span_of(prefix))))
            return err_set(err, EINVAL,
                           "--provenance: '%s' has to begin with /, without ':', and "
                           "without a blank at its end",
                           prefix);
        add_prefix(&s->provenance, prefix);
    }
    if (s->opts->provenance_count > 0 && home)
        add_prefix(&s->provenance, home);
    return strbuf_error(&s->provenance);
}

static int prepare_spares(struct own_session *s, struct err *err)
{
    const struct own_session_opts *opts = s->opts;
    uint64_t spares = opts->spares < UINT32_MAX ? opts->spares : UINT32_MAX;
    const struct succession_opts succession = {
        .hosts = s->allocation.hosts,
        .spares = (uint32_t)spares,
        .condemn = opts->condemn,
        .endpoint = opts->site,
        .cluster = getenv("SLURM_CLUSTER_NAME"),
        .period_ns = opts->period_ns,
    };
    int rc = succession_new(&succession, &s->succession, err);
    return rc < 0 ? rc : succession_print(s->succession, &s->working, &s->spares);
}

int own_session_prepare(struct own_session *s, const struct own_session_opts *opts,
                        struct err *err)
{
    s->opts = opts;
    int rc = allocation_find(opts, &s->allocation, err);
    if (rc == 0)
        rc = succession_check_condemn(opts->condemn, err);
    if (rc == 0 && opts->spares > 0)
        rc = prepare_spares(s, err);
    if (rc == 0)
        rc = read_prefixes(s, err);
    if (rc < 0)
        return rc;
    hostset_print(s->allocation.hosts, &s->hosts);
    s->plugins.reads =
        (struct config_list){ (const char **)(uintptr_t)opts->reads, opts->read_count };
    return strbuf_error(&s->hosts);
}

int own_session_make_dir(struct own_session *s, struct err *err)
{
    return session_dir_make(s->opts->name, s->opts->directory, &s->dir, err);
}

int own_session_copy_plugins(struct own_session *s, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->opts->plugin_count; i++)
        rc = session_dir_copy_plugins(&s->dir, s->opts->plugins[i], err);
    return rc;
}

/* ---- it begins ---- */

static void note_time(struct own_session *s, const char *key)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)clock_now_ms());
    results_file_note(s->results, key, text);
}

static int draw_id(struct own_session *s)
{
    unsigned char bytes[SESSION_ID_BYTES / 2];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return -EIO;
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(s->id + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

static void note_begin(struct own_session *s)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const char *job = getenv("SLURM_JOB_ID"), *cluster = getenv("SLURM_CLUSTER_NAME");
    results_file_note(s->results, "name", strbuf_text(&s->dir.name));
    results_file_note(s->results, "session", s->id);
    results_file_note(s->results, "parent", s->opts->parent);
    results_file_note(s->results, "job", job ? job : "");
    results_file_note(s->results, "cluster", cluster ? cluster : "");
    results_file_note(s->results, "hosts", strbuf_text(&s->hosts));
    if (s->succession)
        results_file_note(s->results, "spares", strbuf_text(&s->spares));
    for (size_t i = 0; s->opts->command && s->opts->command[i]; i++)
        strbuf_addf(&text, "%s%s", i ? " " : "", s->opts->command[i]);
    results_file_note(s->results, "command", strbuf_text(&text));
    strbuf_clear(&text);
    strbuf_addf(&text, "%lld", (long long)(s->opts->period_ns / NS_PER_MS));
    results_file_note(s->results, "period_ms", strbuf_text(&text));
    note_time(s, "begin_ms");
    /* Last: with it the facts are whole. */
    results_file_note(s->results, "format", "1");
}

/* What its past had stated about nodes is what the next statement is compared with. */
static void on_past_statement(void *arg, const struct resource_statement *statement)
{
    AUTO(strbuf_done) struct strbuf opinion = STRBUF_INIT;
    (void)opinions_accept(arg, statement, &opinion);
}

/* Without them it would number events as those that the site has already. */
static bool has_numbers(const struct own_session *s)
{
    struct err err = { 0 };
    if (!s->opts->agent || site_numbers_check(strbuf_text(&s->dir.numbers), &err) == 0)
        return true;
    log_warn("it goes on as another session for the site: %s", err.text);
    return false;
}

/* One that had ended is another one for the site, where an end is for good.  Numbers of
 * before are given up once the file has the new id: before that they are still in use.
 */
static int begin_results(struct own_session *s, struct err *err)
{
    struct results_past past = { .name = strbuf_text(&s->dir.name),
                                 .state = strbuf_text(&s->dir.path),
                                 .next = s->id,
                                 .statement_fn = on_past_statement,
                                 .arg = s->opinions };
    const char *path = strbuf_text(&s->dir.database);
    /* A run never goes on with a file that is there: that it opens fails. */
    bool is_past = !s->opts->command && access(path, F_OK) == 0;
    if (is_past)
        past.is_another = !has_numbers(s);
    int rc =
        is_past ? results_file_resume(path, s->opts->bytes_max, &past, &s->results, err)
                : results_file_open(path, s->opts->bytes_max, &s->results, err);
    if (rc < 0)
        return rc;
    bool goes_on = past.session[0] && !past.has_ended && !past.is_another;
    s->begin_ns = goes_on ? past.begin_ms * NS_PER_MS : clock_now_ns();
    if (goes_on)
        memcpy(s->id, past.session, sizeof s->id);
    else
        (void)unlink(strbuf_text(&s->dir.numbers));
    if (!past.session[0])
        note_begin(s);
    else
        note_time(s, "resumed_ms");
    return 0;
}

static void begin_provenance(struct own_session *s)
{
    unsigned char key[PATH_KEY_BYTES];
    struct err err = { 0 };
    if (s->opts->provenance_count == 0)
        return;
    int rc = owner_key_get(key, &err);
    if (rc == 0)
        owner_key_print(key, &s->provenance_key);
    else
        log_warn("what the command runs and opens is not recorded: %s",
                 err.text[0] ? err.text : strerror(-rc));
}

static void open_site(struct own_session *s)
{
    bool is_long = s->hosts.size > SESSION_HOSTS_BYTES_MAX;
    const struct site_side_opts opts = {
        .agent = s->opts->agent,
        .job = getenv("SLURM_JOB_ID"),
        .self = { .session = span_of(s->id),
                  .name = strbuf_span(&s->dir.name),
                  .parent = span_of(s->opts->parent),
                  .hosts = is_long ? SPAN("") : strbuf_span(&s->hosts),
                  .ranks = hostset_count(s->allocation.hosts),
                  .start_ns = s->begin_ns },
        .beat_ns = HEARTBEATS_BEAT * s->opts->heartbeat_ns,
        .numbers = s->opts->command ? NULL : strbuf_text(&s->dir.numbers),
    };
    site_side_open(&s->site, &opts);
}

/* Where it is too long for a report, the site lists where its nodes connect to. */
static void begin_site(struct own_session *s)
{
    const char *nodes =
        s->control ? control_invitation(s->control)->control_address : NULL;
    bool has_address = s->listener && s->listener_address.size > 0 &&
                       s->listener_address.size <= SESSION_ADDRESS_BYTES_MAX;
    site_side_begin(&s->site, has_address ? strbuf_text(&s->listener_address) : nodes,
                    nodes);
}

static int begin_control(struct own_session *s, struct err *err)
{
    const struct control_opts opts = {
        .name = strbuf_text(&s->dir.name),
        .state = strbuf_text(&s->dir.path),
        .hosts = s->allocation.hosts,
        .host = s->allocation.host,
        .listen = s->allocation.listen,
        .period_ns = s->opts->period_ns,
        .heartbeat_ns = s->opts->heartbeat_ns,
        .plugins = &s->plugins,
        .results = s->results,
        .site = &s->site,
        .opinions = s->opinions,
        .site_events = s->opts->site_events,
        .site_event_count = s->opts->site_event_count,
        .succession = s->succession,
        .id = s->id,
        .provenance = strbuf_text(&s->provenance),
        .provenance_key = strbuf_text(&s->provenance_key),
        .agent = s->opts->agent,
    };
    return control_start(&opts, &s->control, err);
}

/* The session that it is in lists it, as long as both have their directories. */
static void join_parent(struct own_session *s)
{
    struct err err = { 0 };
    const char *parent_dir = s->opts->parent_dir;
    if (!*s->opts->parent || !parent_dir || parent_dir[0] != '/')
        return;
    if (children_add(parent_dir, strbuf_text(&s->dir.name), strbuf_text(&s->dir.path),
                     &err) < 0)
        log_warn("the session that this one is in does not list it: %s", err.text);
}

static int begin_listener(struct own_session *s, struct err *err)
{
    const struct control_listener_opts opts = {
        .dir = strbuf_text(&s->dir.path),
        .view = control_view(s->control),
        .stop_fn = s->stop_fn,
        .arg = s->arg,
    };
    int rc = control_listener_open(&opts, &s->listener, err);
    if (rc == 0)
        strbuf_addf(&s->listener_address, "%s:%s/" CONTROL_SOCKET,
                    service_host(s->host), opts.dir);
    if (rc == 0 || !s->opts->command)
        return rc;
    log_warn("%s cannot be queried while it runs: %s", strbuf_text(&s->dir.name),
             err->text);
    *err = (struct err){ 0 };
    return 0;
}

int own_session_begin(struct own_session *s, struct err *err)
{
    s->plugins.directory = s->opts->plugin_count ? strbuf_text(&s->dir.plugins) : "";
    int rc = draw_id(s);
    s->begin_ns = clock_now_ns();
    if (rc == 0)
        rc = opinions_new(&s->opinions);
    if (rc < 0)
        return rc;
    rc = begin_results(s, err);
    if (rc < 0 && !s->opts->command) {
        s->id[0] = '\0'; /* no session has it */
        return rc;
    }
    join_parent(s);
    open_site(s);
    begin_provenance(s);
    if (rc == 0)
        rc = begin_control(s, err);
    if (rc == 0)
        rc = begin_listener(s, err);
    begin_site(s);
    return rc < 0 ? rc
                  : launch_start(&s->allocation.launch, control_invitation(s->control),
                                 &s->launch, err);
}

/* So that what the nodes see begins with the command. */
static void await_nodes(struct own_session *s)
{
    int64_t end_ns = clock_monotonic_ns() + s->opts->start_wait_ns;
    size_t wanted = hostset_count(s->allocation.hosts);
    while (s->control && clock_monotonic_ns() < end_ns) {
        struct control_counts counts;
        control_count(s->control, &counts);
        if (counts.online >= wanted || launch_ended(&s->launch) == s->launch.count ||
            s->is_unwanted_fn(s->arg, POLL_NS))
            return;
    }
}

/* Who works when the command begins: not who was to, before any joined. */
void own_session_await(struct own_session *s)
{
    await_nodes(s);
    int64_t end_ns = clock_monotonic_ns() + SUCCESSION_WAIT_NS;
    if (!s->succession)
        return;
    succession_begun(s->succession);
    while (succession_is_due(s->succession) && clock_monotonic_ns() < end_ns &&
           !s->is_unwanted_fn(s->arg, POLL_NS))
        continue;
    if (succession_print(s->succession, &s->working, &s->spares) < 0)
        log_warn("memory is out: BARO_SESSION_HOSTS may name nodes that are replaced");
}

/* ---- its end ---- */

static void print_summary(struct own_session *s, const struct control_counts *counts)
{
    struct results_counts rows = { 0 };
    if (s->results)
        results_file_count(s->results, &rows);
    if (rows.lost > 0)
        log_warn("%llu rows are not in %s: %s", (unsigned long long)rows.lost,
                 strbuf_text(&s->dir.database), rows.error);
    if (s->opts->is_quiet)
        return;
    char spares[96] = "";
    if (s->succession) {
        struct spares_counts of;
        succession_count(s->succession, &of);
        (void)snprintf(spares, sizeof spares, "%llu of them spares, %llu replaced, ",
                       (unsigned long long)s->opts->spares,
                       (unsigned long long)of.replaced);
    }
    fprintf(stderr,
            "baro session %s: %s: %u of %zu ranks, %s%llu triggers, "
            "%llu contributions, %llu events; data: %s\n",
            s->opts->command ? "run" : "start", strbuf_text(&s->dir.name),
            (unsigned)counts->online_max, hostset_count(s->allocation.hosts), spares,
            (unsigned long long)counts->triggers,
            (unsigned long long)counts->contributions,
            (unsigned long long)counts->events, strbuf_text(&s->dir.database));
}

static void note_end(struct own_session *s, int status, const char *reason)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%d", status);
    if (status >= 0)
        results_file_note(s->results, "exit_status", text);
    else
        results_file_note(s->results, "end_reason", reason);
    note_time(s, "end_ms");
    results_file_flush(s->results, RESULTS_WAIT_NS);
}

/* The file has the end before the site has: who is killed in between did end, and does
 * not go on under an id that the site has closed.  Once the control node is gone no
 * more rows come: the summary has all that were lost. */
bool own_session_end(struct own_session *s, int status, const char *reason)
{
    struct control_counts counts = { 0 };
    succession_leave(s->succession);
    launch_end(&s->launch, HEARTBEATS_LEAVE * s->opts->heartbeat_ns);
    site_side_leave(&s->site);
    if (s->control) {
        control_count(s->control, &counts);
        session_view_stop(control_view(s->control));
    }
    control_leave(s->control);
    control_listener_close(TAKE(s->listener));
    if (s->results)
        note_end(s, status, reason);
    site_side_end(&s->site, reason);
    control_stop(TAKE(s->control));
    site_side_close(&s->site);
    if (s->results)
        results_file_flush(s->results, RESULTS_WAIT_NS);
    print_summary(s, &counts);
    bool has_ended = succession_stop(s->succession);
    if (!has_ended)
        log_warn("a query of the health of nodes does not return, and is left");
    return results_file_end(TAKE(s->results), 0) && has_ended;
}

uint64_t own_session_online(struct own_session *s)
{
    struct control_counts counts = { 0 };
    if (s->control)
        control_count(s->control, &counts);
    return counts.online;
}

void own_session_state(struct own_session *s, enum service_phase phase,
                       const char *reason)
{
    struct service_state *state = &s->state;
    struct err err = { 0 };
    if (state->begin_ms == 0)
        state->begin_ms = (uint64_t)clock_now_ms();
    state->phase = phase;
    state->name = strbuf_text(&s->dir.name);
    state->session = s->id;
    state->host = service_host(s->host);
    state->address = strbuf_text(&s->listener_address);
    state->hosts = strbuf_text(&s->hosts);
    state->reason = reason;
    state->pid = (uint64_t)getpid();
    state->nodes = hostset_count(s->allocation.hosts);
    state->online = own_session_online(s);
    state->t_ms = (uint64_t)clock_now_ms();
    state->beat_ms = (uint64_t)(HEARTBEATS_BEAT * s->opts->heartbeat_ns / NS_PER_MS);
    if (service_state_write(&s->dir, state, &err) < 0)
        log_warn("its state cannot be written: %s", err.text);
}

void own_session_done(struct own_session *s)
{
    succession_free(s->succession);
    opinions_free(s->opinions);
    strbuf_done(&s->hosts);
    strbuf_done(&s->working);
    strbuf_done(&s->spares);
    strbuf_done(&s->listener_address);
    allocation_done(&s->allocation);
    session_dir_done(&s->dir);
    strbuf_done(&s->provenance);
    strbuf_done(&s->provenance_key);
}
