/* SPDX-License-Identifier: Apache-2.0 */
/* sacct - the accounting of Slurm, as sacct prints it. */
#include "source/scheduler/sacct.h"

#include "base/number.h"
#include "base/span.h"
#include "source/scheduler/slurm_value.h"

#include <ctype.h>
#include <strings.h>

static const char *const field_names[SACCT_FIELD_COUNT] = {
    [SACCT_JOBID] = "JobID",
    [SACCT_RAW_ID] = "JobIDRaw",
    [SACCT_NAME] = "JobName",
    [SACCT_USER] = "User",
    [SACCT_ACCOUNT] = "Account",
    [SACCT_PARTITION] = "Partition",
    [SACCT_CLUSTER] = "Cluster",
    [SACCT_STATE] = "State",
    [SACCT_SUBMIT] = "Submit",
    [SACCT_START] = "Start",
    [SACCT_END] = "End",
    [SACCT_NODE_COUNT] = "NNodes",
    [SACCT_NODES] = "NodeList",
    [SACCT_UID] = "UID",
    [SACCT_GROUP] = "Group",
    [SACCT_GID] = "GID",
    [SACCT_TIME_LIMIT] = "Timelimit",
    [SACCT_ALLOCATED] = "AllocTRES",
    [SACCT_REQUESTED] = "ReqTRES",
    [SACCT_CPUS] = "AllocCPUS",
    [SACCT_CPU_TIME] = "TotalCPU",
    [SACCT_MEMORY_TOTAL] = "TRESUsageInTot",
    [SACCT_MEMORY_MAX] = "TRESUsageInMax",
    [SACCT_RSS_MAX] = "MaxRSS",
    [SACCT_TASKS] = "NTasks",
    [SACCT_ENERGY] = "ConsumedEnergyRaw",
    [SACCT_EXIT_CODE] = "ExitCode",
};

/* The same under another name: minutes of the one column, CPUs of the other. */
static const struct {
    enum sacct_field field;
    const char *name;
} other_names[] = { { SACCT_TIME_LIMIT, "TimelimitRaw" }, { SACCT_CPUS, "NCPUS" } };

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
    for (size_t i = 0; i < SACCT_FIELD_COUNT; i++)
        s->column_of[i] = SACCT_COLUMNS_MAX;
    for (size_t column = 0; more && column < SACCT_COLUMNS_MAX; column++) {
        more = span_cut(&line, s->delimiter, &cell);
        s->is_ended = !more && cell.size == 0;
        if (s->is_ended)
            break;
        s->column_count = column + 1;
        for (size_t i = 0; i < SACCT_FIELD_COUNT; i++)
            if (name_is(span_trim(cell), field_names[i]))
                s->column_of[i] = column;
        for (size_t i = 0; i < COUNT_OF(other_names); i++)
            if (name_is(span_trim(cell), other_names[i].name) &&
                s->column_of[other_names[i].field] == SACCT_COLUMNS_MAX)
                s->column_of[other_names[i].field] = column;
    }
    if (s->column_of[SACCT_JOBID] == SACCT_COLUMNS_MAX)
        s->column_of[SACCT_JOBID] = s->column_of[SACCT_RAW_ID];
    static const enum sacct_field needed[] = { SACCT_JOBID, SACCT_START, SACCT_END };
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

static int parse_time(struct sacct *s, struct span text, int64_t after_ns, int64_t *ret)
{
    const char *reason = sched_time_parse(text, &s->opts->clock, after_ns, ret);
    return reason ? refuse(s, reason) : 0;
}

/* Cut line into its columns; what is too much belongs to the job's name. */
static int cut_row(struct sacct *s, struct span line, struct span *cells)
{
    size_t delimiters = 0, name = s->column_of[SACCT_NAME];
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
                           enum sacct_field field)
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

static int fill_times(struct sacct *s, const struct span *cells, struct job *job)
{
    int rc =
        parse_time(s, cell_of(s, cells, SACCT_SUBMIT), JOB_TIME_NONE, &job->submit_ns);
    if (rc == 0)
        rc = parse_time(s, cell_of(s, cells, SACCT_START), job->submit_ns,
                        &job->start_ns);
    if (rc == 0)
        rc = parse_time(s, cell_of(s, cells, SACCT_END), job->start_ns, &job->end_ns);
    if (rc == 0 && job->end_ns != JOB_TIME_NONE && job->start_ns != JOB_TIME_NONE &&
        job->end_ns < job->start_ns)
        return refuse(s, "it ends before it starts");
    return rc;
}

/* "0:125": its status and the signal that ended it. */
static void fill_exit(struct span code, struct job_resources *r)
{
    struct span status;
    uint64_t value;
    if (!span_cut(&code, ':', &status))
        return;
    if (number_parse_u64(status, &value) == 0 && value <= INT32_MAX)
        job_resource_add(r, JOB_EXIT_STATUS, (int64_t)value);
    if (number_parse_u64(code, &value) == 0 && value <= INT32_MAX)
        job_resource_add(r, JOB_EXIT_SIGNAL, (int64_t)value);
}

