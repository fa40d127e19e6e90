/* SPDX-License-Identifier: Apache-2.0 */
/* poller - threads that read BMCs, as the schedule has it, and hand on what they find.
 */
#include "bmc/poller.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hashmap.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "bmc/box/rest.h"
#include "bmc/box/snmp.h"
#include "bmc/facts.h"
#include "bmc/ipmi.h"
#include "bmc/redfish.h"
#include "bmc/schedule.h"
#include "bmc/sender.h"
#include "bmc/state_file.h"
#include "bmc/statements.h"

#include <stdatomic.h>
#include <xxhash.h>

#define SILENCE_KNOWN_NS (30 * NS_PER_S) /* a list of barod's that is older is none */
#define STATED "stated" /* a mark: something was stated against the host */
#define STACK_BYTES ((size_t)512 << 10)

/* What is known of one BMC; its reader's, but for what is under the lock. */
struct bmc {
    const struct bmc_target *target;
    struct resource_checks *checks;
    struct listed_parts listed;
    struct redfish_paths paths;
    struct log_cursor cursor;
    struct silence_stated stated;
    struct bmc_facts facts;
    uint64_t generation; /* of the sender, when statements were news last */
    bool is_failing;
    uint64_t note_hash; /* of the last reading */
    bool is_marked;     /* on disk: something was stated against the host */
    /* Under the poller's lock. */
    int64_t silent_since_ns; /* 0: barod hears the host */
    uint64_t silent_round;
};

struct poller {
    const struct bmc_config *config;
    struct bmc_sender *sender;
    struct bmc *bmcs;
    struct hashmap by_component; /* -> index + 1 */
    pthread_mutex_t lock;        /* of all that follows */
    pthread_cond_t wake;
    struct schedule *schedule;
    struct poller_counts counts;
    uint64_t silent_round;
    int64_t silence_read_ns; /* when barod's list was read; 0: never */
    bool is_stopping;
    pthread_t *threads;
    size_t thread_count;
};

/* ---- who is silent: the sender's thread ---- */

static void silent_end(struct poller *p, int64_t now_ns)
{
    p->silence_read_ns = now_ns;
    p->counts.silent_hosts = 0;
    for (size_t i = 0; i < p->config->target_count; i++) {
        struct bmc *bmc = &p->bmcs[i];
        if (bmc->silent_since_ns == 0)
            continue;
        if (bmc->silent_round == p->silent_round) {
            p->counts.silent_hosts++;
            continue;
        }
        bmc->silent_since_ns = 0;
        schedule_hurry(p->schedule, i, now_ns);
    }
    p->silent_round++;
    (void)pthread_cond_broadcast(&p->wake);
}

/* One that has become silent is read at once: why is it? */
static void poller_silent(void *arg, struct span component, int64_t since_ns)
{
    struct poller *p = arg;
    int64_t now_ns = clock_steady_ns();
    LOCKED(&p->lock);
    if (component.size == 0) {
        silent_end(p, now_ns);
        return;
    }
    uintptr_t *at = hashmap_get(&p->by_component, component);
    if (!at)
        return;
    struct bmc *bmc = &p->bmcs[*at - 1];
    if (bmc->silent_since_ns == 0)
        schedule_hurry(p->schedule, *at - 1, now_ns);
    bmc->silent_since_ns = since_ns > 0 ? since_ns : 1;
    bmc->silent_round = p->silent_round;
}

/* ---- one reading ---- */

struct reading {
    struct bmc_report report;
    struct log_seen seen;
    struct strbuf statements, samples;
    struct err err;
};

static void reading_free(struct reading *r)
{
    if (!r)
        return;
    strbuf_done(&r->statements);
    strbuf_done(&r->samples);
    free(r);
}
DEFINE_AUTO(struct reading, reading_free);

/* An entry that was published is not read again. */
static int entries_publish(struct poller *p, struct bmc *bmc, struct reading *r)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    int rc = 0;
    for (size_t i = 0; i < r->report.entry_count && rc == 0; i++) {
        const struct bmc_entry *entry = &r->report.entries[i];
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        char name[32];
        struct err err = { 0 };
        event_print(bmc->target, entry, &text);
        (void)snprintf(name, sizeof name, "bmc.log.%s",
                       bmc_severity_name(entry->severity));
        if (p->config->poller.sends_events)
            rc = bmc_sender_publish(p->sender, name, strbuf_span(&text), &err);
        if (rc < 0)
            log_limited(&limit, LOG_LEVEL_WARN, "%s: %s", err.text,
                        rc == -EAGAIN ? "later" : "lost");
        if (rc != -EAGAIN) {
            log_line(entry->severity == BMC_INFO ? LOG_LEVEL_INFO : LOG_LEVEL_NOTICE,
                     "%s (%s)", strbuf_text(&text), name);
            rc = 0;
        }
    }
    return rc;
}

