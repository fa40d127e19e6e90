/* SPDX-License-Identifier: Apache-2.0 */
/* site_watch - what the agent of this node has for a session, for as long as it runs.
 */
#include "jobsession/site/site_watch.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "client/client.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINE_BYTES_MAX 16384
#define NUMBER_BYTES 48
/* How soon an agent is connected to again: twice as late each time. */
#define AGAIN_MS_MIN 500
#define AGAIN_MS_MAX 5000
#define RESPONSE_MS 10000
#define LATER_MS 200 /* until the session accepts events again */

struct watched_line {
    struct watched_line *next;
    size_t size;
    char text[];
};

struct site_watch {
    struct site_watch_opts opts;
    uv_async_t wake;
    uv_timer_t later;
    pthread_t thread;
    int stop_fd; /* readable: it ends */
    /* The thread's. */
    char after[NUMBER_BYTES]; /* the last event's number; "": none */
    char *health;             /* its last line */
    bool is_away;             /* as was reported */
    char buffer[LINE_BYTES_MAX];
    size_t size;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t drained;
    struct watched_line *first, **last;
    size_t count;
    bool is_stopping;
};

/* ---- the thread ---- */

/* false: it ends. */
static bool line_queue(struct site_watch *w, struct span text)
{
    struct watched_line *line;
    while ((line = malloc(sizeof *line + text.size)) == NULL)
        (void)poll(NULL, 0, LATER_MS); /* nothing is read meanwhile */
    line->next = NULL;
    line->size = text.size;
    memcpy(line->text, text.data, text.size);
    LOCKED(&w->lock);
    while (w->count >= SITE_WATCH_LINES_MAX && !w->is_stopping)
        (void)pthread_cond_wait(&w->drained, &w->lock);
    if (w->is_stopping) {
        free(line);
        return false;
    }
    *w->last = line;
    w->last = &line->next;
    w->count++;
    (void)uv_async_send(&w->wake);
    return true;
}

static void set_after(struct site_watch *w, struct span number)
{
    if (number.size < sizeof w->after)
        (void)snprintf(w->after, sizeof w->after, SPAN_FMT, SPAN_ARG(number));
}

static bool event_number_read(struct span text, uint64_t ret[static 2])
{
    struct span incarnation;
    (void)span_cut(&text, '.', &incarnation);
    return number_parse_u64(incarnation, &ret[0]) == 0 &&
           number_parse_u64(text, &ret[1]) == 0;
}

/* Whatever an agent sends: none comes twice, or goes back. */
static bool is_old(const struct site_watch *w, struct span number)
{
    uint64_t came[2], after[2];
    if (!event_number_read(number, came) ||
        !event_number_read(span_of(w->after), after))
        return false;
    return came[0] == after[0] ? came[1] <= after[1] : came[0] < after[0];
}

/* "7 4 9": up to 7.9. */
static void set_after_gap(struct site_watch *w, struct span gap)
{
    struct span incarnation, first;
    (void)span_cut(&gap, ' ', &incarnation);
    (void)span_cut(&gap, ' ', &first);
    if (incarnation.size + gap.size + 2 <= sizeof w->after)
        (void)snprintf(w->after, sizeof w->after, SPAN_FMT "." SPAN_FMT,
                       SPAN_ARG(incarnation), SPAN_ARG(gap));
}

/* An agent that was started again states what it has of the health anew. */
static bool is_new_health(struct site_watch *w, struct span line)
{
    if (w->health && span_is(line, w->health))
        return false;
    free(w->health);
    w->health = span_dup(line);
    return true;
}

static bool watched_line_read(struct site_watch *w, struct span line)
{
    struct span rest = line, verb, number;
    (void)span_cut(&rest, ' ', &verb);
    if (span_is(verb, "at")) {
        set_after(w, rest);
        return true;
    }
    if (span_is(verb, "health") && !is_new_health(w, line))
        return true;
    number = rest;
    if (span_is(verb, "event")) {
        (void)span_cut(&rest, ' ', &number);
        if (is_old(w, number))
            return true;
    }
    if (!line_queue(w, line))
        return false;
    if (span_is(verb, "event")) {
        set_after(w, number);
    } else if (span_is(verb, "gap")) {
        set_after_gap(w, rest);
    }
    return true;
}

/* More of it is in the buffer.  0: the connection has ended, or this; -ETIMEDOUT. */
static ssize_t read_more(struct site_watch *w, int fd, int wait_ms)
{
    struct pollfd fds[] = { { fd, POLLIN, 0 }, { w->stop_fd, POLLIN, 0 } };
    int rc = poll(fds, COUNT_OF(fds), wait_ms);
    if (rc < 0 && errno == EINTR)
        return read_more(w, fd, wait_ms);
    if (rc <= 0 || fds[1].revents || w->size == sizeof w->buffer)
        return rc == 0 ? -ETIMEDOUT : 0;
    ssize_t size = recv(fd, w->buffer + w->size, sizeof w->buffer - w->size, 0);
    if (size > 0)
        w->size += (size_t)size;
    return size < 0 ? -errno : size;
}

/* The next whole line of the buffer; false: there is none. */
static bool line_cut(struct span *rest, struct span *ret)
{
    const char *end = rest->size ? memchr(rest->data, '\n', rest->size) : NULL;
    if (!end)
        return false;
    *ret = (struct span){ rest->data, (size_t)(end - rest->data) };
    rest->size -= ret->size + 1;
    rest->data = end + 1;
    return true;
}

