/* SPDX-License-Identifier: Apache-2.0 */
/* provenance - what a run's processes on this node ran and opened, while it runs. */
#include "jobsession/provenance/provenance.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "client/client.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <uv.h>

#define PAUSE_NS NS_PER_S
#define PAUSE_OF_WORK 20       /* it works for a 20th of the time at most */
#define PAYLOAD_BYTES_MAX 4000 /* an event has 4,096 */
#define LISTS_MAX 64           /* that wait for the session's thread */
#define LISTS_BURST 20         /* that it publishes at once; then one a second */
#define AGENT_PACE_MS 150      /* the agent accepts ten of a user's a second */
#define LAST_PACE_MS 20        /* at the end: it has a hundred at once */
#define END_WAIT_NS (3 * NS_PER_S)
#define END_WORK_NS (2 * NS_PER_S) /* of these, to send what is left */
#define BEAT_NS (600 * NS_PER_S)   /* so often the site hears that this node looks */

struct provenance {
    struct provenance_opts opts;
    struct path_names names;
    struct file_table table; /* the thread's */
    bool has_site;           /* likewise: there is an agent */
    bool has_warned;         /* that it does not hear of them */
    int64_t beat_ns;         /* when it heard last that this node looks; 0: never */
    uv_async_t more;
    bool has_loop;
    double publish_left; /* the session's thread's */
    int64_t publish_ns;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    bool is_due, is_stopping;
    struct strbuf lists[LISTS_MAX];
    size_t list_count;
};

/* ---- the thread ---- */

static bool is_stopping(struct provenance *p)
{
    LOCKED(&p->lock);
    return p->is_stopping;
}

/* One place is for a list that the session's thread puts back. */
static bool has_capacity(struct provenance *p)
{
    LOCKED(&p->lock);
    return p->list_count < LISTS_MAX - 1;
}

static void list_put(struct provenance *p, struct strbuf *list)
{
    LOCKED(&p->lock);
    p->lists[p->list_count++] = *list;
    *list = (struct strbuf)STRBUF_INIT;
    if (p->has_loop)
        (void)uv_async_send(&p->more);
}

static struct file_drain drain_of(const struct provenance *p, enum file_reader reader)
{
    return (struct file_drain){ .reader = reader,
                                .host = p->opts.host,
                                .bytes_max = PAYLOAD_BYTES_MAX,
                                .now_ns = clock_steady_ns() + 1 };
}

static void send_to_session(struct provenance *p)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    const struct file_drain drain = drain_of(p, FILE_FOR_SESSION);
    while (has_capacity(p)) {
        file_table_drain(&p->table, &drain, &list);
        if (strbuf_error(&list) < 0) {
            file_table_again(&p->table, FILE_FOR_SESSION);
            return;
        }
        if (list.size == 0)
            return;
        list_put(p, &list);
        file_table_sent(&p->table, &drain);
    }
}

/* That this node looks, or has looked until the end: by that the site knows whether it
 * has all. */
static void add_host(const struct provenance *p, enum job_file_kind kind, int64_t size,
                     struct strbuf *list)
{
    const struct job_file host = { .kind = kind,
                                   .name = span_of(p->opts.host),
                                   .size = size };
    if (list->size > 0)
        strbuf_addc(list, '\t');
    job_file_print(&host, list);
}

static int submit(const struct provenance *p, const struct strbuf *list,
                  struct err *err)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    strbuf_addf(&line, "files %s\t" SPAN_FMT "\n", p->opts.run.id,
                SPAN_ARG(strbuf_span(list)));
    int rc = strbuf_error(list) < 0 ? -ENOMEM : strbuf_error(&line);
    return rc < 0 ? rc : agent_socket_submit(p->opts.agent, strbuf_span(&line), err);
}

static bool has_arrived(struct provenance *p, const struct strbuf *list)
{
    struct err err = { 0 };
    int rc = submit(p, list, &err);
    if (rc < 0 && !p->has_warned)
        log_warn("%s: the site does not hear of files yet: %s", p->opts.host,
                 err.text[0] ? err.text : strerror(-rc));
    p->has_warned |= rc < 0;
    return rc == 0;
}

/* What does not arrive is sent again after the next reading: an agent that is away
 * comes back, and one that refuses a process may know its job later. */
static void send_to_site(struct provenance *p)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    while (p->has_site && !is_stopping(p)) {
        const struct file_drain drain = drain_of(p, FILE_FOR_SITE);
        bool has_beat = p->beat_ns == 0 || drain.now_ns - p->beat_ns >= BEAT_NS;
        file_table_drain(&p->table, &drain, &list);
        if (list.size == 0 && !has_beat)
            return;
        if (has_beat)
            add_host(p, JOB_FILE_HOST, -1, &list);
        if (!has_arrived(p, &list)) {
            file_table_again(&p->table, FILE_FOR_SITE);
            return;
        }
        file_table_sent(&p->table, &drain);
        p->beat_ns = has_beat ? drain.now_ns : p->beat_ns;
        (void)poll(NULL, 0, AGENT_PACE_MS);
    }
}

/* What waited for its time, and last that there is no more; where that does not
 * arrive, or not all, the site does not have it as whole. */