static void cursor_move(struct poller *p, struct bmc *bmc, struct reading *r)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    bool has_changed = false;
    struct err err = { 0 };
    if (!r->report.can_move || entries_publish(p, bmc, r) < 0)
        return;
    int rc = log_cursor_set(&bmc->cursor, &r->seen, &has_changed);
    if (rc == 0 && has_changed)
        rc = log_cursor_save(&bmc->cursor, p->config->poller.state,
                             bmc->target->component, &err);
    if (rc < 0)
        log_limited(&limit, LOG_LEVEL_WARN, "what was read of the log of %s: %s",
                    bmc->target->host, err.text);
}

static int bmc_read(struct bmc *bmc, struct reading *r)
{
    bmc_report_clear(&r->report);
    r->seen.count = 0;
    r->seen.sel_next = 0;
    r->seen.sel_hash = 0;
    r->err.text[0] = '\0';
    switch (bmc->target->section->protocol) {
    case BMC_IPMI:
        return ipmi_read(bmc->target, &bmc->cursor, &r->report, &r->seen, &r->err);
    case BMC_SNMP:
        return box_snmp_read(bmc->target, &r->report, &r->err);
    case BMC_REST:
        return box_rest_read(bmc->target, &r->report, &r->err);
    default:
        return redfish_read(bmc->target, &bmc->paths, &bmc->cursor, &r->report,
                            &r->seen, &r->err);
    }
}

static const char *target_word(const struct bmc_target *target)
{
    return strcmp(target->section->kind, "bmc") == 0 ? "BMC" : "box";
}

/* A change of whether it responds is one line, as is another note than before; that it
 * goes on is none. */
static void change_log(struct bmc *bmc, const struct reading *r, int rc)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    bool is_failing = rc < 0;
    if (is_failing && !bmc->is_failing)
        log_limited(&limit, LOG_LEVEL_WARN,
                    "%s: it is unknown now, and read less often", r->err.text);
    else if (!is_failing && bmc->is_failing)
        log_limited(&limit, LOG_LEVEL_NOTICE, "%s (%s %s): it responds again",
                    bmc->target->host, target_word(bmc->target), bmc->target->address);
    uint64_t hash = XXH3_64bits(r->report.note, strlen(r->report.note));
    bool is_news = hash != bmc->note_hash;
    if (rc == 0)
        bmc->note_hash = hash;
    if (rc == 0 && r->report.note[0] && is_news)
        log_limited(&limit, LOG_LEVEL_WARN, "%s (%s %s): %s", bmc->target->host,
                    target_word(bmc->target), bmc->target->address, r->report.note);
    bmc->is_failing = is_failing;
}

static void on_statement(void *arg, const struct resource_statement *statement)
{
    resource_statement_print_line(statement, arg);
}

/* What was stated and lost is stated again. */
static void generation_check(struct poller *p, struct bmc *bmc, struct reading *r,
                             int64_t now_ns)
{
    uint64_t generation = bmc_sender_generation(p->sender);
    if (generation == bmc->generation)
        return;
    bmc->generation = generation;
    bmc->stated.stated_ns = 0;
    resource_checks_again(bmc->checks, now_ns, on_statement, &r->statements);
}

/* What a baro-bmc before this one stated ends, too, when the host is heard. */
static void stated_mark(struct poller *p, struct bmc *bmc)
{
    static struct log_limit limit = LOG_LIMIT_INIT;
    struct err err = { 0 };
    if (bmc->is_marked || !bmc->stated.has_stated)
        return;
    if (bmc_state_mark(p->config->poller.state, bmc->target->component, STATED, &err) <
        0)
        log_limited(&limit, LOG_LEVEL_WARN, "what was stated of %s: %s",
                    bmc->target->component, err.text);
    bmc->is_marked = true;
}

static void reading_count(struct poller *p, const struct reading *r)
{
    LOCKED(&p->lock);
    p->counts.entries += r->report.entry_count;
    p->counts.lost += r->report.lost;
}

