/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_source - exporters that are scraped. */
#include "ingest/scrape_source.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"
#include "ingest/scrape_target.h"
#include "model/model.h"
#include "net/net.h"

#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

/* What one scrape brought. */
struct catch
{
    struct strbuf text;
    int64_t t_ns;
    double seconds;
    bool is_unchanged; /* a file: there is nothing new */
};

/* ---- reports ---- */

static void report_target(struct scrape_source *source, enum scrape_notice notice,
                          const struct scrape_target *target, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void report_target(struct scrape_source *source, enum scrape_notice notice,
                          const struct scrape_target *target, const char *fmt, ...)
{
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    char words[512], text[1024];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    (void)snprintf(text, sizeof text, "%s: %s: %s", target->section->name, target->url,
                   words);
    secret_print(&clean, span_of(text));
    LOCKED(&source->report_lock);
    source->opts.say(source->opts.arg, notice, strbuf_text(&clean));
}

/* ---- one target ---- */

static int read_url(struct scrape_target *target, struct catch *catch, struct err *err)
{
    AUTO(net_response_done) struct net_response response = { 0 };
    int rc = net_client_get(target->client, target->path, &response, err);
    if (rc < 0)
        return rc;
    if (response.status != 200)
        return err_set(err, EIO, "it responds with %u", response.status);
    catch->text = response.body;
    response.body = (struct strbuf)STRBUF_INIT;
    return 0;
}

/* A pipe or device that another user put in its place could hang, or never end. */
static int read_file(struct scrape_target *target, struct catch *catch, struct err *err)
{
    struct stat st;
    if (stat(target->url, &st) < 0)
        return err_set(err, errno, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, EINVAL, "this is not a file");
    catch->t_ns = (int64_t)st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
    catch->is_unchanged = catch->t_ns == target->changed_ns;
    if (catch->is_unchanged)
        return 0;
    int rc = file_read(target->url, target->section->opts.body_max, &catch->text, err);
    if (rc == 0)
        target->changed_ns = catch->t_ns;
    return rc;
}

static void count(struct scrape_source *source, struct scrape_target *target,
                  const struct catch *catch, const struct scrape_result *result)
{
    LOCKED(&source->lock);
    struct scrape_stats *stats = &target->section->stats;
    stats->bytes += catch->text.size;
    stats->samples += result->samples;
    stats->left += result->left;
    stats->bad += result->bad;
    stats->refused += sink_refused(&result->refused);
}

/* Once, until all of a text is taken again. */
static void report_refusals(struct scrape_source *source, struct scrape_target *target,
                            const struct scrape_result *result)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    bool was_refused = target->is_refused;
    target->is_refused = sink_refused(&result->refused) > 0;
    if (was_refused || !target->is_refused)
        return;
    sink_refusals_print(&result->refused, &text);
    report_target(source, SCRAPE_REFUSED, target, "refused: %s", strbuf_text(&text));
}

/* *ret_kept: samples.  Errors: -EINVAL, the text is none of an exporter. */
static int store_text(struct scrape_source *source, struct scrape_target *target,
                      const struct catch *catch, uint64_t *ret_kept, struct err *err)
{
    struct scrape_result result = { 0 };
    const struct scrape_text text = { span_of(target->host), strbuf_span(&catch->text),
                                      catch->t_ns, target->account };
    int rc = scrape_receive(&target->section->receiver, &text, &result);
    if (rc < 0) {
        report_target(source, SCRAPE_UNSTORED, target,
                      "samples cannot be stored: %s; they are lost", strerror(-rc));
        LOCKED(&source->lock);
        target->section->stats.unstored++;
        return 0;
    }
    count(source, target, catch, &result);
    report_refusals(source, target, &result);
    *ret_kept = result.samples;
    bool was_bad = target->is_bad;
    target->is_bad = result.bad > 0;
    if (result.bad == 0)
        return 0;
    if (result.samples + result.left + result.too_old + sink_refused(&result.refused) ==
        0)
        return err_set(err, EINVAL, "no line of it is Prometheus text; line %llu: %s",
                       (unsigned long long)result.first.line, result.first.reason);
    if (!was_bad)
        report_target(source, SCRAPE_BAD, target,
                      "%llu bad lines; the first: line %llu, column %llu: %s",
                      (unsigned long long)result.bad,
                      (unsigned long long)result.first.line,
                      (unsigned long long)result.first.column, result.first.reason);
    return 0;
}

