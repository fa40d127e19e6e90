/* SPDX-License-Identifier: Apache-2.0 */
/* job_fields - what is reported of one job, field by field, until it is a job. */
#include "source/scheduler/job_fields.h"

#include "base/number.h"
#include "base/span.h"
#include "source/scheduler/slurm_value.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#define NODE_NUMBER_MAX 99999 /* of a Cray: nid00000 to nid99999 */

/* Of one field the better names come first.  Those without a dot are columns of CSV
 * too. */
static const struct {
    const char *name;
    enum job_field field;
} known_names[] = {
    { "cluster", JOB_FIELD_CLUSTER },
    { "id", JOB_FIELD_ID },
    { "job", JOB_FIELD_ID },
    { "job_id", JOB_FIELD_ID }, /* sacct --json, squeue --json */
    { "raw_id", JOB_FIELD_RAW_ID },
    { "array.job_id", JOB_FIELD_ARRAY_ID },
    { "array_job_id", JOB_FIELD_ARRAY_ID },
    { "array.task_id", JOB_FIELD_TASK_ID },
    { "array_task_id", JOB_FIELD_TASK_ID },
    { "name", JOB_FIELD_NAME },
    { "job_name", JOB_FIELD_NAME }, /* PBS */
    { "jobname", JOB_FIELD_NAME },  /* PBS accounting */
    { "user", JOB_FIELD_USER },
    { "user_name", JOB_FIELD_USER },
    { "username", JOB_FIELD_USER }, /* Flux */
    { "association.user", JOB_FIELD_USER },
    { "job_owner", JOB_FIELD_OWNER },
    { "uid", JOB_FIELD_UID },
    { "user_id", JOB_FIELD_UID }, /* squeue --json */
    { "userid", JOB_FIELD_UID },  /* Flux */
    { "group", JOB_FIELD_GROUP },
    { "group_name", JOB_FIELD_GROUP },
    { "gid", JOB_FIELD_GID },
    { "group_id", JOB_FIELD_GID },
    { "account", JOB_FIELD_ACCOUNT },
    { "account_name", JOB_FIELD_ACCOUNT },
    { "bank", JOB_FIELD_ACCOUNT },
    { "partition", JOB_FIELD_PARTITION },
    { "queue", JOB_FIELD_PARTITION },
    { "status", JOB_FIELD_STATE }, /* Flux: what became of it */
    { "result", JOB_FIELD_STATE },
    { "state", JOB_FIELD_STATE },
    { "state.current", JOB_FIELD_STATE },
    { "job_state", JOB_FIELD_STATE },
    { "submit", JOB_FIELD_SUBMIT },
    { "time.submission", JOB_FIELD_SUBMIT },
    { "submit_time", JOB_FIELD_SUBMIT },
    { "t_submit", JOB_FIELD_SUBMIT },
    { "ctime", JOB_FIELD_SUBMIT },
    { "start", JOB_FIELD_START },
    { "time.start", JOB_FIELD_START },
    { "start_time", JOB_FIELD_START },
    { "t_run", JOB_FIELD_START },
    { "stime", JOB_FIELD_START },
    { "end", JOB_FIELD_END },
    { "time.end", JOB_FIELD_END },
    { "end_time", JOB_FIELD_END },
    { "t_cleanup", JOB_FIELD_END },
    { "t_inactive", JOB_FIELD_END },
    { "obittime", JOB_FIELD_END },
    { "resources_used.walltime", JOB_FIELD_WALLTIME },
    { "node_count", JOB_FIELD_NODE_COUNT },
    { "allocation_nodes", JOB_FIELD_NODE_COUNT },
    { "nnodes", JOB_FIELD_NODE_COUNT },
    { "resource_list.nodect", JOB_FIELD_NODE_COUNT },
    { "nodes", JOB_FIELD_NODES },
    { "nodelist", JOB_FIELD_NODES },
    { "exec_host", JOB_FIELD_EXEC_HOST },
#define RESOURCE(what) (JOB_FIELD_RESOURCE + (what))
    { "time_limit_s", RESOURCE(JOB_TIME_LIMIT_S) },
    { "time.limit", RESOURCE(JOB_TIME_LIMIT_S) }, /* sacct --json: minutes */
    { "time_limit", RESOURCE(JOB_TIME_LIMIT_S) }, /* squeue --json */
    { "resource_list.walltime", RESOURCE(JOB_TIME_LIMIT_S) },
    { "duration", RESOURCE(JOB_TIME_LIMIT_S) }, /* Flux */
    { "cpus", RESOURCE(JOB_CPUS) },
    { "resource_list.ncpus", RESOURCE(JOB_CPUS) },
    { "ncores", RESOURCE(JOB_CPUS) },
    { "memory_bytes", RESOURCE(JOB_MEMORY_BYTES) },
    { "resource_list.mem", RESOURCE(JOB_MEMORY_BYTES) },
    { "gpus", RESOURCE(JOB_GPUS) },
    { "resource_list.ngpus", RESOURCE(JOB_GPUS) },
    { "cpu_time_ms", RESOURCE(JOB_CPU_TIME_MS) },
    { "time.total.seconds", RESOURCE(JOB_CPU_TIME_MS) },
    { "resources_used.cput", RESOURCE(JOB_CPU_TIME_MS) },
    { "memory_peak_bytes", RESOURCE(JOB_MEMORY_PEAK_BYTES) },
    { "resources_used.mem", RESOURCE(JOB_MEMORY_PEAK_BYTES) },
    { "task_memory_peak_bytes", RESOURCE(JOB_TASK_MEMORY_PEAK_BYTES) },
    { "energy_j", RESOURCE(JOB_ENERGY_J) },
    { "exit_status", RESOURCE(JOB_EXIT_STATUS) },
    { "exit_code.return_code", RESOURCE(JOB_EXIT_STATUS) },
    { "exit_signal", RESOURCE(JOB_EXIT_SIGNAL) },
    { "exit_code.signal.id", RESOURCE(JOB_EXIT_SIGNAL) },
#undef RESOURCE
    { "tres_alloc_str", JOB_FIELD_ALLOCATED },
    { "tres_req_str", JOB_FIELD_REQUESTED },
    { "time.total.microseconds", JOB_FIELD_CPU_MICROSECONDS },
};

