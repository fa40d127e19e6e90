/* SPDX-License-Identifier: Apache-2.0 */
/* mount_part - network file systems of this node, as health. */
#include "agent/sampling/mount_part.h"

#include "agent/child.h"
#include "agent/sampling/mount_probe.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>

#define RESULT_BYTES_MAX 512
#define MOUNT_INFO "/proc/self/mountinfo"
#define IMPORTS "imports" /* of Lustre; a mount begins with a slash */

struct found {
    char part[MOUNT_PATH_BYTES + 16];
    char reason[MOUNT_PATH_BYTES + 128];
    enum resource_health health;
    bool is_seen; /* in this round */
};
#define FOUND_MAX (MOUNTS_MAX + IMPORT_FS_MAX)

/* A process, from its start to its end. */
struct mount_run {
    struct mount_part *part;
    size_t count; /* of its paths */
    struct mount_point points[MOUNTS_MAX];
    struct mount_results results;
    char line[RESULT_BYTES_MAX];
    size_t line_size;
    char hung[MOUNT_PATH_BYTES]; /* where it hangs; IMPORTS: at no mount */
};

struct mount_part {
    const struct agent_opts *opts;
    const struct agent_report *report;
    const char *root;
    uv_loop_t *loop;
    uv_async_t due;
    int64_t begun_ns; /* steady, of the sampler: the last round; 0: none */
    _Atomic bool is_running, is_stopped;
    /* Of processes that hang. */
    struct mount_run *hanging[MOUNTS_HANGING_MAX];
    pthread_mutex_t lock;
    struct found found[FOUND_MAX]; /* under lock */
    size_t found_count;
    bool is_new;
    _Atomic uint64_t rounds, hangs, given_up, not_probed;
};

/* ---- what was found ---- */

static void found_put(struct mount_part *part, const char *type, const char *name,
                      enum resource_health health, const char *reason)
{
    struct found one = { .health = health, .is_seen = true };
    size_t at = (size_t)snprintf(one.part, sizeof one.part, "%s:", type);
    while (*name == '/' && name[1])
        name++;
    for (; *name && at + 1 < sizeof one.part; name++)
        one.part[at++] = *name == '/'                                   ? '-'
                         : *name <= ' ' || *name > '~' || *name == '\\' ? '_'
                                                                        : *name;
    (void)snprintf(one.reason, sizeof one.reason, "%s", reason);
    (void)pthread_mutex_lock(&part->lock);
    struct found *known = NULL;
    for (size_t i = 0; i < part->found_count && !known; i++)
        if (strcmp(part->found[i].part, one.part) == 0)
            known = &part->found[i];
    if (!known && part->found_count < FOUND_MAX)
        known = &part->found[part->found_count++];
    if (known)
        *known = one;
    part->is_new = true;
    (void)pthread_mutex_unlock(&part->lock);
}

static void error_found(struct mount_part *part, const char *path, int error)
{
    char reason[MOUNT_PATH_BYTES + 64];
    if (error == EACCES || error == EPERM || error == ENOENT)
        return; /* the agent may not look there, or it is gone meanwhile */
    (void)snprintf(reason, sizeof reason, "statfs %s: %s", path, strerror(error));
    found_put(part, "mount", path, error ? RESOURCE_DEGRADED : RESOURCE_UP,
              error ? reason : "");
}

static void hang_found(struct mount_part *part, const char *path)
{
    char reason[MOUNT_PATH_BYTES + 96], deadline[32];
    number_print_duration(deadline, sizeof deadline,
                          part->opts->node.mount_deadline_ns);
    (void)snprintf(reason, sizeof reason, "%s hangs: no response to statfs in %s", path,
                   deadline);
    found_put(part, "mount", path, RESOURCE_UNKNOWN, reason);
}

static void imports_found(struct mount_part *part, const struct mount_results *results)
{
    for (size_t i = 0; i < results->import_count; i++) {
        const struct import_state *one = &results->imports[i];
        char reason[200];
        (void)snprintf(reason, sizeof reason,
                       "%zu of %zu imports are not connected: %s", one->away,
                       one->imports, one->first);
        found_put(part, "lustre", one->name,
                  one->away ? RESOURCE_DEGRADED : RESOURCE_UP, one->away ? reason : "");
    }
}

/* ---- a process ---- */

static bool is_hanging(const struct mount_part *part, const char *path)
{
    for (size_t i = 0; i < MOUNTS_HANGING_MAX; i++)
        if (part->hanging[i] && strcmp(part->hanging[i]->hung, path) == 0)
            return true;
    return false;
}

