/* SPDX-License-Identifier: Apache-2.0 */
/* sacct - the accounting of Slurm, as sacct prints it. */
#include "source/scheduler/sacct.h"

#include "base/number.h"
#include "base/timetext.h"

#include <ctype.h>
#include <strings.h>

#define SACCT_COLUMNS_MAX 256
#define ISO_SIZE (sizeof "2026-11-21T02:25:20" - 1)

enum field {
    FIELD_JOBID,
    FIELD_RAW_ID,
    FIELD_NAME,
    FIELD_USER,
    FIELD_ACCOUNT,
    FIELD_PARTITION,
    FIELD_CLUSTER,
    FIELD_STATE,
    FIELD_SUBMIT,
    FIELD_START,
    FIELD_END,
    FIELD_NODE_COUNT,
    FIELD_NODES,
    FIELD_COUNT,
};

static const char *const field_names[FIELD_COUNT] = {
    [FIELD_JOBID] = "JobID",     [FIELD_RAW_ID] = "JobIDRaw",
    [FIELD_NAME] = "JobName",    [FIELD_USER] = "User",
    [FIELD_ACCOUNT] = "Account", [FIELD_PARTITION] = "Partition",
    [FIELD_CLUSTER] = "Cluster", [FIELD_STATE] = "State",
    [FIELD_SUBMIT] = "Submit",   [FIELD_START] = "Start",
    [FIELD_END] = "End",         [FIELD_NODE_COUNT] = "NNodes",
    [FIELD_NODES] = "NodeList",
};

struct sacct {
    const struct sacct_opts *opts;
    struct job_list *list;
    struct job_list orphans; /* steps whose job has no line yet, by their job's id */
    char delimiter;
    bool is_ended; /* rows end with a delimiter: sacct -p */
    size_t column_count;
    size_t column_of[FIELD_COUNT]; /* SACCT_COLUMNS_MAX: not there */
    const char *reason;
};

static bool name_is(struct span s, const char *name)
{
    return s.size == strlen(name) && strncasecmp(s.data, name, s.size) == 0;
}

static int read_header(struct sacct *s, struct span line, struct err *err)
{
    size_t n = 0;
    struct span cell;
    bool more = true;
    while (n < line.size &&
           (isalnum((unsigned char)line.data[n]) || line.data[n] == '_'))
        n++;
    s->delimiter = n < line.size ? line.data[n] : '|';
    for (size_t i = 0; i < FIELD_COUNT; i++)
        s->column_of[i] = SACCT_COLUMNS_MAX;
    for (size_t column = 0; more && column < SACCT_COLUMNS_MAX; column++) {
        more = span_cut(&line, s->delimiter, &cell);
        s->is_ended = !more && cell.size == 0;
        if (s->is_ended)
            break;
        s->column_count = column + 1;
        for (size_t i = 0; i < FIELD_COUNT; i++)
            if (name_is(span_trim(cell), field_names[i]))
                s->column_of[i] = column;
    }
    if (s->column_of[FIELD_JOBID] == SACCT_COLUMNS_MAX)
        s->column_of[FIELD_JOBID] = s->column_of[FIELD_RAW_ID];
    static const enum field needed[] = { FIELD_JOBID, FIELD_START, FIELD_END };
    for (size_t i = 0; i < COUNT_OF(needed); i++)
        if (s->column_of[needed[i]] == SACCT_COLUMNS_MAX)
            return err_set(err, EINVAL,
                           "the first line names no column %s: it is not "
                           "what sacct -P prints",
                           field_names[needed[i]]);
    return 0;
}

static int refuse(struct sacct *s, const char *reason)
{
    s->reason = reason;
    return -EINVAL;
}