static bool is_name(struct span s, const char *name)
{
    return s.size == strlen(name) && strncasecmp(s.data, name, s.size) == 0;
}

int job_names_add(struct job_names *names, struct span assignment)
{
    struct span name = assignment, field;
    enum job_field known;
    unsigned rank;
    if (!span_cut(&name, '=', &field) || name.size == 0)
        return -EINVAL;
    if (!job_field_of(NULL, field, &known, &rank) || known >= JOB_FIELD_OWNER)
        return -EINVAL;
    if (names->count == JOB_NAMES_MAX)
        return -E2BIG;
    names->items[names->count].field = known;
    names->items[names->count++].name = name;
    return 0;
}

static bool has_own_name(const struct job_names *names, enum job_field field)
{
    for (size_t i = 0; names && i < names->count; i++)
        if (names->items[i].field == field)
            return true;
    return false;
}

bool job_field_of(const struct job_names *names, struct span name,
                  enum job_field *ret_field, unsigned *ret_rank)
{
    for (size_t i = 0; names && i < names->count; i++)
        if (span_eq(names->items[i].name, name)) {
            *ret_field = names->items[i].field;
            *ret_rank = (unsigned)i;
            return true;
        }
    for (size_t i = 0; i < COUNT_OF(known_names); i++)
        if (is_name(name, known_names[i].name) &&
            !has_own_name(names, known_names[i].field)) {
            *ret_field = known_names[i].field;
            *ret_rank = (unsigned)i;
            return true;
        }
    return false;
}

void job_fields_init(struct job_fields *fields)
{
    *fields = (struct job_fields){ 0 };
}

void job_fields_done(struct job_fields *fields)
{
    for (size_t i = 0; i < JOB_FIELD_COUNT; i++)
        strbuf_done(&fields->text[i]);
}

void job_fields_clear(struct job_fields *fields)
{
    fields->present = 0;
    fields->resources = (struct job_resources){ 0 };
}

int job_fields_append(struct job_fields *fields, enum job_field field, unsigned rank,
                      struct span value)
{
    struct strbuf *text = &fields->text[field];
    bool is_present = fields->present & UINT64_C(1) << field;
    if (value.size == 0 || (is_present && fields->rank[field] < rank))
        return 0;
    if (!is_present || fields->rank[field] != rank)
        strbuf_clear(text);
    else
        strbuf_addc(text, ',');
    if (value.size > JOB_FIELD_BYTES_MAX - text->size)
        return -EMSGSIZE;
    strbuf_add_span(text, value);
    fields->rank[field] = rank;
    fields->present |= UINT64_C(1) << field;
    return strbuf_error(text);
}

