/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_event - a message of the kernel as the session has it. */
#include "agent/sampling/kernel_event.h"

#include "agent/sampling/kernel_state.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#include <inttypes.h>
#include <unistd.h>

#define PROC_BYTES_MAX ((size_t)16 << 10)
#define US_PER_S UINT64_C(1000000)

/* ---- the job ---- */

static int proc_text(const char *root, uint64_t pid, const char *name,
                     struct strbuf *text)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/proc/%" PRIu64 "/%s", root, pid, name);
    return strbuf_error(&path) ? -ENOMEM
                               : file_read(path.data, PROC_BYTES_MAX, text, NULL);
}

/* Its number may be another process's by now: that one began after the message. */
static bool has_begun_before(const char *root, uint64_t pid, uint64_t time_us)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    uint64_t ticks, hz = (uint64_t)sysconf(_SC_CLK_TCK);
    if (proc_text(root, pid, "stat", &text) < 0)
        return false;
    struct span rest = strbuf_span(&text), word;
    const char *end = memrchr(rest.data, ')', rest.size); /* of the program's name */
    if (!end)
        return false;
    rest = span_skip(rest, (size_t)(end - rest.data) + 2);
    for (int field = 3; field <= 22; field++)
        (void)span_cut(&rest, ' ', &word);
    return number_parse_u64(word, &ticks) == 0 && hz > 0 &&
           ticks / hz < US_PER_S * hz && ticks / hz * US_PER_S <= time_us;
}

static void job_of_process(const char *root, const struct kmsg_record *record,
                           struct span pid_text, char ret[JOB_ID_BYTES])
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    uint64_t pid;
    if (number_parse_u64(pid_text, &pid) < 0 ||
        !has_begun_before(root, pid, record->time_us) ||
        proc_text(root, pid, "cgroup", &text) < 0)
        return;
    (void)process_job_of_text(strbuf_span(&text), ret);
}

static void job_of_cgroup(struct span path, char ret[JOB_ID_BYTES])
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, "0::");
    strbuf_add_span(&text, path);
    (void)process_job_of_text(strbuf_span(&text), ret);
}

/* ---- the texts ---- */

static void component_text(const struct kernel_of *of, struct span component,
                           struct strbuf *out)
{
    char part[KMSG_COMPONENT_BYTES_MAX + 1];
    struct component path = { .cluster = span_of(of->cluster),
                              .host = span_of(of->host) };
    kernel_part_name(component, part);
    path.id = span_of(part);
    (void)span_cut(&path.id, ':', &path.type);
    if (span_is(component, "host"))
        path.type = path.id = SPAN("");
    component_print(out, &path);
}

static void payload_print(const struct kernel_of *of, const struct kmsg_event *event,
                          const char *component, struct kernel_event *ret)
{
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    struct json_writer w;
    json_writer_init(&w, &ret->payload);
    json_object(&w);
    json_key(&w, "severity");
    json_text(&w, kmsg_severity_name(event->severity));
    json_key(&w, "class");
    json_text(&w, event->class);
    json_key(&w, "component");
    json_text(&w, component);
    if (ret->job[0]) {
        json_key(&w, "job");
        json_text(&w, ret->job);
    }
    json_key(&w, "text");
    json_span(&w, event->text);
    json_key(&w, "time");
    json_seconds(&w, of->t_ns);
    json_key(&w, "message");
    strbuf_addf(&message, "%s:%" PRIu64, of->boot, of->record->sequence);
    json_text(&w, strbuf_text(&message));
    if (event->held_back) {
        json_key(&w, "held_back");
        json_u64(&w, event->held_back);
    }
    json_object_end(&w);
}

void kernel_event_make(const struct kernel_of *of, const struct kmsg_event *event,
                       struct kernel_event *ret)
{
    static const enum log_level levels[] = { [KMSG_INFO] = LOG_LEVEL_INFO,
                                             [KMSG_WARNING] = LOG_LEVEL_WARN,
                                             [KMSG_ERROR] = LOG_LEVEL_ERROR,
                                             [KMSG_FATAL] = LOG_LEVEL_ERROR };
    AUTO(strbuf_done) struct strbuf component = STRBUF_INIT;
    strbuf_clear(&ret->name);
    strbuf_clear(&ret->payload);
    strbuf_clear(&ret->line);
    ret->job[0] = '\0';
    ret->level = levels[event->severity];
    if (event->cgroup.size)
        job_of_cgroup(event->cgroup, ret->job);
    if (!ret->job[0] && event->pid.size)
        job_of_process(of->root, of->record, event->pid, ret->job);
    component_text(of, event->component, &component);
    strbuf_addf(&ret->name, "kernel.%s", event->rule);
    payload_print(of, event, strbuf_text(&component), ret);
    strbuf_addf(&ret->line, "%s: %s%s%s: " SPAN_FMT, strbuf_text(&ret->name),
                strbuf_text(&component), ret->job[0] ? ", job " : "", ret->job,
                SPAN_ARG(event->text));
}

void kernel_event_done(struct kernel_event *event)
{
    strbuf_done(&event->name);
    strbuf_done(&event->payload);
    strbuf_done(&event->line);
}