static int parse_time(struct sacct *s, struct span text, int64_t *ret)
{
    int64_t t_ns;
    char zoned[ISO_SIZE + 1];
    if (text.size == 0 || name_is(text, "Unknown") || name_is(text, "None")) {
        *ret = JOB_TIME_NONE;
        return 0;
    }
    if ((number_parse_seconds(text, &t_ns) == 0 && t_ns >= 0) ||
        timetext_parse(text, &t_ns) == 0) {
        *ret = t_ns;
        return 0;
    }
    if (text.size != ISO_SIZE)
        return refuse(s, "a time is none");
    memcpy(zoned, text.data, ISO_SIZE);
    zoned[ISO_SIZE] = 'Z';
    if (timetext_parse((struct span){ zoned, sizeof zoned }, &t_ns) < 0)
        return refuse(s, "a time is none");
    if (!s->opts->has_zone)
        return refuse(s, "a time has no zone (run sacct with SLURM_TIME_FORMAT=%s, or "
                         "name its zone)");
    *ret = t_ns - s->opts->zone_east_s * NS_PER_S;
    return 0;
}

/* Cut line into its columns; what is too much belongs to the job's name. */
static int cut_row(struct sacct *s, struct span line, struct span *cells)
{
    size_t delimiters = 0, name = s->column_of[FIELD_NAME];
    if (s->is_ended && (line.size == 0 || line.data[line.size - 1] != s->delimiter))
        return refuse(s, "the end of the row is missing");
    line.size -= s->is_ended;
    for (size_t i = 0; i < line.size; i++)
        delimiters += line.data[i] == s->delimiter;
    size_t expected = s->column_count - 1;
    if (delimiters < expected)
        return refuse(s, "columns are missing");
    size_t extra = delimiters - expected;
    if (extra > 0 && name == SACCT_COLUMNS_MAX)
        return refuse(s, "there are more fields than columns");
    for (size_t column = 0; column < s->column_count; column++) {
        struct span rest = line;
        (void)span_cut(&rest, s->delimiter, &cells[column]);
        for (size_t i = 0; column == name && i < extra; i++) {
            struct span more;
            (void)span_cut(&rest, s->delimiter, &more);
            cells[column].size += 1 + more.size;
        }
        line = rest;
    }
    return 0;
}

static struct span cell_of(const struct sacct *s, const struct span *cells,
                           enum field field)
{
    size_t column = s->column_of[field];
    struct span none = { "", 0 };
    return column == SACCT_COLUMNS_MAX ? none : span_trim(cells[column]);
}

static bool is_state(struct span state)
{
    static const char *const states[] = {
        "BOOT_FAIL", "CANCELLED", "COMPLETED",     "COMPLETING", "CONFIGURING",
        "DEADLINE",  "FAILED",    "NODE_FAIL",     "PENDING",    "PREEMPTED",
        "RUNNING",   "REQUEUED",  "OUT_OF_MEMORY", "RESIZING",   "REVOKED",
        "SUSPENDED", "STOPPED",   "SPECIAL_EXIT",  "TIMEOUT",
    };
    for (size_t i = 0; i < COUNT_OF(states); i++)
        if (span_starts(state, states[i]))
            return true;
    return false;
}

static int fill_times(struct sacct *s, const struct span *cells, struct sched_job *job)
{
    int rc = parse_time(s, cell_of(s, cells, FIELD_SUBMIT), &job->submit_ns);
    if (rc == 0)
        rc = parse_time(s, cell_of(s, cells, FIELD_START), &job->start_ns);
    if (rc == 0)
        rc = parse_time(s, cell_of(s, cells, FIELD_END), &job->end_ns);
    if (rc == 0 && job->end_ns != JOB_TIME_NONE && job->start_ns != JOB_TIME_NONE &&
        job->end_ns < job->start_ns)
        return refuse(s, "it ends before it starts");
    return rc;
}