static void settle(struct scrape_source *source, struct scrape_target *target, int rc,
                   const struct err *err)
{
    enum target_state before, now = rc < 0 ? TARGET_DOWN : TARGET_UP;
    {
        LOCKED(&source->lock);
        struct scrape_stats *stats = &target->section->stats;
        before = target->state;
        target->state = now;
        stats->scrapes++;
        stats->failed += rc < 0;
        stats->targets_up += now == TARGET_UP;
        stats->targets_up -= before == TARGET_UP;
    }
    if (now == before)
        return;
    if (now == TARGET_UP)
        report_target(source, SCRAPE_WORKS, target, "it responds");
    else
        report_target(source, SCRAPE_FAILS, target, "%s", err->text);
}

static void scrape(struct scrape_source *source, struct scrape_target *target,
                   int64_t t_ns)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct catch catch = { .text = text, .t_ns = t_ns };
    struct err err = { 0 };
    struct scrape_verdict verdict = { 0 };
    int64_t begin_ns = clock_monotonic_ns();
    int rc = target->client ? read_url(target, &catch, &err)
                            : read_file(target, &catch, &err);
    text = catch.text;
    verdict.seconds = (double)(clock_monotonic_ns() - begin_ns) / (double)NS_PER_S;
    if (rc == 0 && !catch.is_unchanged)
        rc = store_text(source, target, &catch, &verdict.samples, &err);
    verdict.is_up = rc == 0;
    settle(source, target, rc, &err);
    /* When this cannot be kept either, that has been said. */
    (void)scrape_receive_verdict(&target->section->receiver, span_of(target->host),
                                 t_ns, &verdict);
}

/* ---- when ---- */

/* One that did not respond the last time, or never was scraped, may hang for its
 * timeout. Half of the threads are not for these: a rack that is off costs only itself.
 */
static bool may_be_scraped(const struct scrape_source *source,
                           const struct scrape_target *target)
{
    return !target->is_busy &&
           (target->state == TARGET_UP || source->thread_count < 2 ||
            source->doubtful_count < source->thread_count / 2);
}

/* The one that is due first and that no thread scrapes. */
static struct scrape_target *first_due(struct scrape_source *source)
{
    struct scrape_target *first = NULL;
    for (size_t i = 0; i < source->target_count; i++) {
        struct scrape_target *target = source->targets[i];
        if (may_be_scraped(source, target) &&
            (!first || target->due_ns < first->due_ns))
            first = target;
    }
    return first;
}

static void wait_until(struct scrape_source *source, int64_t due_ns)
{
    int64_t end_ns = clock_monotonic_ns() + clock_wait_ms(due_ns) * NS_PER_MS;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    (void)pthread_cond_timedwait(&source->wake, &source->lock, &until);
}

/* Take a target that is due; NULL: it is time to stop.  *ret_missed: how many times it
 * should have been scraped before. */
static struct scrape_target *next_target(struct scrape_source *source,
                                         int64_t *ret_t_ns, uint64_t *ret_missed)
{
    LOCKED(&source->lock);
    while (!source->is_stopping) {
        struct scrape_target *target = first_due(source);
        int64_t now_ns = clock_now_ns();
        if (!target) {
            (void)pthread_cond_wait(&source->wake, &source->lock);
            continue;
        }
        int64_t interval_ns = target->section->opts.interval_ns;
        if (target->due_ns > now_ns + interval_ns) /* the clock was set back */
            target->due_ns = scrape_target_next_due(target, now_ns);
        if (target->due_ns > now_ns) {
            wait_until(source, target->due_ns);
            continue;
        }
        int64_t missed = (now_ns - target->due_ns) / interval_ns;
        *ret_t_ns = target->due_ns + missed * interval_ns;
        *ret_missed = (uint64_t)missed;
        target->section->stats.late += (uint64_t)missed;
        target->due_ns = *ret_t_ns + interval_ns;
        target->is_busy = true;
        target->is_doubtful = target->state != TARGET_UP;
        source->doubtful_count += target->is_doubtful;
        return target;
    }
    return NULL;
}