int job_fields_set(struct job_fields *fields, enum job_field field, unsigned rank,
                   struct span value)
{
    if (value.size > 0 && fields->present & UINT64_C(1) << field &&
        fields->rank[field] == rank)
        fields->present &= ~(UINT64_C(1) << field); /* said twice: the last holds */
    return job_fields_append(fields, field, rank, value);
}

static struct span field_text(const struct job_fields *fields, enum job_field field)
{
    struct span none = { "", 0 };
    return fields->present & UINT64_C(1) << field ? strbuf_span(&fields->text[field])
                                                  : none;
}

/* ---- from fields to a job ---- */

/* A job that only waits may have the time at which it is expected to start, and one
 * that runs when it has to end: that has not happened. */
static bool is_one_of(struct span state, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_name(state, words[i]))
            return true;
    return false;
}

static void drop_what_is_to_come(struct job *job)
{
    static const char *const waiting[] = { "PENDING",  "Q",     "H",   "W",     "T",
                                           "PRIORITY", "SCHED", "NEW", "DEPEND" };
    static const char *const running[] = { "RUNNING", "R",         "S",      "U",
                                           "RUN",     "SUSPENDED", "STOPPED" };
    bool waits = is_one_of(job->state, waiting, COUNT_OF(waiting));
    if (waits)
        job->start_ns = JOB_TIME_NONE;
    if (waits || is_one_of(job->state, running, COUNT_OF(running)))
        job->end_ns = JOB_TIME_NONE;
}

/* Flux counts states and results in bits where it does not name them. */
static struct span state_of(const struct job_fields *fields)
{
    static const struct {
        const char *key, *number, *word;
    } words[] = {
        { "state", "1", "NEW" },       { "state", "2", "DEPEND" },
        { "state", "4", "PRIORITY" },  { "state", "8", "SCHED" },
        { "state", "16", "RUN" },      { "state", "32", "CLEANUP" },
        { "state", "64", "INACTIVE" }, { "result", "1", "COMPLETED" },
        { "result", "2", "FAILED" },   { "result", "4", "CANCELED" },
        { "result", "8", "TIMEOUT" },
    };
    struct span state = field_text(fields, JOB_FIELD_STATE);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        enum job_field field;
        unsigned rank;
        if (span_is(state, words[i].number) &&
            job_field_of(NULL, span_of(words[i].key), &field, &rank) &&
            fields->rank[JOB_FIELD_STATE] == rank)
            return span_of(words[i].word);
    }
    return state;
}

/* Cobalt on a Cray has numbers of nodes alone: "8-11,20". */
static bool is_node_numbers(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!isdigit((unsigned char)text.data[i]) && text.data[i] != ',' &&
            text.data[i] != '-')
            return false;
    return text.size > 0;
}

/* "8-11,20" -> "nid[00008-00011],nid00020", as a Cray calls them.  What is no list of
 * numbers is no node. */
static int nodes_of_numbers(struct job_fields *fields, struct span rest)
{
    struct span part, first, last;
    int rc = 0;
    for (bool more = rest.size > 0; more && rc == 0;) {
        char name[48];
        uint64_t from = 0, to = 0;
        more = span_cut(&rest, ',', &part);
        last = part;
        bool is_range = span_cut(&last, '-', &first);
        if (number_parse_u64(first, &from) < 0 || from > NODE_NUMBER_MAX ||
            (is_range && (number_parse_u64(last, &to) < 0 || to > NODE_NUMBER_MAX)))
            continue;
        int size = is_range ? snprintf(name, sizeof name, "nid[%05u-%05u]",
                                       (unsigned)from, (unsigned)to)
                            : snprintf(name, sizeof name, "nid%05u", (unsigned)from);
        rc = job_fields_append(fields, JOB_FIELD_NODES, 0,
                               (struct span){ name, (size_t)size });
    }
    return rc;
}

/* "n1/0*2+n1/3+n2/0" -> "n1,n2", into the field of nodes. */
static int nodes_of_exec_host(struct job_fields *fields)
{
    AUTO(hashmap_done) struct hashmap seen = HASHMAP_INIT;
    struct span rest = field_text(fields, JOB_FIELD_EXEC_HOST), part, node;
    int rc = 0;
    if (is_node_numbers(rest))
        return nodes_of_numbers(fields, rest);
    for (bool more = rest.size > 0; more && rc == 0;) {
        bool is_new = false;
        more = span_cut(&rest, '+', &part);
        (void)span_cut(&part, '/', &node);
        if (node.size == 0)
            continue;
        if (!hashmap_put(&seen, node, &is_new))
            return -ENOMEM;
        if (is_new)
            rc = job_fields_append(fields, JOB_FIELD_NODES, 0, node);
    }
    return rc;
}