/* Memory of a step's processes: of all, else of the largest, which is all of one. */
static void fill_memory(struct span total, struct span max, struct span rss,
                        struct span tasks, struct job_resources *r)
{
    int64_t bytes;
    uint64_t count;
    if (slurm_tres_memory(total, &bytes) == 0)
        job_resource_add(r, JOB_MEMORY_PEAK_BYTES, bytes);
    if (slurm_tres_memory(max, &bytes) < 0 && slurm_size_parse(rss, &bytes) < 0)
        return;
    job_resource_add(r, JOB_TASK_MEMORY_PEAK_BYTES, bytes);
    if (number_parse_u64(tasks, &count) == 0 && count == 1)
        job_resource_add(r, JOB_MEMORY_PEAK_BYTES, bytes);
}

static void fill_resources(struct sacct *s, const struct span *cells, struct job *job)
{
    struct job_resources *r = &job->resources;
    struct span limit = cell_of(s, cells, SACCT_TIME_LIMIT);
    uint64_t count;
    int64_t amount;
    if (number_parse_u64(limit, &count) == 0 && count <= INT32_MAX)
        job_resource_add(r, JOB_TIME_LIMIT_S, (int64_t)count * 60);
    else if (slurm_duration_parse(limit, &amount) == 0)
        job_resource_add(r, JOB_TIME_LIMIT_S, amount / MS_PER_S);
    slurm_tres_parse(cell_of(s, cells, SACCT_ALLOCATED), r);
    if (!job_resource_known(r, JOB_CPUS))
        slurm_tres_parse(cell_of(s, cells, SACCT_REQUESTED), r);
    if (number_parse_u64(cell_of(s, cells, SACCT_CPUS), &count) == 0 && count > 0 &&
        count <= INT32_MAX)
        job_resource_add(r, JOB_CPUS, (int64_t)count);
    fill_memory(cell_of(s, cells, SACCT_MEMORY_TOTAL),
                cell_of(s, cells, SACCT_MEMORY_MAX), cell_of(s, cells, SACCT_RSS_MAX),
                cell_of(s, cells, SACCT_TASKS), r);
    /* Of what still runs sacct has none of these: it prints zeros. */
    if (job->end_ns == JOB_TIME_NONE)
        return;
    if (slurm_duration_parse(cell_of(s, cells, SACCT_CPU_TIME), &amount) == 0)
        job_resource_add(r, JOB_CPU_TIME_MS, amount);
    /* 0 J: it is not measured. */
    if (number_parse_u64(cell_of(s, cells, SACCT_ENERGY), &count) == 0 && count > 0 &&
        count <= (uint64_t)JOB_RESOURCE_MAX)
        job_resource_add(r, JOB_ENERGY_J, (int64_t)count);
    fill_exit(cell_of(s, cells, SACCT_EXIT_CODE), r);
}

static int fill_job(struct sacct *s, const struct span *cells, struct job *job)
{
    *job = (struct job){
        .id = cell_of(s, cells, SACCT_JOBID),
        .raw_id = cell_of(s, cells, SACCT_RAW_ID),
        .user = cell_of(s, cells, SACCT_USER),
        .uid = cell_of(s, cells, SACCT_UID),
        .group = cell_of(s, cells, SACCT_GROUP),
        .gid = cell_of(s, cells, SACCT_GID),
        .account = cell_of(s, cells, SACCT_ACCOUNT),
        .partition = cell_of(s, cells, SACCT_PARTITION),
        .cluster = cell_of(s, cells, SACCT_CLUSTER),
        .state = cell_of(s, cells, SACCT_STATE),
        .nodes = cell_of(s, cells, SACCT_NODES),
        .name = { "", 0 },
    };
    if (s->column_of[SACCT_NAME] != SACCT_COLUMNS_MAX)
        job->name = cells[s->column_of[SACCT_NAME]];
    job_drop_bad_numbers(job);
    struct span count = cell_of(s, cells, SACCT_NODE_COUNT);
    if (job->id.size == 0 || !isdigit((unsigned char)job->id.data[0]))
        return refuse(s, "it begins with no job's id");
    if (s->column_of[SACCT_STATE] != SACCT_COLUMNS_MAX && !is_state(job->state))
        return refuse(s, "its state is not one of Slurm's: fields are shifted");
    if (count.size > 0 && number_parse_u64(count, &job->node_count) < 0)
        return refuse(s, "its number of nodes is none");
    if (name_is(job->nodes, "None assigned"))
        job->nodes = (struct span){ "", 0 };
    int rc = fill_times(s, cells, job);
    if (rc == 0)
        fill_resources(s, cells, job);
    return rc;
}

/* The id of the job that a step belongs to: "5_1" of "5_1.batch"; all of a job's. */
static struct span job_of_step(struct span id)
{
    struct span job;
    (void)span_cut(&id, '.', &job);
    return job;
}