static void send_last(struct provenance *p)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    struct file_drain drain = drain_of(p, FILE_FOR_SITE);
    int64_t end_ns = clock_monotonic_ns() + END_WORK_NS;
    drain.is_last = true;
    while (clock_monotonic_ns() < end_ns) {
        file_table_drain(&p->table, &drain, &list);
        if (list.size == 0)
            break;
        if (!has_arrived(p, &list))
            return;
        file_table_sent(&p->table, &drain);
        (void)poll(NULL, 0, LAST_PACE_MS);
    }
    strbuf_clear(&list);
    if (file_table_is_due(&p->table, FILE_FOR_SITE))
        add_host(p, JOB_FILE_MORE, 1, &list);
    add_host(p, JOB_FILE_HOST, 0, &list);
    (void)has_arrived(p, &list);
}

static bool await_trigger(struct provenance *p)
{
    LOCKED(&p->lock);
    while (!p->is_due && !p->is_stopping)
        (void)pthread_cond_wait(&p->wake, &p->lock);
    p->is_due = false;
    return !p->is_stopping;
}

/* Until end_ns of the monotonic clock; triggers meanwhile are for nothing. */
static void rest_until(struct provenance *p, int64_t end_ns)
{
    const struct timespec until = { end_ns / NS_PER_S, end_ns % NS_PER_S };
    LOCKED(&p->lock);
    while (!p->is_stopping && pthread_cond_timedwait(&p->wake, &p->lock, &until) == 0)
        continue;
}

static void *read_processes(void *arg)
{
    struct provenance *p = arg;
    while (await_trigger(p)) {
        int64_t begin_ns = clock_monotonic_ns();
        (void)run_processes_read(&p->opts.run, &p->table);
        int64_t work_ns = clock_monotonic_ns() - begin_ns;
        int64_t pause_ns = PAUSE_OF_WORK * work_ns;
        send_to_session(p);
        send_to_site(p);
        rest_until(p, begin_ns + (pause_ns > PAUSE_NS ? pause_ns : PAUSE_NS));
    }
    if (p->has_site && p->beat_ns > 0)
        send_last(p);
    return NULL;
}

/* ---- the session's thread ---- */

static bool list_first(struct provenance *p, struct strbuf *ret)
{
    LOCKED(&p->lock);
    if (p->list_count == 0)
        return false;
    *ret = p->lists[0];
    p->list_count--;
    memmove(p->lists, p->lists + 1, p->list_count * sizeof p->lists[0]);
    return true;
}

/* There is a place: has_capacity(). */
static void list_back(struct provenance *p, const struct strbuf *list)
{
    LOCKED(&p->lock);
    memmove(p->lists + 1, p->lists, p->list_count * sizeof p->lists[0]);
    p->lists[0] = *list;
    p->list_count++;
}

/* Plugins of the node publish, too, and it may publish so many events a second. */
static bool may_publish(struct provenance *p)
{
    int64_t now_ns = clock_steady_ns() + 1;
    double left = p->publish_left + (double)(now_ns - p->publish_ns) / (double)NS_PER_S;
    p->publish_left = p->publish_ns == 0 || left > LISTS_BURST ? LISTS_BURST : left;
    p->publish_ns = now_ns;
    return p->publish_left >= 1;
}

static void publish_lists(struct provenance *p)
{
    struct strbuf list;
    while (may_publish(p) && list_first(p, &list)) {
        p->publish_left--;
        if (!p->opts.publish(p->opts.arg, strbuf_span(&list))) {
            list_back(p, &list); /* until the next trigger */
            return;
        }
        strbuf_done(&list);
    }
}

static void on_more_lists(uv_async_t *async)
{
    publish_lists(async->data);
}

int provenance_begin(struct provenance *p, struct uv_loop_s *loop)
{
    p->more.data = p;
    int rc = uv_async_init(loop, &p->more, on_more_lists);
    LOCKED(&p->lock);
    p->has_loop = rc == 0;
    return rc;
}

void provenance_trigger(struct provenance *p)
{
    publish_lists(p);
    LOCKED(&p->lock);
    p->is_due = true;
    (void)pthread_cond_signal(&p->wake);
}

void provenance_end(struct provenance *p)
{
    LOCKED(&p->lock);
    if (p->has_loop)
        uv_close((uv_handle_t *)&p->more, NULL);
    p->has_loop = false;
}

/* ---- the door ---- */

int provenance_new(const struct provenance_opts *opts, struct provenance **ret)
{
    pthread_condattr_t steady; /* a step of the clock prolongs no pause */
    struct provenance *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->opts = *opts;
    p->names = opts->names;
    p->has_site = opts->agent && *opts->agent;
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->wake, &steady);
    (void)pthread_condattr_destroy(&steady);
    int rc = file_table_init(&p->table, &p->names);
    if (rc == 0)
        rc = -pthread_create(&p->thread, NULL, read_processes, p);
    if (rc < 0) {
        file_table_done(&p->table);
        free(p);
        return rc;
    }
    *ret = p;
    return 0;
}

void provenance_free(struct provenance *p)
{
    static struct provenance *volatile left; /* it is in use as long as the program */
    if (!p)
        return;
    {
        LOCKED(&p->lock);
        p->is_stopping = true;
        (void)pthread_cond_signal(&p->wake);
    }
    int64_t end_ns = clock_now_ns() + END_WAIT_NS;
    const struct timespec until = { end_ns / NS_PER_S, end_ns % NS_PER_S };
    if (pthread_timedjoin_np(p->thread, NULL, &until) != 0) {
        left = p; /* in a call of a file system that does not return */
        (void)pthread_detach(left->thread);
        return;
    }
    for (size_t i = 0; i < p->list_count; i++)
        strbuf_done(&p->lists[i]);
    file_table_done(&p->table);
    (void)pthread_cond_destroy(&p->wake);
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}
