/* SPDX-License-Identifier: Apache-2.0 */
/* site_link - what of a job's session the site's session hears of: by the agent of this
 * node, as its user's. */
#include "jobsession/site/site_link.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "client/client.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#define LINE_BYTES_MAX 4352 /* as the agent has it */
#define WAIT_S 2
#define PACE_MS 150 /* the agent accepts ten of a user's a second */

struct site_line {
    char text[LINE_BYTES_MAX];
    size_t size;
};

struct site_link {
    char *path;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake, idle;
    bool is_sending;
    struct site_line lines[SITE_QUEUE_MAX]; /* from first on, count of them */
    size_t first, count;
    bool is_stopping;
    int64_t stop_ns; /* by the monotonic clock */
    struct site_counts counts;
};

static void count_dropped(struct site_link *link, const char *why)
{
    LOCKED(&link->lock);
    link->counts.lost++;
    (void)snprintf(link->counts.error, sizeof link->counts.error, "%s", why);
}

/* ---- the thread ---- */

/* A connection for each: the agent closes one that is silent. */
static void line_send(struct site_link *link, const struct site_line *line)
{
    struct err err = { 0 };
    int rc =
        agent_socket_submit(link->path, (struct span){ line->text, line->size }, &err);
    if (rc < 0) {
        count_dropped(link, err.text[0] ? err.text : strerror(-rc));
        return;
    }
    LOCKED(&link->lock);
    link->counts.sent++;
}

/* false: nothing more comes, or the time for it is over. */
static bool line_next(struct site_link *link, struct site_line *ret)
{
    LOCKED(&link->lock);
    link->is_sending = false;
    if (link->count == 0)
        (void)pthread_cond_broadcast(&link->idle);
    while (link->count == 0 && !link->is_stopping)
        (void)pthread_cond_wait(&link->wake, &link->lock);
    if (link->count == 0)
        return false;
    if (link->is_stopping && clock_monotonic_ns() > link->stop_ns) {
        link->counts.lost += link->count;
        return false;
    }
    *ret = link->lines[link->first];
    link->first = (link->first + 1) % SITE_QUEUE_MAX;
    link->count--;
    link->is_sending = true;
    return true;
}

static void *send_lines(void *arg)
{
    struct site_link *link = arg;
    struct site_line line;
    while (line_next(link, &line)) {
        line_send(link, &line);
        (void)poll(NULL, 0, PACE_MS);
    }
    return NULL;
}

/* ---- the door ---- */

int site_link_open(const char *path, struct site_link **ret)
{
    AUTO(site_link_close) struct site_link *link = calloc(1, sizeof *link);
    if (!link)
        return -ENOMEM;
    (void)pthread_mutex_init(&link->lock, NULL);
    (void)pthread_cond_init(&link->wake, NULL);
    (void)pthread_cond_init(&link->idle, NULL);
    link->path = strdup(path);
    if (!link->path)
        return -ENOMEM;
    int rc = -pthread_create(&link->thread, NULL, send_lines, link);
    if (rc < 0)
        return rc;
    link->has_thread = true;
    *ret = TAKE(link);
    return 0;
}

void site_link_close(struct site_link *link)
{
    if (!link)
        return;
    if (link->has_thread) {
        (void)pthread_mutex_lock(&link->lock);
        link->is_stopping = true;
        link->stop_ns = clock_monotonic_ns() + WAIT_S * NS_PER_S;
        (void)pthread_cond_signal(&link->wake);
        (void)pthread_mutex_unlock(&link->lock);
        (void)pthread_join(link->thread, NULL);
    }
    (void)pthread_cond_destroy(&link->wake);
    (void)pthread_cond_destroy(&link->idle);
    (void)pthread_mutex_destroy(&link->lock);
    free(link->path);
    free(link);
}

static bool is_one_line(struct span text)
{
    return text.size == 0 ||
           (!memchr(text.data, '\n', text.size) && !memchr(text.data, '\0', text.size));
}

void site_link_send(struct site_link *link, struct span name, struct span payload)
{
    if (!link)
        return;
    if (name.size + payload.size + sizeof "event  \n" > LINE_BYTES_MAX ||
        !is_one_line(name) || !is_one_line(payload)) {
        count_dropped(link, "an event has more than one line, or is too long");
        return;
    }
    LOCKED(&link->lock);
    if (link->count == SITE_QUEUE_MAX) {
        link->counts.lost++;
        (void)snprintf(link->counts.error, sizeof link->counts.error,
                       "more than %d wait for the agent", SITE_QUEUE_MAX);
        return;
    }
    struct site_line *line =
        &link->lines[(link->first + link->count++) % SITE_QUEUE_MAX];
    line->size = (size_t)snprintf(line->text, sizeof line->text,
                                  "event " SPAN_FMT " " SPAN_FMT "\n", SPAN_ARG(name),
                                  SPAN_ARG(payload));
    (void)pthread_cond_signal(&link->wake);
}

void site_link_flush(struct site_link *link)
{
    int64_t end_ns = clock_now_ns() + WAIT_S * NS_PER_S;
    const struct timespec until = { end_ns / NS_PER_S, end_ns % NS_PER_S };
    LOCKED(&link->lock);
    while ((link->count > 0 || link->is_sending) &&
           pthread_cond_timedwait(&link->idle, &link->lock, &until) == 0)
        continue;
}

void site_link_count(struct site_link *link, struct site_counts *ret)
{
    LOCKED(&link->lock);
    *ret = link->counts;
}