/* Widen the job that stands for its steps by one of them. */
static int add_orphan(struct sacct *s, struct job *step)
{
    const struct job *found;
    step->id = job_of_step(step->id);
    step->raw_id = job_of_step(step->raw_id);
    step->name = (struct span){ "", 0 };
    step->resources = (struct job_resources){ 0 }; /* a part of the job's */
    found = job_list_find(&s->orphans, (struct span){ "", 0 }, step->id);
    if (found && span_eq(found->cluster, step->cluster)) {
        struct job *job = &s->orphans.jobs[found - s->orphans.jobs];
        if (step->start_ns != JOB_TIME_NONE &&
            (job->start_ns == JOB_TIME_NONE || step->start_ns < job->start_ns))
            job->start_ns = step->start_ns;
        if (job->end_ns != JOB_TIME_NONE &&
            (step->end_ns == JOB_TIME_NONE || step->end_ns > job->end_ns))
            job->end_ns = step->end_ns;
        if (step->node_count > job->node_count) {
            struct job wider = *step;
            wider.start_ns = job->start_ns;
            wider.end_ns = job->end_ns;
            wider.resources = (struct job_resources){ 0 };
            return job_list_add(&s->orphans, &wider);
        }
        return 0;
    }
    return job_list_add(&s->orphans, step);
}

static int step_store(struct sacct *s, const struct job *row)
{
    struct job step = *row;
    step.step = step.id;
    (void)span_cut(&step.step, '.', &step.id);
    step.raw_id = job_of_step(step.raw_id);
    return step.step.size > 0 ? job_list_store_step(s->list, &step) : 0;
}

static int read_row(struct sacct *s, struct span line)
{
    struct span cells[SACCT_COLUMNS_MAX];
    struct job job = { 0 };
    int rc = cut_row(s, line, cells);
    if (rc == 0)
        rc = fill_job(s, cells, &job);
    if (rc < 0)
        return rc;
    if (memchr(job.id.data, '.', job.id.size)) {
        job_list_add_step(s->list, job_of_step(job.id), &job);
        rc = step_store(s, &job);
        if (rc < 0)
            return rc;
        return add_orphan(s, &job);
    }
    return job_list_add(s->list, &job);
}

/* ---- line by line ---- */

void sacct_init(struct sacct *sacct, const struct job_text_opts *opts,
                struct job_list *list)
{
    *sacct = (struct sacct){ .opts = opts, .list = list };
    job_list_init(&sacct->orphans);
}

void sacct_done(struct sacct *sacct)
{
    job_list_done(&sacct->orphans);
    strbuf_done(&sacct->row);
}

bool sacct_is_header(struct span line)
{
    struct sacct s = { 0 };
    return read_header(&s, line, NULL) == 0;
}

/* Take in the row that waits. */
static int row_flush(struct sacct *s)
{
    struct span row = strbuf_span(&s->row);
    if (s->row_number == 0)
        return 0;
    int rc = strbuf_error(&s->row) < 0 ? -ENOMEM : read_row(s, row);
    if (rc == -EINVAL) {
        rc = 0;
        job_text_fault(s->opts, s->list, s->row_number, row, s->reason);
    }
    s->row_number = 0;
    return rc;
}

/* Whether line goes on with the name of the row that waits: it has too few fields for a
 * row of its own, and is no beginning of one either, which would begin with an id. */
static bool goes_on(const struct sacct *s, struct span line)
{
    size_t delimiters = 0, digits = 0;
    if (s->row_number == 0 || s->column_of[SACCT_NAME] + 1 != s->column_count ||
        line.size + s->row.size >= JOB_TEXT_LINE_BYTES_MAX)
        return false;
    for (size_t i = 0; i < line.size; i++)
        delimiters += line.data[i] == s->delimiter;
    while (digits < line.size && isdigit((unsigned char)line.data[digits]))
        digits++;
    return delimiters < s->column_count - !s->is_ended &&
           !(digits > 0 && digits < line.size && line.data[digits] == s->delimiter);
}

int sacct_line(struct sacct *sacct, struct span line, uint64_t number, struct err *err)
{
    if (number == 1)
        return read_header(sacct, line, err);
    if (line.size == 0)
        return 0;
    if (goes_on(sacct, line)) {
        strbuf_addc(&sacct->row, '\n');
        strbuf_add_span(&sacct->row, line);
        return 0;
    }
    int rc = row_flush(sacct);
    strbuf_clear(&sacct->row);
    strbuf_add_span(&sacct->row, line);
    sacct->row_number = number;
    return rc;
}

int sacct_end(struct sacct *sacct)
{
    int rc = row_flush(sacct);
    for (size_t i = 0; i < sacct->orphans.count && rc == 0; i++) {
        const struct job *job = &sacct->orphans.jobs[i];
        if (!job_list_find(sacct->list, job->cluster, job->id))
            rc = job_list_add(sacct->list, job);
    }
    return rc;
}
