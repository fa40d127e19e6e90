/* SPDX-License-Identifier: Apache-2.0 */
/* line_feed - texts of line protocol whose sender gets no response. */
#include "ingest/line_feed.h"

#include "base/clock.h"
#include "base/number.h"

#include <pthread.h>
#include <time.h>

struct waiting {
    struct waiting *next;
    struct span text;
    int64_t t_ns; /* of its arrival */
    void *owner;
    void (*release)(void *owner);
};

struct line_feed {
    struct line_feed_opts opts;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* for all that follows */
    pthread_cond_t wake;
    bool is_stopping;
    int64_t deadline_ns; /* when is_stopping */
    struct waiting *first, **last;
    struct line_feed_stats stats;
};

static void waiting_free(struct waiting *w)
{
    if (!w)
        return;
    w->release(w->owner);
    free(w);
}
DEFINE_AUTO(struct waiting, waiting_free);

/* What a text takes while it waits. */
static size_t bytes_of(struct span text)
{
    return text.size + sizeof(struct waiting);
}

/* ---- taking in, on the thread inside ---- */

/* NULL: the feed ends. */
static struct waiting *take_first(struct line_feed *feed)
{
    LOCKED(&feed->lock);
    while (!feed->first && !feed->is_stopping)
        (void)pthread_cond_wait(&feed->wake, &feed->lock);
    struct waiting *w = feed->first;
    if (!w)
        return NULL;
    feed->first = w->next;
    if (!feed->first)
        feed->last = &feed->first;
    return w;
}

/* False: the feed ends, there is no other try. */
static bool wait_for_retry(struct line_feed *feed)
{
    int64_t end_ns = clock_monotonic_ns() + feed->opts.retry_ns;
    const struct timespec until = { .tv_sec = end_ns / NS_PER_S,
                                    .tv_nsec = end_ns % NS_PER_S };
    LOCKED(&feed->lock);
    while (!feed->is_stopping)
        if (pthread_cond_timedwait(&feed->wake, &feed->lock, &until) == ETIMEDOUT)
            break;
    feed->stats.retries += !feed->is_stopping;
    return !feed->is_stopping;
}

static bool is_too_late(struct line_feed *feed)
{
    LOCKED(&feed->lock);
    return feed->is_stopping && clock_monotonic_ns() >= feed->deadline_ns;
}

static int take_in(struct line_feed *feed, const struct waiting *w,
                   struct line_result *ret)
{
    AUTO(line_receiver_free) struct line_receiver *receiver = NULL;
    struct line_receiver_opts opts = feed->opts.receiver;
    opts.now_ns = w->t_ns;
    int rc = line_receiver_new(&opts, &receiver);
    if (rc == 0)
        rc = line_receiver_feed(receiver, w->text);
    if (rc == 0)
        rc = line_receiver_finish(receiver);
    if (rc == 0)
        *ret = *line_receiver_result(receiver);
    return rc;
}

static void tell_bad(struct line_feed *feed, const struct line_result *result)
{
    char text[400];
    const struct line_problem *problem = &result->problems[0];
    if (result->bad == 0 || result->problem_count == 0)
        return;
    (void)snprintf(text, sizeof text,
                   "%llu of %llu lines are bad; the first: line %llu, column %llu: %s",
                   (unsigned long long)result->bad, (unsigned long long)result->lines,
                   (unsigned long long)problem->line,
                   (unsigned long long)problem->column, problem->reason);
    feed->opts.say(feed->opts.arg, LINE_FEED_BAD, text);
}

/* Nobody waits for a response to hear of it. */
static void report_refusals(struct line_feed *feed, const struct line_result *result)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (sink_refused(&result->refused) == 0)
        return;
    strbuf_adds(&text, "refused and lost: ");
    sink_refusals_print(&result->refused, &text);
    feed->opts.say(feed->opts.arg, LINE_FEED_REFUSED, strbuf_text(&text));
}

static void report_unstored(struct line_feed *feed, enum line_feed_notice notice,
                            int rc)
{
    char text[256];
    (void)snprintf(text, sizeof text, "samples cannot be stored: %s; %s", strerror(-rc),
                   notice == LINE_FEED_LOST ? "they are lost" : "they wait");
    feed->opts.say(feed->opts.arg, notice, text);
}

static void count(struct line_feed *feed, const struct waiting *w,
                  const struct line_result *result)
{
    if (feed->opts.count)
        feed->opts.count(feed->opts.arg, result);
    LOCKED(&feed->lock);
    feed->stats.texts++;
    feed->stats.bytes += w->text.size;
    feed->stats.lines += result->lines;
    feed->stats.bad += result->bad;
    feed->stats.samples += result->accepted;
    feed->stats.refused += sink_refused(&result->refused);
}