static void *scrape_run(void *arg)
{
    struct scrape_source *source = arg;
    struct scrape_target *target;
    int64_t t_ns = 0;
    uint64_t missed = 0;
    while ((target = next_target(source, &t_ns, &missed))) {
        if (missed > 0)
            report_target(source, SCRAPE_LATE, target,
                          "not scraped %llu times, others were too slow",
                          (unsigned long long)missed);
        scrape(source, target, t_ns);
        LOCKED(&source->lock);
        target->is_busy = false;
        source->doubtful_count -= target->is_doubtful;
        (void)pthread_cond_signal(&source->wake);
    }
    return NULL;
}

/* ---- the door ---- */

int scrape_source_new(const struct scrape_source_opts *opts, struct scrape_source **ret,
                      struct err *err)
{
    pthread_condattr_t attr;
    struct scrape_source *source = calloc(1, sizeof *source);
    if (!source)
        return err_set(err, ENOMEM, "out of memory");
    source->opts = *opts;
    (void)pthread_mutex_init(&source->report_lock, NULL);
    (void)pthread_mutex_init(&source->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&source->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    *ret = source;
    return 0;
}

int scrape_source_add(struct scrape_source *source, const char *name,
                      const struct scrape_opts *opts, struct err *err)
{
    struct scrape_section **list =
        realloc(source->sections, (source->section_count + 1) * sizeof *list);
    if (!list)
        return err_set(err, ENOMEM, "out of memory");
    source->sections = list;
    AUTO(scrape_section_free)
    struct scrape_section *section = calloc(1, sizeof *section);
    if (!section)
        return err_set(err, ENOMEM, "out of memory");
    section->name = name;
    section->opts = *opts;
    int rc = scrape_section_fill(source, section, err);
    if (rc < 0)
        return rc;
    struct scrape_section *added = list[source->section_count++] = TAKE(section);
    return scrape_section_add_targets(source, added, err);
}

int scrape_source_prepare(struct scrape_source *source, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < source->target_count; i++)
        rc = source->targets[i]->base
                 ? scrape_target_open(source, source->targets[i], err)
                 : 0;
    return rc;
}

int scrape_source_start(struct scrape_source *source, struct err *err)
{
    size_t wanted =
        source->target_count < THREADS_MAX ? source->target_count : THREADS_MAX;
    int rc = 0;
    LOCKED(&source->lock);
    while (rc == 0 && source->thread_count < wanted) {
        rc = pthread_create(&source->threads[source->thread_count], NULL, scrape_run,
                            source);
        source->thread_count += rc == 0;
    }
    return rc ? err_set(err, EAGAIN, "scrape: no thread: %s", strerror(rc)) : 0;
}

void scrape_source_free(struct scrape_source *source)
{
    if (!source)
        return;
    {
        LOCKED(&source->lock);
        source->is_stopping = true;
        (void)pthread_cond_broadcast(&source->wake);
    }
    for (size_t i = 0; i < source->thread_count; i++)
        (void)pthread_join(source->threads[i], NULL);
    for (size_t i = 0; i < source->target_count; i++)
        scrape_target_free(source->targets[i]);
    for (size_t i = 0; i < source->section_count; i++)
        scrape_section_free(source->sections[i]);
    (void)pthread_cond_destroy(&source->wake);
    (void)pthread_mutex_destroy(&source->lock);
    (void)pthread_mutex_destroy(&source->report_lock);
    free(source->targets);
    free(source->sections);
    free(source);
}

size_t scrape_source_count(const struct scrape_source *source)
{
    return source->section_count;
}

void scrape_source_load(struct scrape_source *source, struct scrape_load *ret)
{
    LOCKED(&source->lock);
    struct scrape_load load = { .targets = source->target_count,
                                .threads = source->thread_count };
    int64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < source->target_count; i++) {
        load.threads_busy += source->targets[i]->is_busy;
        load.waiting +=
            !source->targets[i]->is_busy && source->targets[i]->due_ns <= now_ns;
    }
    *ret = load;
}

void scrape_source_stats(struct scrape_source *source, size_t index,
                         const char **ret_name, struct scrape_stats *ret)
{
    *ret_name = source->sections[index]->name;
    LOCKED(&source->lock);
    *ret = source->sections[index]->stats;
}
