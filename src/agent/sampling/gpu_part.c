/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_part - GPUs of this node as metrics, read by a process of its own. */
#include "agent/sampling/gpu_part.h"

#include "agent/sampling/gpu_process.h"
#include "base/clock.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>

#define DRIVER "/proc/driver/nvidia/version"
#define PAUSE_FIRST_NS NS_PER_S
#define PAUSE_MAX_NS (600 * NS_PER_S)
/* So many readings in a row, and the next failure has a short pause again. */
#define STEADY_READINGS 10
#define FIRST_DEADLINES 6

/* The descriptor is its own: the process's may be another's at any time. */
struct gpu_watch {
    uv_poll_t poll;
    struct gpu_part *part;
    int fd;
};

struct gpu_part {
    const struct agent_opts *opts;
    const struct agent_report *report;
    struct gpu_events events;
    enum gpu_choice choice;
    uv_loop_t *loop;
    uv_timer_t deadline;
    struct gpu_watch *watch; /* NULL: there is no process */
    struct gpu_process process;
    int64_t t_ns;                 /* of the request */
    int64_t pause_ns, restart_ns; /* monotonic; 0: at once */
    unsigned steady;
    bool is_fresh;    /* the process has read nothing yet */
    bool is_failing;  /* and that was reported */
    bool is_reported; /* that there is no driver */
    char complaint[GPU_LINE_MAX];
    _Atomic uint64_t readings, starts, hangs, failures, late, in_kernel;
};

/* ---- the watch ---- */

static void watch_closed(uv_handle_t *handle)
{
    struct gpu_watch *watch = handle->data;
    (void)close(watch->fd);
    free(watch);
}

static void on_gpu_readable(uv_poll_t *poll, int status, int events);

static int gpu_watch_start(struct gpu_part *part)
{
    struct gpu_watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return -ENOMEM;
    watch->fd = fcntl(part->process.fd, F_DUPFD_CLOEXEC, 0);
    watch->poll.data = watch;
    if (watch->fd < 0 || uv_poll_init(part->loop, &watch->poll, watch->fd) < 0) {
        auto_close(&watch->fd);
        free(watch);
        return -EIO;
    }
    watch->part = part;
    part->watch = watch;
    return uv_poll_start(&watch->poll, UV_READABLE, on_gpu_readable);
}

static void gpu_watch_stop(struct gpu_part *part)
{
    struct gpu_watch *watch = TAKE(part->watch);
    if (!watch)
        return;
    (void)uv_poll_stop(&watch->poll);
    uv_close((uv_handle_t *)&watch->poll, watch_closed);
}

/* ---- failures ---- */

static void process_stop(struct gpu_part *part)
{
    gpu_watch_stop(part);
    (void)uv_timer_stop(&part->deadline);
    gpu_process_end(&part->process);
    atomic_store(&part->in_kernel, part->process.leaving != 0);
}

static void process_fail(struct gpu_part *part, const char *why)
{
    process_stop(part);
    part->pause_ns = part->pause_ns == 0                 ? PAUSE_FIRST_NS
                     : 2 * part->pause_ns < PAUSE_MAX_NS ? 2 * part->pause_ns
                                                         : PAUSE_MAX_NS;
    part->restart_ns = clock_monotonic_ns() + part->pause_ns;
    part->steady = 0;
    if (!part->is_failing)
        agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_GPU,
                     "GPUs are not read: %s; trying again after pauses of up to 10 min",
                     why);
    part->is_failing = true;
}

static void on_gpu_deadline(uv_timer_t *timer)
{
    struct gpu_part *part = timer->data;
    char why[160], deadline[32];
    number_print_duration(deadline, sizeof deadline,
                          part->opts->node.gpu_deadline_ns *
                              (part->is_fresh ? FIRST_DEADLINES : 1));
    (void)snprintf(why, sizeof why,
                   "no response in %s: the driver hangs, and the process is ended",
                   deadline);
    atomic_fetch_add(&part->hangs, 1);
    process_fail(part, why);
}

/* ---- a reading ---- */

static void on_gpu_value(void *arg, const struct gpu_value *value)
{
    const struct gpu_part *part = arg;
    part->events.value(part->events.arg, value, part->t_ns);
}

/* What a GPU has is reported when it begins, and again when it is another. */
static void complaint_report(struct gpu_part *part)
{
    const char *complaint = part->process.complaint;
    if (*complaint && strcmp(complaint, part->complaint) != 0)
        agent_report(part->report, LOG_LEVEL_WARN, AGENT_EVENT_GPU, "GPU %s",
                     complaint);
    (void)snprintf(part->complaint, sizeof part->complaint, "%s", complaint);
}

static void gpus_read_done(struct gpu_part *part)
{
    (void)uv_timer_stop(&part->deadline);
    atomic_fetch_add(&part->readings, 1);
    part->is_fresh = false;
    if (part->is_failing)
        agent_report(part->report, LOG_LEVEL_NOTICE, AGENT_EVENT_GPU,
                     "GPUs are read again");
    part->is_failing = false;
    if (part->steady < STEADY_READINGS && ++part->steady == STEADY_READINGS)
        part->pause_ns = 0;
    complaint_report(part);
    part->events.done(part->events.arg);
}