/* Until it is kept, or nobody waits for that any longer.  Parts of it that were kept
 * before are put again, which changes nothing. */
static void keep(struct line_feed *feed, const struct waiting *w)
{
    struct line_result result = { 0 };
    int rc = is_too_late(feed) ? -ETIMEDOUT : take_in(feed, w, &result);
    while (rc < 0 && rc != -ETIMEDOUT && rc != -EINVAL) {
        report_unstored(feed, LINE_FEED_UNKEPT, rc);
        if (!wait_for_retry(feed))
            break;
        rc = take_in(feed, w, &result);
    }
    if (rc == 0) {
        count(feed, w, &result);
        tell_bad(feed, &result);
        report_refusals(feed, &result);
        return;
    }
    report_unstored(feed, LINE_FEED_LOST, rc);
    LOCKED(&feed->lock);
    feed->stats.lost++;
}

static void *run(void *arg)
{
    struct line_feed *feed = arg;
    for (;;) {
        AUTO(waiting_free) struct waiting *w = take_first(feed);
        if (!w)
            return NULL;
        keep(feed, w);
        LOCKED(&feed->lock);
        feed->stats.queue_bytes -= bytes_of(w->text);
        feed->stats.queue_texts--;
    }
}

/* ---- the door ---- */

int line_feed_new(const struct line_feed_opts *opts, struct line_feed **ret)
{
    pthread_condattr_t attr;
    AUTO(line_feed_free) struct line_feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return -ENOMEM;
    feed->opts = *opts;
    if (feed->opts.retry_ns == 0)
        feed->opts.retry_ns = NS_PER_S;
    feed->last = &feed->first;
    (void)pthread_mutex_init(&feed->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&feed->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    if (pthread_create(&feed->thread, NULL, run, feed) != 0)
        return -EAGAIN;
    feed->has_thread = true;
    *ret = TAKE(feed);
    return 0;
}

void line_feed_stop(struct line_feed *feed, int64_t deadline_ns)
{
    if (!feed->has_thread)
        return;
    {
        LOCKED(&feed->lock);
        feed->is_stopping = true;
        feed->deadline_ns = deadline_ns;
        (void)pthread_cond_signal(&feed->wake);
    }
    (void)pthread_join(feed->thread, NULL);
    feed->has_thread = false;
}

void line_feed_free(struct line_feed *feed)
{
    if (!feed)
        return;
    line_feed_stop(feed, clock_monotonic_ns());
    (void)pthread_mutex_destroy(&feed->lock);
    (void)pthread_cond_destroy(&feed->wake);
    free(feed);
}

/* One alone is always taken, or a big one never would be. */
static int append(struct line_feed *feed, struct waiting *w)
{
    size_t bytes = bytes_of(w->text);
    LOCKED(&feed->lock);
    struct line_feed_stats *stats = &feed->stats;
    if (feed->is_stopping)
        return -ESHUTDOWN;
    if (stats->queue_texts > 0 && (stats->queue_texts >= feed->opts.texts_max ||
                                   stats->queue_bytes + bytes > feed->opts.bytes_max)) {
        stats->dropped++;
        return -ENOBUFS;
    }
    *feed->last = w;
    feed->last = &w->next;
    stats->queue_texts++;
    stats->queue_bytes += bytes;
    (void)pthread_cond_signal(&feed->wake);
    return 0;
}

int line_feed_push(struct line_feed *feed, struct span text, void *owner,
                   void (*release)(void *owner))
{
    struct waiting *w = malloc(sizeof *w);
    if (!w) {
        LOCKED(&feed->lock);
        feed->stats.dropped++;
        return -ENOMEM;
    }
    *w = (struct waiting){ NULL, text, clock_now_ns(), owner, release };
    int rc = append(feed, w);
    if (rc < 0)
        free(w);
    if (rc == -ENOBUFS)
        feed->opts.say(feed->opts.arg, LINE_FEED_FULL,
                       "more messages arrive than can be stored; messages are dropped");
    return rc;
}

void line_feed_stats(struct line_feed *feed, struct line_feed_stats *ret)
{
    LOCKED(&feed->lock);
    *ret = feed->stats;
    ret->queue_texts_max = feed->opts.texts_max;
    ret->queue_bytes_max = feed->opts.bytes_max;
}