static void run_start(struct mount_part *part, const struct mount_point *points,
                      size_t count);

static int on_data(void *arg, struct span piece)
{
    struct mount_run *run = arg;
    for (size_t i = 0; i < piece.size; i++) {
        if (piece.data[i] != '\n') {
            if (run->line_size == RESULT_BYTES_MAX)
                return -EBADMSG;
            run->line[run->line_size++] = piece.data[i];
            continue;
        }
        const struct span line = { run->line, run->line_size };
        run->line_size = 0;
        if (mount_result_parse(line, run->count, &run->results) < 0)
            return -EBADMSG;
    }
    return 0;
}

static size_t slots_free(const struct mount_part *part)
{
    size_t count = 0;
    for (size_t i = 0; i < MOUNTS_HANGING_MAX; i++)
        count += !part->hanging[i];
    return count;
}

/* A round begins, and goes on after a process that hangs, only with a slot for one that
 * may. */
static void hang_begin(struct mount_part *part, struct mount_run *run, const char *path)
{
    size_t i = 0;
    while (i < MOUNTS_HANGING_MAX - 1 && part->hanging[i])
        i++;
    part->hanging[i] = run;
    (void)snprintf(run->hung, sizeof run->hung, "%s", path);
    atomic_fetch_add(&part->hangs, 1);
    atomic_fetch_add(&part->given_up, 1);
}

/* Not everything was seen: what was not stays as it is. */
static void round_end(struct mount_part *part, bool is_whole)
{
    (void)pthread_mutex_lock(&part->lock);
    for (size_t i = 0; is_whole && i < part->found_count; i++)
        if (!part->found[i].is_seen) { /* it is mounted no more */
            part->found[i].health = RESOURCE_UP;
            part->found[i].reason[0] = '\0';
            part->is_new = true;
        }
    (void)pthread_mutex_unlock(&part->lock);
    atomic_store(&part->is_running, false);
}

static void run_failed(struct mount_part *part, const struct agent_child_result *result)
{
    agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_READ_FAILED,
                 "mounts are not checked: %s" SPAN_FMT,
                 result->error ? strerror(-result->error) : "it ended early: ",
                 SPAN_ARG(result->complaint));
    round_end(part, false);
}

static void on_probe_done(void *arg, const struct agent_child_result *result)
{
    struct mount_run *run = arg;
    struct mount_part *part = run->part;
    size_t done = run->results.done;
    for (size_t i = 0; i < done; i++)
        error_found(part, run->points[i].path, run->results.errors[i]);
    if (result->error == 0 && run->results.has_ended) {
        imports_found(part, &run->results);
        round_end(part, true);
        return;
    }
    if (result->error != -ETIMEDOUT) {
        run_failed(part, result);
        return;
    }
    bool is_at_mount = done < run->count;
    hang_begin(part, run, is_at_mount ? run->points[done].path : IMPORTS);
    if (is_at_mount)
        hang_found(part, run->hung);
    if (is_at_mount && slots_free(part) > 0)
        run_start(part, run->points + done + 1, run->count - done - 1);
    else
        round_end(part, false);
}

static void on_probe_gone(void *arg)
{
    struct mount_run *run = arg;
    for (size_t i = 0; i < MOUNTS_HANGING_MAX; i++)
        if (run->part->hanging[i] == run) {
            run->part->hanging[i] = NULL;
            atomic_fetch_sub(&run->part->hangs, 1);
        }
    free(run);
}

static int run_spawn(struct mount_part *part, struct mount_run *run)
{
    static char program[] = "/proc/self/exe", word[] = MOUNT_PROBE_WORD;
    static char imports[] = IMPORTS, none[] = "-";
    char *argv[MOUNTS_MAX + 5] = { program, word, (char *)(uintptr_t)part->root,
                                   is_hanging(part, IMPORTS) ? none : imports };
    const struct agent_child_events events = { .data_fn = on_data,
                                               .done_fn = on_probe_done,
                                               .gone_fn = on_probe_gone,
                                               .arg = run };
    for (size_t i = 0; i < run->count; i++)
        argv[4 + i] = run->points[i].path;
    return agent_child_start(part->loop, argv, part->opts->node.mount_deadline_ns,
                             &events);
}