static void on_gpu_readable(uv_poll_t *poll, int status, int events)
{
    struct gpu_part *part = ((struct gpu_watch *)poll->data)->part;
    const struct gpu_process *process = &part->process;
    bool was_busy = process->is_busy;
    (void)status;
    (void)events;
    int rc = gpu_process_receive(&part->process, on_gpu_value, part);
    if (rc == 0 && was_busy && !process->is_busy)
        gpus_read_done(part);
    if (rc == 0)
        return;
    atomic_fetch_add(&part->failures, 1);
    process_fail(part, rc == -EPIPE && *process->complaint ? process->complaint
                       : rc == -EPIPE
                           ? "the process has ended within a call of the driver"
                       : rc == -EBADMSG ? "the process sends what is not the protocol"
                                        : strerror(-rc));
}

/* ---- a trigger ---- */

static bool driver_is_there(struct gpu_part *part)
{
    char path[1024];
    const char *root =
        part->opts->root && strcmp(part->opts->root, "/") != 0 ? part->opts->root : "";
    (void)snprintf(path, sizeof path, "%s" DRIVER, root);
    if (access(path, F_OK) == 0)
        return true;
    if (part->choice == GPU_NAMED && !part->is_reported)
        agent_report(
            part->report, LOG_LEVEL_WARN, AGENT_EVENT_GPU,
            "GPUs are not read until NVIDIA's driver is loaded: there is no %s", path);
    part->is_reported = true;
    return false;
}

static bool process_begin(struct gpu_part *part)
{
    struct err err = { 0 };
    bool is_gone = gpu_process_is_gone(&part->process);
    atomic_store(&part->in_kernel, !is_gone);
    if (!is_gone || !driver_is_there(part) || clock_monotonic_ns() < part->restart_ns)
        return false;
    int rc = gpu_process_start(&part->process, part->opts->node.gpu_reader,
                               part->opts->node.gpu_library, &err);
    if (rc == 0)
        rc = gpu_watch_start(part);
    if (rc < 0) {
        atomic_fetch_add(&part->failures, 1);
        process_fail(part, err.text[0] ? err.text : strerror(-rc));
        return false;
    }
    part->is_fresh = true;
    atomic_fetch_add(&part->starts, 1);
    return true;
}

void gpu_part_trigger(struct gpu_part *part, int64_t t_ns)
{
    if (!part || !part->loop)
        return;
    if (part->process.is_busy) {
        atomic_fetch_add(&part->late, 1);
        return;
    }
    if (!part->watch && !process_begin(part))
        return;
    int rc = gpu_process_request(&part->process);
    if (rc < 0) {
        atomic_fetch_add(&part->failures, 1);
        process_fail(part, "the process has ended");
        return;
    }
    part->t_ns = t_ns;
    int64_t deadline_ns =
        part->opts->node.gpu_deadline_ns * (part->is_fresh ? FIRST_DEADLINES : 1);
    (void)uv_timer_start(&part->deadline, on_gpu_deadline,
                         (uint64_t)(deadline_ns / NS_PER_MS), 0);
}

/* ---- the door ---- */

int gpu_part_open(const struct agent_opts *opts, const struct agent_report *report,
                  const struct gpu_events *events, struct gpu_part **ret)
{
    enum gpu_choice choice = node_opts_gpu(&opts->node);
    if (choice == GPU_NOT)
        return 0;
    struct gpu_part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->opts = opts;
    part->report = report;
    part->events = *events;
    part->choice = choice;
    part->process = (struct gpu_process)GPU_PROCESS_INIT;
    *ret = part;
    return 0;
}

void gpu_part_close(struct gpu_part *part)
{
    if (!part)
        return;
    gpu_process_end(&part->process);
    free(part);
}

int gpu_part_begin(struct gpu_part *part, uv_loop_t *loop)
{
    if (!part)
        return 0;
    int rc = uv_timer_init(loop, &part->deadline);
    if (rc < 0)
        return rc;
    part->deadline.data = part;
    part->loop = loop;
    return 0;
}

void gpu_part_end(struct gpu_part *part)
{
    if (!part || !part->loop)
        return;
    process_stop(part);
    uv_close((uv_handle_t *)&part->deadline, NULL);
    part->loop = NULL;
}

void gpu_part_count(struct gpu_part *part, struct gpu_counts *ret)
{
    *ret = (struct gpu_counts){ 0 };
    if (!part)
        return;
    ret->readings = atomic_load(&part->readings);
    ret->starts = atomic_load(&part->starts);
    ret->hangs = atomic_load(&part->hangs);
    ret->failures = atomic_load(&part->failures);
    ret->late = atomic_load(&part->late);
    ret->in_kernel = atomic_load(&part->in_kernel);
}