static bool bmc_visit(struct poller *p, struct bmc *bmc, struct reading *r)
{
    int rc = bmc_read(bmc, r);
    int64_t now_ns = clock_now_ns();
    struct silence_facts *facts = &bmc->facts.silence;
    bool is_known;
    generation_check(p, bmc, r, now_ns);
    if (rc == 0)
        cursor_move(p, bmc, r);
    bmc_facts_update(&bmc->facts, &r->report, rc == 0,
                     bmc->target->section->interval_ns, now_ns);
    {
        LOCKED(&p->lock);
        is_known = p->silence_read_ns != 0 &&
                   clock_steady_ns() - p->silence_read_ns <= SILENCE_KNOWN_NS;
        facts->is_silent = bmc->silent_since_ns != 0;
        facts->silent_since_ns = bmc->silent_since_ns > 1 ? bmc->silent_since_ns : 0;
    }
    struct parts_stating stating = { bmc->target, bmc->checks, &r->report, now_ns,
                                     &r->statements };
    statements_of_report(&stating, &bmc->listed, rc < 0 ? r->err.text : NULL);
    change_log(bmc, r, rc);
    reading_count(p, r);
    if (is_known)
        statements_of_silence(bmc->target, facts, &bmc->stated, now_ns, &r->statements);
    stated_mark(p, bmc);
    if (rc == 0)
        samples_of_report(bmc->target, &r->report, now_ns, &r->samples);
    bmc_sender_add(p->sender, &r->statements, &r->samples);
    return rc == 0;
}

/* ---- threads ---- */

/* false: it is time to stop. */
static bool poller_next(struct poller *p, size_t *ret)
{
    LOCKED(&p->lock);
    while (!p->is_stopping) {
        int64_t now_ns = clock_steady_ns(), due_ns;
        if (schedule_next(p->schedule, now_ns, ret, &due_ns))
            return true;
        if (due_ns == INT64_MAX) {
            (void)pthread_cond_wait(&p->wake, &p->lock);
            continue;
        }
        int64_t end_ns =
            clock_monotonic_ns() + clock_steady_wait_ms(due_ns) * NS_PER_MS;
        const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                        .tv_nsec = end_ns % NS_PER_S };
        (void)pthread_cond_timedwait(&p->wake, &p->lock, &until);
    }
    return false;
}

static void *poller_thread(void *arg)
{
    struct poller *p = arg;
    AUTO(reading_free) struct reading *r = calloc(1, sizeof *r);
    size_t index;
    while (r && poller_next(p, &index)) {
        int64_t begin_ns = clock_monotonic_ns();
        bool has_responded = bmc_visit(p, &p->bmcs[index], r);
        LOCKED(&p->lock);
        schedule_done(p->schedule, index, has_responded, clock_steady_ns());
        p->counts.readings++;
        p->counts.failed += !has_responded;
        p->counts.reading_ns += clock_monotonic_ns() - begin_ns;
        (void)pthread_cond_signal(&p->wake);
    }
    if (!r)
        log_error("a thread has no memory, and reads nothing");
    return NULL;
}

void poller_count(struct poller *p, struct poller_counts *ret)
{
    struct schedule_counts schedule;
    LOCKED(&p->lock);
    schedule_count(p->schedule, clock_steady_ns(), &schedule);
    *ret = p->counts;
    ret->targets = p->config->target_count;
    ret->silent_bmcs = schedule.silent;
    ret->in_flight = schedule.in_flight;
    ret->behind_ns = schedule.behind_ns;
}

void poller_print(struct poller *p, struct strbuf *out)
{
    struct poller_counts c;
    struct bmc_sender_counts s;
    poller_count(p, &c);
    bmc_sender_count(p->sender, &s);
    strbuf_addf(out,
                "bmcs=%zu silent_bmcs=%zu silent_hosts=%zu readings=%llu failed=%llu "
                "mean_ms=%lld behind_ms=%lld entries=%llu left_out=%llu ",
                c.targets, c.silent_bmcs, c.silent_hosts,
                (unsigned long long)c.readings, (unsigned long long)c.failed,
                c.readings ? (long long)(c.reading_ns / (int64_t)c.readings / NS_PER_MS)
                           : 0,
                (long long)(c.behind_ns / NS_PER_MS), (unsigned long long)c.entries,
                (unsigned long long)c.lost);
    strbuf_addf(out,
                "statements=%llu refused=%llu lost_bytes=%llu events=%llu "
                "events_lost=%llu",
                (unsigned long long)s.statements, (unsigned long long)s.refused,
                (unsigned long long)s.lost_bytes, (unsigned long long)s.events,
                (unsigned long long)s.events_lost);
}