/* "26:03:01" in nanoseconds; -EINVAL. */
static int parse_walltime(struct span text, int64_t *ret_ns)
{
    uint64_t part, total_s = 0;
    struct span cell;
    bool more = true;
    for (int i = 0; i < 3; i++) {
        if (!more)
            return -EINVAL;
        more = span_cut(&text, ':', &cell);
        if (number_parse_u64(cell, &part) < 0 || part > 100000000)
            return -EINVAL;
        total_s = total_s * 60 + part;
    }
    if (more || total_s > INT64_MAX / (uint64_t)NS_PER_S / 4)
        return -EINVAL;
    *ret_ns = (int64_t)total_s * NS_PER_S;
    return 0;
}

static const char *fill_times(const struct job_fields *fields,
                              const struct sched_clock *clock, struct job *job)
{
    const struct {
        enum job_field field;
        int64_t *t_ns;
    } times[] = { { JOB_FIELD_SUBMIT, &job->submit_ns },
                  { JOB_FIELD_START, &job->start_ns },
                  { JOB_FIELD_END, &job->end_ns } };
    int64_t walltime_ns, before_ns = JOB_TIME_NONE;
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        const char *reason =
            sched_time_parse(span_trim(field_text(fields, times[i].field)), clock,
                             before_ns, times[i].t_ns);
        if (reason)
            return reason;
        if (*times[i].t_ns != JOB_TIME_NONE)
            before_ns = *times[i].t_ns;
    }
    /* Of a job that is in history some PBS tell no end, only how long it ran. */
    if (job->end_ns == JOB_TIME_NONE && job->start_ns != JOB_TIME_NONE &&
        (is_name(job->state, "F") || is_name(job->state, "C")) &&
        parse_walltime(field_text(fields, JOB_FIELD_WALLTIME), &walltime_ns) == 0)
        job->end_ns = job->start_ns + walltime_ns;
    drop_what_is_to_come(job);
    if (job->end_ns != JOB_TIME_NONE && job->start_ns != JOB_TIME_NONE &&
        job->end_ns < job->start_ns)
        return "it ends before it starts";
    return NULL;
}

static const char *fill_nodes(const struct job_fields *fields, struct job *job)
{
    AUTO(hostset_free) struct hostset *set = NULL;
    struct span count = span_trim(field_text(fields, JOB_FIELD_NODE_COUNT));
    job->nodes = span_trim(field_text(fields, JOB_FIELD_NODES));
    if (is_name(job->nodes, "None assigned") || is_name(job->nodes, "(null)"))
        job->nodes = (struct span){ "", 0 };
    if (count.size > 0 && number_parse_u64(count, &job->node_count) < 0)
        return "its number of nodes is none";
    if (job->node_count == 0 && job->nodes.size > 0 && job_nodes(job, &set, NULL) == 0)
        job->node_count = hostset_count(set);
    return NULL;
}

/* ---- what it was given and used ---- */

static bool is_time(enum job_resource what)
{
    return what == JOB_TIME_LIMIT_S || what == JOB_CPU_TIME_MS;
}

/* Of a number to the resource's unit, where its name has another. */
static double scale_of(const char *name)
{
    static const struct {
        const char *name;
        double scale;
    } scales[] = { { "time.limit", 60 },
                   { "time_limit", 60 },
                   { "time.total.seconds", 1000 },
                   { "resources_used.cput", 1000 } };
    for (size_t i = 0; i < COUNT_OF(scales); i++)
        if (strcmp(name, scales[i].name) == 0)
            return scales[i].scale;
    return 1;
}

/* A number counts in the unit of its name; h:mm:ss and 8gb name their own. */
static int resource_parse(enum job_resource what, double scale, struct span text,
                          int64_t *ret)
{
    double number;
    int64_t amount;
    if (number_parse_double(text, &number) == 0) {
        number *= scale;
        if (!(number >= 0) || number > (double)JOB_RESOURCE_MAX)
            return -EINVAL;
        *ret = (int64_t)number;
        return 0;
    }
    int rc = is_time(what) ? slurm_duration_parse(text, &amount)
                           : slurm_size_parse(text, &amount);
    if (rc < 0)
        return rc;
    *ret = what == JOB_TIME_LIMIT_S ? amount / MS_PER_S : amount;
    return 0;
}