static void run_start(struct mount_part *part, const struct mount_point *points,
                      size_t count)
{
    struct mount_run *run = calloc(1, sizeof *run);
    struct agent_child_result failed = { .error = -ENOMEM, .complaint = SPAN("") };
    if (!run) {
        run_failed(part, &failed);
        return;
    }
    run->part = part;
    run->count = count;
    memcpy(run->points, points, count * sizeof *points);
    failed.error = run_spawn(part, run);
    if (failed.error < 0) {
        run_failed(part, &failed);
        free(run);
    }
}

/* ---- a round ---- */

/* Those that a process hangs at are still mounted, and hang. */
static void hanging_remove(struct mount_part *part, struct mount_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_hanging(part, list->points[i].path))
            hang_found(part, list->points[i].path);
        else
            list->points[count++] = list->points[i];
    }
    list->count = count;
}

static void on_due(uv_async_t *due)
{
    struct mount_part *part = due->data;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
    static struct mount_list list; /* of this loop alone */
    struct err err = { 0 };
    strbuf_addf(&path, "%s" MOUNT_INFO, part->root);
    if (atomic_load(&part->is_stopped) || strbuf_error(&path) ||
        slots_free(part) == 0 ||
        file_read(path.data, MOUNT_INFO_BYTES_MAX, &text, &err) < 0) {
        if (err.text[0])
            agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_READ_FAILED,
                         "mounts are not checked: %s", err.text);
        round_end(part, false);
        return;
    }
    mount_list_parse(strbuf_span(&text), &list);
    (void)pthread_mutex_lock(&part->lock);
    for (size_t i = 0; i < part->found_count; i++)
        part->found[i].is_seen = false;
    (void)pthread_mutex_unlock(&part->lock);
    atomic_fetch_add(&part->rounds, 1);
    if (atomic_exchange(&part->not_probed, list.dropped) < list.dropped)
        agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "%zu mounts are not checked: %d are as many as can be, and a path "
                     "has up to %d bytes",
                     list.dropped, MOUNTS_MAX, MOUNT_PATH_BYTES - 1);
    hanging_remove(part, &list);
    run_start(part, list.points, list.count);
}

int mount_part_open(const struct agent_opts *opts, const struct agent_report *report,
                    uv_loop_t *loop, struct mount_part **ret)
{
    if (opts->node.mounts_interval_ns == 0)
        return 0;
    struct mount_part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->opts = opts;
    part->report = report;
    part->root = !opts->root || strcmp(opts->root, "/") == 0 ? "" : opts->root;
    part->loop = loop;
    part->due.data = part;
    int rc = pthread_mutex_init(&part->lock, NULL);
    rc = rc ? -rc : uv_async_init(loop, &part->due, on_due);
    if (rc < 0) {
        free(part);
        return rc;
    }
    *ret = part;
    return 0;
}

void mount_part_stop(struct mount_part *part)
{
    if (!part)
        return;
    atomic_store(&part->is_stopped, true);
    uv_close((uv_handle_t *)&part->due, NULL);
}

/* ---- at a trigger ---- */

static void found_state(struct mount_part *part, struct health_part *health,
                        int64_t t_ns)
{
    (void)pthread_mutex_lock(&part->lock);
    for (size_t i = 0; part->is_new && i < part->found_count; i++) {
        const struct found *one = &part->found[i];
        const struct resource_check check = {
            .kind = "node",
            .name = SPAN("mounts"),
            .part = span_of(one->part),
            .health = one->health,
            .reason = span_of(one->reason),
            .t_ns = t_ns,
        };
        health_part_state(health, &check);
    }
    part->is_new = false;
    for (size_t i = part->found_count; i-- > 0;)
        if (!part->found[i].is_seen && part->found[i].health == RESOURCE_UP)
            part->found[i] = part->found[--part->found_count];
    (void)pthread_mutex_unlock(&part->lock);
}

void mount_part_state(struct mount_part *part, struct health_part *health, int64_t t_ns)
{
    int64_t now_ns = clock_steady_ns();
    if (!part)
        return;
    found_state(part, health, t_ns);
    if (part->begun_ns && now_ns - part->begun_ns < part->opts->node.mounts_interval_ns)
        return;
    if (atomic_exchange(&part->is_running, true))
        return;
    part->begun_ns = now_ns;
    (void)uv_async_send(&part->due);
}

void mount_part_count(struct mount_part *part, struct mount_counts *ret)
{
    *ret = (struct mount_counts){ 0 };
    if (!part)
        return;
    ret->rounds = atomic_load(&part->rounds);
    ret->hanging = atomic_load(&part->hangs);
    ret->given_up = atomic_load(&part->given_up);
    ret->not_probed = atomic_load(&part->not_probed);
}