static bool request_send(const struct site_watch *w, int fd)
{
    char text[128];
    int size = w->opts.session
                   ? snprintf(text, sizeof text, "watch session %s\n", w->opts.session)
                   : snprintf(text, sizeof text, "watch node%s%s\n",
                              w->after[0] ? " " : "", w->after);
    return send(fd, text, (size_t)size, MSG_NOSIGNAL) == size;
}

static const char *what_comes(const struct site_watch *w)
{
    return w->opts.session ? "what sessions in this one report"
                           : "events and health of this node";
}

/* Once until it is otherwise, not at each try. */
static void report_away(struct site_watch *w, const char *why)
{
    struct pollfd stop = { w->stop_fd, POLLIN, 0 };
    if (w->is_away || poll(&stop, 1, 0) != 0)
        return;
    w->is_away = true;
    log_warn("the agent does not send %s: %s", what_comes(w), why);
}

static void report_there(struct site_watch *w)
{
    if (w->is_away)
        log_notice("the agent sends %s", what_comes(w));
    w->is_away = false;
}

static bool response_read(struct site_watch *w, struct span line, struct err *why)
{
    if (!span_is(line, "ok")) {
        (void)err_set(why, EPERM, SPAN_FMT, SPAN_ARG(line));
        return false;
    }
    report_there(w);
    return true;
}

/* true: it was accepted, and has ended since. */
static bool watch_once(struct site_watch *w, struct err *why)
{
    AUTO_CLOSE int fd = -1;
    bool is_accepted = false;
    w->size = 0;
    if (agent_socket_open(w->opts.path, &fd, why) < 0)
        return false;
    (void)err_set(why, EIO, "it does not respond");
    if (!request_send(w, fd))
        return false;
    while (read_more(w, fd, is_accepted ? -1 : RESPONSE_MS) > 0) {
        struct span rest = { w->buffer, w->size }, line;
        while (line_cut(&rest, &line)) {
            if (is_accepted ? !watched_line_read(w, line)
                            : !response_read(w, line, why))
                return is_accepted;
            is_accepted = true;
        }
        memmove(w->buffer, rest.data, rest.size);
        w->size = rest.size;
    }
    return is_accepted;
}

static void *watch_again(void *arg)
{
    struct site_watch *w = arg;
    struct pollfd stop = { w->stop_fd, POLLIN, 0 };
    int again_ms = AGAIN_MS_MIN;
    do {
        struct err why = { 0 };
        bool was_accepted = watch_once(w, &why);
        if (!was_accepted)
            report_away(w, why.text);
        if (was_accepted)
            again_ms = AGAIN_MS_MIN;
        else if (again_ms < AGAIN_MS_MAX / 2)
            again_ms *= 2;
        else
            again_ms = AGAIN_MS_MAX;
    } while (poll(&stop, 1, again_ms) == 0);
    return NULL;
}

/* ---- the session's thread ---- */

static struct watched_line *first_line(struct site_watch *w)
{
    LOCKED(&w->lock);
    return w->first;
}

static void first_drop(struct site_watch *w)
{
    LOCKED(&w->lock);
    struct watched_line *line = w->first;
    w->first = line->next;
    if (!w->first)
        w->last = &w->first;
    w->count--;
    (void)pthread_cond_signal(&w->drained);
    free(line);
}

static void on_later(uv_timer_t *later);

static void hand_on(struct site_watch *w)
{
    const struct watched_line *line;
    if (uv_is_active((uv_handle_t *)&w->later))
        return;
    while ((line = first_line(w)) != NULL) {
        if (w->opts.line_fn(w->opts.arg, (struct span){ line->text, line->size }) < 0) {
            (void)uv_timer_start(&w->later, on_later, LATER_MS, 0);
            return;
        }
        first_drop(w);
    }
}

static void on_later(uv_timer_t *later)
{
    hand_on(later->data);
}

static void on_lines(uv_async_t *wake)
{
    hand_on(wake->data);
}

/* ---- the door ---- */

int site_watch_start(const struct site_watch_opts *opts, uv_loop_t *loop,
                     struct site_watch **ret)
{
    struct site_watch *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->opts = *opts;
    w->last = &w->first;
    w->wake.data = w->later.data = w;
    w->stop_fd = eventfd(0, EFD_CLOEXEC);
    int rc = w->stop_fd < 0 ? -errno : uv_async_init(loop, &w->wake, on_lines);
    if (rc < 0) {
        if (w->stop_fd >= 0)
            (void)close(w->stop_fd);
        free(w);
        return rc;
    }
    (void)uv_timer_init(loop, &w->later);
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->drained, NULL);
    *ret = w; /* its handles are the loop's */
    rc = -pthread_create(&w->thread, NULL, watch_again, w);
    if (rc < 0)
        w->is_stopping = true;
    return rc;
}

void site_watch_end(struct site_watch *w)
{
    const uint64_t one = 1;
    if (!w)
        return;
    bool has_thread;
    {
        LOCKED(&w->lock);
        has_thread = !w->is_stopping;
        w->is_stopping = true;
        (void)pthread_cond_signal(&w->drained);
    }
    (void)!write(w->stop_fd, &one, sizeof one);
    if (has_thread)
        (void)pthread_join(w->thread, NULL);
    uv_close((uv_handle_t *)&w->wake, NULL);
    uv_close((uv_handle_t *)&w->later, NULL);
}

void site_watch_free(struct site_watch *w)
{
    if (!w)
        return;
    while (w->first)
        first_drop(w);
    (void)close(w->stop_fd);
    (void)pthread_cond_destroy(&w->drained);
    (void)pthread_mutex_destroy(&w->lock);
    free(w->health);
    free(w);
}