/* ---- start and stop ---- */

static void poller_free(struct poller *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->bmcs && i < p->config->target_count; i++) {
        resource_checks_free(p->bmcs[i].checks);
        listed_parts_done(&p->bmcs[i].listed);
        redfish_paths_done(&p->bmcs[i].paths);
        log_cursor_done(&p->bmcs[i].cursor);
    }
    free(p->bmcs);
    free(p->threads);
    hashmap_done(&p->by_component);
    schedule_free(p->schedule);
    (void)pthread_mutex_destroy(&p->lock);
    (void)pthread_cond_destroy(&p->wake);
    free(p);
}
DEFINE_AUTO(struct poller, poller_free);

static int bmc_new(struct poller *p, size_t index, struct err *err)
{
    const struct bmc_target *target = &p->config->targets[index];
    struct bmc *bmc = &p->bmcs[index];
    struct err why = { 0 };
    bmc->target = target;
    uintptr_t *at = hashmap_put(&p->by_component, span_of(target->component), NULL);
    if (!at)
        return err_set(err, ENOMEM, "out of memory");
    *at = index + 1;
    int rc =
        log_cursor_load(&bmc->cursor, p->config->poller.state, target->component, &why);
    if (rc == -EBADMSG)
        log_warn("%s: the log of %s is read as if for the first time", why.text,
                 target->host);
    else if (rc < 0)
        return err_set(err, -rc, "%s", why.text);
    rc = resource_checks_new(target->section->cluster, target->host, &bmc->checks);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", target->host, strerror(-rc));
    bmc->is_marked = bmc->stated.has_stated =
        bmc_state_has_mark(p->config->poller.state, target->component, STATED);
    schedule_add(p->schedule, index, target->component, target->section->interval_ns,
                 clock_steady_ns());
    return 0;
}

static int threads_start(struct poller *p, struct err *err)
{
    pthread_attr_t attributes;
    size_t wanted = p->config->poller.in_flight;
    if (wanted > p->config->target_count)
        wanted = p->config->target_count;
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int errnum = 0;
    while (p->thread_count < wanted && errnum == 0) {
        errnum =
            pthread_create(&p->threads[p->thread_count], &attributes, poller_thread, p);
        p->thread_count += errnum == 0;
    }
    (void)pthread_attr_destroy(&attributes);
    return errnum ? err_set(err, errnum, "a thread: %s", strerror(errnum)) : 0;
}

static int poller_new(const struct bmc_config *config, struct poller **ret,
                      struct err *err)
{
    AUTO(poller_free) struct poller *p = calloc(1, sizeof *p);
    if (!p)
        return err_set(err, ENOMEM, "out of memory");
    p->config = config;
    (void)pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_t clock;
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&p->wake, &clock);
    (void)pthread_condattr_destroy(&clock);
    p->bmcs = calloc(config->target_count + 1, sizeof *p->bmcs);
    p->threads = calloc(config->poller.in_flight + 1, sizeof *p->threads);
    const struct schedule_opts opts = { .count = config->target_count,
                                        .in_flight = config->poller.in_flight,
                                        .backoff_max_ns =
                                            config->poller.backoff_max_ns };
    if (!p->bmcs || !p->threads || schedule_new(&opts, &p->schedule) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = file_make_dirs(config->poller.state, 0700, err);
    for (size_t i = 0; i < config->target_count && rc == 0; i++)
        rc = bmc_new(p, i, err);
    if (rc == 0)
        *ret = TAKE(p);
    return rc;
}

int poller_start(const struct bmc_config *config, struct poller **ret, struct err *err)
{
    struct poller *p = NULL;
    int rc = poller_new(config, &p, err);
    if (rc < 0 || !p)
        return rc;
    rc = bmc_sender_start(&config->poller, poller_silent, p, &p->sender, err);
    if (rc == 0)
        rc = threads_start(p, err);
    if (rc < 0)
        poller_stop(p);
    else
        *ret = p;
    return rc;
}

void poller_stop(struct poller *p)
{
    if (!p)
        return;
    {
        LOCKED(&p->lock);
        p->is_stopping = true;
        (void)pthread_cond_broadcast(&p->wake);
    }
    for (size_t i = 0; i < p->thread_count; i++)
        (void)pthread_join(p->threads[i], NULL);
    bmc_sender_stop(p->sender);
    poller_free(p);
}