static bool is_known_while_it_runs(enum job_resource what)
{
    return what <= JOB_GPUS;
}

/* A value that is none is left out: the job is right without it. */
static void fill_resources(const struct job_fields *fields, struct job *job)
{
    struct job_resources *r = &job->resources;
    bool is_over = job->end_ns != JOB_TIME_NONE;
    for (enum job_resource what = 0; what < JOB_RESOURCE_COUNT; what++) {
        enum job_field field = JOB_FIELD_RESOURCE + what;
        struct span text = span_trim(field_text(fields, field));
        unsigned rank = fields->rank[field];
        int64_t value;
        if (text.size == 0 || (!is_over && !is_known_while_it_runs(what)))
            continue;
        /* A site's own name has the rank of its position: its unit is ours. */
        bool is_known_name =
            rank < COUNT_OF(known_names) && known_names[rank].field == field;
        double scale = is_known_name ? scale_of(known_names[rank].name) : 1;
        if (resource_parse(what, scale, text, &value) == 0)
            (void)job_resource_set(r, what, value);
    }
    struct span micros = field_text(fields, JOB_FIELD_CPU_MICROSECONDS);
    uint64_t us;
    if (job_resource_known(r, JOB_CPU_TIME_MS) && number_parse_u64(micros, &us) == 0 &&
        us < 1000000)
        r->value[JOB_CPU_TIME_MS] += (int64_t)us / 1000;
    slurm_tres_parse(field_text(fields, JOB_FIELD_ALLOCATED), r);
    struct job_resources listed = fields->resources;
    if (!is_over)
        listed.known &= (UINT32_C(1) << (JOB_GPUS + 1)) - 1;
    job_resources_unite(r, &listed);
    if (!job_resource_known(r, JOB_CPUS))
        slurm_tres_parse(field_text(fields, JOB_FIELD_REQUESTED), r);
}

/* "5_1" where the array and its task are reported; the id is how the system counts
 * then. */
static int fill_ids(struct job_fields *fields, struct strbuf *id, struct job *job)
{
    struct span array = field_text(fields, JOB_FIELD_ARRAY_ID);
    struct span task = field_text(fields, JOB_FIELD_TASK_ID);
    job->id = span_trim(field_text(fields, JOB_FIELD_ID));
    job->raw_id = span_trim(field_text(fields, JOB_FIELD_RAW_ID));
    if (array.size == 0 || span_is(array, "0") || task.size == 0 || job->id.size == 0)
        return 0;
    strbuf_addf(id, SPAN_FMT "_" SPAN_FMT, SPAN_ARG(array), SPAN_ARG(task));
    job->raw_id = job->id;
    job->id = strbuf_span(id);
    return strbuf_error(id);
}

int job_fields_add(struct job_fields *fields, const struct sched_clock *clock,
                   struct job_list *list, const char **ret_reason)
{
    AUTO(strbuf_done) struct strbuf id = STRBUF_INIT;
    struct span owner = field_text(fields, JOB_FIELD_OWNER);
    int rc = 0;
    if (!(fields->present & UINT64_C(1) << JOB_FIELD_NODES))
        rc = nodes_of_exec_host(fields);
    struct job job = { .cluster = span_trim(field_text(fields, JOB_FIELD_CLUSTER)),
                       .name = field_text(fields, JOB_FIELD_NAME),
                       .user = span_trim(field_text(fields, JOB_FIELD_USER)),
                       .uid = span_trim(field_text(fields, JOB_FIELD_UID)),
                       .group = span_trim(field_text(fields, JOB_FIELD_GROUP)),
                       .gid = span_trim(field_text(fields, JOB_FIELD_GID)),
                       .account = span_trim(field_text(fields, JOB_FIELD_ACCOUNT)),
                       .partition = span_trim(field_text(fields, JOB_FIELD_PARTITION)),
                       .state = state_of(fields) };
    job_drop_bad_numbers(&job);
    if (rc == 0)
        rc = fill_ids(fields, &id, &job);
    if (rc < 0)
        return rc;
    if (job.user.size == 0)
        (void)span_cut(&owner, '@', &job.user);
    const char *reason = job.id.size == 0 ? "it has no id" : NULL;
    if (!reason)
        reason = fill_nodes(fields, &job);
    if (!reason)
        reason = fill_times(fields, clock, &job);
    if (reason) {
        *ret_reason = reason;
        return -EINVAL;
    }
    fill_resources(fields, &job);
    return job_list_add(list, &job);
}