static int fill_job(struct sacct *s, const struct span *cells, struct sched_job *job)
{
    *job = (struct sched_job){
        .id = cell_of(s, cells, FIELD_JOBID),
        .raw_id = cell_of(s, cells, FIELD_RAW_ID),
        .user = cell_of(s, cells, FIELD_USER),
        .account = cell_of(s, cells, FIELD_ACCOUNT),
        .partition = cell_of(s, cells, FIELD_PARTITION),
        .cluster = cell_of(s, cells, FIELD_CLUSTER),
        .state = cell_of(s, cells, FIELD_STATE),
        .nodes = cell_of(s, cells, FIELD_NODES),
        .name = { "", 0 },
    };
    if (s->column_of[FIELD_NAME] != SACCT_COLUMNS_MAX)
        job->name = cells[s->column_of[FIELD_NAME]];
    struct span count = cell_of(s, cells, FIELD_NODE_COUNT);
    if (job->id.size == 0 || !isdigit((unsigned char)job->id.data[0]))
        return refuse(s, "it begins with no job's id");
    if (s->column_of[FIELD_STATE] != SACCT_COLUMNS_MAX && !is_state(job->state))
        return refuse(s, "its state is none of Slurm's: fields are shifted");
    if (count.size > 0 && number_parse_u64(count, &job->node_count) < 0)
        return refuse(s, "its number of nodes is none");
    if (name_is(job->nodes, "None assigned"))
        job->nodes = (struct span){ "", 0 };
    return fill_times(s, cells, job);
}

/* The id of the job that a step belongs to: "5_1" of "5_1.batch"; all of a job's. */
static struct span job_of_step(struct span id)
{
    struct span job;
    (void)span_cut(&id, '.', &job);
    return job;
}

/* Widen the job that stands for its steps by one of them. */
static int add_orphan(struct sacct *s, struct sched_job *step)
{
    const struct sched_job *found;
    step->id = job_of_step(step->id);
    step->raw_id = job_of_step(step->raw_id);
    step->name = (struct span){ "", 0 };
    found = job_list_find(&s->orphans, (struct span){ "", 0 }, step->id);
    if (found && span_eq(found->cluster, step->cluster)) {
        struct sched_job *job = &s->orphans.jobs[found - s->orphans.jobs];
        if (step->start_ns != JOB_TIME_NONE &&
            (job->start_ns == JOB_TIME_NONE || step->start_ns < job->start_ns))
            job->start_ns = step->start_ns;
        if (job->end_ns != JOB_TIME_NONE &&
            (step->end_ns == JOB_TIME_NONE || step->end_ns > job->end_ns))
            job->end_ns = step->end_ns;
        if (step->node_count > job->node_count) {
            struct sched_job wider = *step;
            wider.start_ns = job->start_ns;
            wider.end_ns = job->end_ns;
            return job_list_add(&s->orphans, &wider);
        }
        return 0;
    }
    return job_list_add(&s->orphans, step);
}

static int read_row(struct sacct *s, struct span line)
{
    struct span cells[SACCT_COLUMNS_MAX];
    struct sched_job job;
    int rc = cut_row(s, line, cells);
    if (rc == 0)
        rc = fill_job(s, cells, &job);
    if (rc < 0)
        return rc;
    if (memchr(job.id.data, '.', job.id.size))
        return add_orphan(s, &job);
    return job_list_add(s->list, &job);
}

static int add_orphans(struct sacct *s)
{
    for (size_t i = 0; i < s->orphans.count; i++) {
        const struct sched_job *job = &s->orphans.jobs[i];
        if (job_list_find(s->list, job->cluster, job->id))
            continue;
        int rc = job_list_add(s->list, job);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int sacct_read(struct span text, const struct sacct_opts *opts, struct job_list *list,
               struct err *err)
{
    struct sacct s = { .opts = opts, .list = list };
    struct span line;
    uint64_t number = 1;
    (void)span_cut(&text, '\n', &line);
    int rc = read_header(&s, line, err);
    job_list_init(&s.orphans);
    while (rc == 0 && text.size > 0) {
        bool is_whole = span_cut(&text, '\n', &line);
        number++;
        if (line.size == 0)
            continue;
        rc = is_whole ? read_row(&s, line) : refuse(&s, "the line is cut");
        if (rc != -EINVAL)
            continue;
        rc = 0;
        list->fault_count++;
        if (opts->on_fault)
            opts->on_fault(opts->arg, number, line, s.reason);
    }
    if (rc == 0)
        rc = add_orphans(&s);
    job_list_done(&s.orphans);
    if (rc == -E2BIG)
        return err_set(err, E2BIG, "there are more than %zu jobs", JOB_LIST_JOBS_MAX);
    return rc == -ENOMEM ? err_set(err, ENOMEM, "memory is out") : rc;
}
