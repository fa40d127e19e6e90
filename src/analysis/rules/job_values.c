/* SPDX-License-Identifier: Apache-2.0 */
/* job_values - what is known of a job as named, typed values. */
#include "analysis/rules/job_values.h"

#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_BYTES_MAX ((size_t)4 << 20)

/* ---- where values are ---- */

static const struct job_context *context_of(const struct job_evidence_of *of)
{
    const struct job_comparison *c = &of->assessment->comparison;
    return c->count > 0 ? &c->jobs[0] : of->facts;
}

static const struct job_identity *identity_of(const struct job_evidence_of *of)
{
    const struct job_context *context = context_of(of);
    return of->assessment->record ? of->assessment->record
           : context              ? &context->identity
                                  : NULL;
}

static double number_or_nan(bool is_known, double value)
{
    return is_known ? value : (double)NAN;
}

static double resource(const struct job_evidence_of *of, enum job_resource what)
{
    const struct job_identity *who = identity_of(of);
    bool is_known = who && job_resource_known(&who->resources, what);
    return number_or_nan(is_known, is_known ? (double)who->resources.value[what] : 0);
}

static double nodes(const struct job_evidence_of *of)
{
    const struct job_identity *who = identity_of(of);
    AUTO(hostset_free) struct hostset *set = NULL;
    bool is_known =
        who && who->nodes && hostset_parse(span_of(who->nodes), &set, NULL) == 0;
    return number_or_nan(is_known && hostset_count(set) > 0,
                         set ? (double)hostset_count(set) : 0);
}

static double seconds_between(int64_t from_ns, int64_t to_ns)
{
    bool is_known = from_ns != JOB_TIME_NONE && to_ns != JOB_TIME_NONE;
    return is_known ? ((double)to_ns - (double)from_ns) / (double)NS_PER_S
                    : (double)NAN;
}

static double run_time(const struct job_evidence_of *of)
{
    const struct job_identity *who = identity_of(of);
    const struct job_context *context = context_of(of);
    if (who && who->start_ns != JOB_TIME_NONE)
        return seconds_between(who->start_ns, who->end_ns);
    if (of->assessment->has_run)
        return of->assessment->run.run_s;
    return context ? context->facts.walltime_s : (double)NAN;
}

static double queue_time(const struct job_evidence_of *of)
{
    const struct job_identity *who = identity_of(of);
    return who ? seconds_between(who->submit_ns, who->start_ns) : (double)NAN;
}

static double start(const struct job_evidence_of *of)
{
    const struct job_identity *who = identity_of(of);
    return number_or_nan(who && who->start_ns != JOB_TIME_NONE,
                         who ? (double)who->start_ns / (double)NS_PER_S : 0);
}

static double processes(const struct job_evidence_of *of)
{
    const struct job_context *context = context_of(of);
    if (of->assessment->has_run)
        return of->assessment->run.values[PROFILE_PROCESSES];
    return context ? job_i64_number(context->facts.nprocs) : (double)NAN;
}

static double cpus(const struct job_evidence_of *of)
{
    return resource(of, JOB_CPUS);
}

static double gpus(const struct job_evidence_of *of)
{
    return resource(of, JOB_GPUS);
}

static double memory(const struct job_evidence_of *of)
{
    return resource(of, JOB_MEMORY_BYTES);
}

static double memory_peak(const struct job_evidence_of *of)
{
    return resource(of, JOB_MEMORY_PEAK_BYTES);
}

static double task_memory_peak(const struct job_evidence_of *of)
{
    return resource(of, JOB_TASK_MEMORY_PEAK_BYTES);
}

static double cpu_time(const struct job_evidence_of *of)
{
    return resource(of, JOB_CPU_TIME_MS) / MS_PER_S;
}

static double time_limit(const struct job_evidence_of *of)
{
    return resource(of, JOB_TIME_LIMIT_S);
}

static double energy(const struct job_evidence_of *of)
{
    return resource(of, JOB_ENERGY_J);
}

static double exit_status(const struct job_evidence_of *of)
{
    return resource(of, JOB_EXIT_STATUS);
}

static double exit_signal(const struct job_evidence_of *of)
{
    return resource(of, JOB_EXIT_SIGNAL);
}

static double cpu_share(const struct job_evidence_of *of)
{
    const struct job_identity *who = identity_of(of);
    return who ? job_cpu_share(&who->resources, run_time(of)) : (double)NAN;
}

static double memory_share(const struct job_evidence_of *of)
{
    const struct job_identity *who = identity_of(of);
    return who ? job_memory_share(&who->resources) : (double)NAN;
}

/* ---- what the servers counted ---- */

static double flow(const struct job_evidence_of *of, size_t offset, bool is_others)
{
    const struct job_servers *s = of->assessment->servers;
    uint64_t own, all;
    if (!s)
        return NAN;
    memcpy(&own, (const char *)&s->own + offset, sizeof own);
    memcpy(&all, (const char *)&s->all + offset, sizeof all);
    return is_others ? (double)(all > own ? all - own : 0) : (double)own;
}

static double read_by_servers(const struct job_evidence_of *of)
{
    return flow(of, offsetof(struct server_flow, read_bytes), false);
}

static double server_written(const struct job_evidence_of *of)
{
    return flow(of, offsetof(struct server_flow, written_bytes), false);
}

static double server_requests(const struct job_evidence_of *of)
{
    return flow(of, offsetof(struct server_flow, requests), false);
}

static double server_metadata(const struct job_evidence_of *of)
{
    return flow(of, offsetof(struct server_flow, metadata), false);
}

static double others_read(const struct job_evidence_of *of)
{
    return flow(of, offsetof(struct server_flow, read_bytes), true);
}

static double others_written(const struct job_evidence_of *of)
{
    return flow(of, offsetof(struct server_flow, written_bytes), true);
}

static double others_metadata(const struct job_evidence_of *of)
{
    return flow(of, offsetof(struct server_flow, metadata), true);
}

static double server_osts(const struct job_evidence_of *of)
{
    const struct job_servers *s = of->assessment->servers;
    double count = 0;
    for (size_t i = 0; s && i < s->target_count; i++)
        count += !s->targets[i].is_mdt &&
                 s->targets[i].own.written_bytes + s->targets[i].own.read_bytes > 0;
    return number_or_nan(s, count);
}

/* ---- texts ---- */

const char *job_executable(const struct job_evidence_of *of)
{
    const struct job_context *context = context_of(of);
    return context && context->facts.app ? context->facts.app
           : of->facts                   ? of->facts->facts.app
                                         : NULL;
}

const char *job_command(const struct job_evidence_of *of)
{
    return of->assessment->has_run && of->assessment->run.exe[0]
               ? of->assessment->run.exe
               : NULL;
}

const char *job_name_of(const struct job_evidence_of *of)
{
    const struct job_identity *who = identity_of(of);
    return who ? who->name : NULL;
}

bool job_has_layer(const struct job_evidence_of *of, enum log_layer layer)
{
    return of->assessment->has_run && of->assessment->run.layer_records[layer] > 0;
}

static const char *application(const struct job_evidence_of *of)
{
    return of->application;
}

#define IDENTITY_TEXT(member)                                          \
    static const char *member##_text(const struct job_evidence_of *of) \
    {                                                                  \
        const struct job_identity *who = identity_of(of);              \
        return who ? who->member : NULL;                               \
    }
IDENTITY_TEXT(user)
IDENTITY_TEXT(account)
IDENTITY_TEXT(partition)
IDENTITY_TEXT(cluster)
IDENTITY_TEXT(state)
IDENTITY_TEXT(file_system)

/* ---- the table ---- */

#define COUNT_UNIT          \
    {                       \
        .scale = UNIT_COUNT \
    }

static const struct own_value {
    const char *name;
    const char *help;
    struct unit unit;
    double (*number)(const struct job_evidence_of *of); /* NULL: it is a text */
    const char *(*text)(const struct job_evidence_of *of);
} own_values[] = {
    { .name = "user", .help = "who submitted it", .text = user_text },
    { .name = "account", .help = "what it is charged to", .text = account_text },
    { .name = "partition", .help = "or queue", .text = partition_text },
    { .name = "cluster", .help = "where it ran", .text = cluster_text },
    { .name = "state", .help = "as the batch system has it", .text = state_text },
    { .name = "job_name",
      .help = "as its owner called it, often the name of its script",
      .text = job_name_of },
    { .name = "file_system", .help = "that it used most", .text = file_system_text },
    { .name = "executable", .help = "path of its program", .text = job_executable },
    { .name = "command",
      .help = "the same with its arguments, of its Darshan log",
      .text = job_command },
    { .name = "application", .help = "as it was recognised", .text = application },
    { .name = "start",
      .help = "when it began",
      .unit = { .seconds = 1, .is_time = true },
      .number = start },
    { .name = "run_time",
      .help = "of the job; while it runs not known",
      .unit = { .seconds = 1 },
      .number = run_time },
    { .name = "queue_time",
      .help = "from its submission to its start",
      .unit = { .seconds = 1 },
      .number = queue_time },
    { .name = "time_limit",
      .help = "that it was given",
      .unit = { .seconds = 1 },
      .number = time_limit },
    { .name = "nodes", .help = "that it ran on", .unit = COUNT_UNIT, .number = nodes },
    { .name = "processes",
      .help = "by its Darshan log",
      .unit = COUNT_UNIT,
      .number = processes },
    { .name = "cpus", .help = "allocated", .unit = COUNT_UNIT, .number = cpus },
    { .name = "gpus", .help = "allocated", .unit = COUNT_UNIT, .number = gpus },
    { .name = "memory", .help = "allocated", .unit = { .bytes = 1 }, .number = memory },
    { .name = "memory_peak",
      .help = "of the step that had most",
      .unit = { .bytes = 1 },
      .number = memory_peak },
    { .name = "task_memory_peak",
      .help = "of the process that had most",
      .unit = { .bytes = 1 },
      .number = task_memory_peak },
    { .name = "memory_share",
      .help = "peak of what was allocated",
      .unit = { .scale = UNIT_SHARE },
      .number = memory_share },
    { .name = "cpu_time",
      .help = "user and system, of all processes",
      .unit = { .seconds = 1 },
      .number = cpu_time },
    { .name = "cpu_share",
      .help = "CPU time of what its allocation had",
      .unit = { .scale = UNIT_SHARE },
      .number = cpu_share },
    { .name = "energy",
      .help = "as the batch system accounts",
      .unit = { .joules = 1 },
      .number = energy },
    { .name = "exit_status",
      .help = "of its script",
      .unit = COUNT_UNIT,
      .number = exit_status },
    { .name = "exit_signal",
      .help = "that ended it; 0: none",
      .unit = COUNT_UNIT,
      .number = exit_signal },
    { .name = "server_read",
      .help = "bytes that Lustre servers counted of it",
      .unit = { .bytes = 1 },
      .number = read_by_servers },
    { .name = "server_written",
      .help = "likewise written",
      .unit = { .bytes = 1 },
      .number = server_written },
    { .name = "server_requests",
      .help = "likewise reads and writes",
      .unit = COUNT_UNIT,
      .number = server_requests },
    { .name = "server_metadata",
      .help = "likewise metadata operations",
      .unit = COUNT_UNIT,
      .number = server_metadata },
    { .name = "server_osts",
      .help = "OSTs that it moved bytes to or from",
      .unit = COUNT_UNIT,
      .number = server_osts },
    { .name = "others_read",
      .help = "bytes that other jobs read there meanwhile",
      .unit = { .bytes = 1 },
      .number = others_read },
    { .name = "others_written",
      .help = "likewise written",
      .unit = { .bytes = 1 },
      .number = others_written },
    { .name = "others_metadata",
      .help = "likewise metadata operations",
      .unit = COUNT_UNIT,
      .number = others_metadata },
};

/* ---- figures of nodes' metrics ---- */

struct job_node_name {
    const char *metric;
    size_t offset; /* in struct footprint_metric */
};

static const struct {
    const char *name;
    size_t offset;
} figures[] = {
    { "average", offsetof(struct footprint_metric, average) },
    { "median", offsetof(struct footprint_metric, median) },
    { "lowest", offsetof(struct footprint_metric, lowest_value) },
    { "highest", offsetof(struct footprint_metric, highest_value) },
    { "min", offsetof(struct footprint_metric, min) },
    { "max", offsetof(struct footprint_metric, max) },
};

static double node_number(const struct job_node_name *name,
                          const struct job_evidence_of *of)
{
    const struct job_nodes *n = of->assessment->nodes;
    double value = NAN;
    for (size_t i = 0; n && n->is_observed && i < n->footprint.metric_count; i++) {
        const struct footprint_metric *m = &n->footprint.metrics[i];
        if (strcmp(m->name, name->metric) == 0)
            memcpy(&value, (const char *)m + name->offset, sizeof value);
    }
    return value;
}

/* ---- findings ---- */

static bool is_made(const struct job_assessment *a, const char *name)
{
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->findings[i].name, name) == 0)
            return true;
    for (size_t i = 0;
         a->nodes && a->nodes->is_observed && i < a->nodes->footprint.finding_count;
         i++)
        if (strcmp(footprint_kind_name(a->nodes->footprint.findings[i].kind), name) ==
            0)
            return true;
    return false;
}

/* Whether its evidence was there: only then it is false that it is made. */
static bool could_be_made(const struct job_evidence_of *of,
                          const struct finding_rule *rule)
{
    const struct job_assessment *a = of->assessment;
    switch (rule->kind) {
    case FINDING_OF_LOG:
        return a->has_run && !a->run.doubt && !job_log_is_lacking(&a->run);
    case FINDING_AROUND:
        return a->comparison.count > 0 && !isnan(rule->value(&a->comparison.jobs[0]));
    case FINDING_CONTENDED:
        return a->servers != NULL;
    case FINDING_REQUESTS:
        return a->servers && !a->has_run && !isnan(run_time(of));
    default:
        return false;
    }
}

static struct value found_value(const struct job_evidence_of *of, size_t index)
{
    const struct job_assessment *a = of->assessment;
    bool is_of_nodes = index >= finding_rule_count;
    const char *name =
        is_of_nodes
            ? footprint_kind_name((enum footprint_kind)(index - finding_rule_count))
            : finding_rules[index].name;
    if (is_made(a, name))
        return value_number(1);
    /* Of a job that goes on, and of nodes without some metric, that is not known. */
    if (is_of_nodes || !could_be_made(of, &finding_rules[index]))
        return (struct value){ .kind = VALUE_MISSING };
    return value_number(0);
}

/* ---- names ---- */

enum { OWN_COUNT = COUNT_OF(own_values) };

static size_t columns_first(void)
{
    return OWN_COUNT + PROFILE_MEASURE_COUNT;
}

static size_t found_first(void)
{
    return columns_first() + SUMMARY_COLUMN_COUNT;
}

static size_t nodes_first(void)
{
    return found_first() + finding_rule_count + FOOTPRINT_KIND_COUNT;
}

static const char *found_name(size_t index)
{
    return index < finding_rule_count
               ? finding_rules[index].name
               : footprint_kind_name((enum footprint_kind)(index - finding_rule_count));
}

/* A column whose unit is not known is a plain number. */
static struct condition_type typed(const char *unit, enum unit_scale scale,
                                   double *ret_factor)
{
    struct condition_type type = { .kind = CONDITION_NUMBER };
    double factor = 1;
    if (!unit_of_name(span_of(unit), &type.unit, &factor) ||
        (unit_is_none(&type.unit) && type.unit.scale == UNIT_RATIO))
        type.unit = (struct unit){ .scale = scale };
    if (ret_factor)
        *ret_factor = factor;
    return type;
}

static struct condition_type measure_type(size_t measure, double *ret_factor)
{
    const struct profile_term *term = profile_term((enum profile_measure)measure);
    return typed(term->unit, term->scale == PROFILE_SHARE ? UNIT_SHARE : UNIT_COUNT,
                 ret_factor);
}

static struct condition_type column_type(const struct job_column *column,
                                         double *ret_factor)
{
    if (column->type == SCALAR_TEXT)
        return (struct condition_type){ .kind = CONDITION_TEXT };
    return typed(column->unit, column->type == SCALAR_I64 ? UNIT_COUNT : UNIT_RATIO,
                 ret_factor);
}

static struct condition_type name_type(void *arg, int column)
{
    (void)arg;
    size_t at = (size_t)column;
    if (at < OWN_COUNT)
        return (struct condition_type){ .kind = own_values[at].number ? CONDITION_NUMBER
                                                                      : CONDITION_TEXT,
                                        .unit = own_values[at].unit };
    if (at < columns_first())
        return measure_type(at - OWN_COUNT, NULL);
    if (at < found_first())
        return column_type(&job_columns[at - columns_first()], NULL);
    return (struct condition_type){ .kind = at < nodes_first() ? CONDITION_TRUTH
                                                               : CONDITION_NUMBER };
}

static int node_name_find(struct rule_names *names, struct span rest)
{
    size_t dot = rest.size;
    while (dot > 0 && rest.data[dot - 1] != '.')
        dot--;
    const struct span figure = span_skip(rest, dot);
    const struct span metric = { rest.data, dot > 0 ? dot - 1 : 0 };
    size_t f = 0;
    while (f < COUNT_OF(figures) && !span_is(figure, figures[f].name))
        f++;
    if (metric.size == 0 || f == COUNT_OF(figures))
        return -ENOENT;
    for (size_t i = 0; i < names->node_count; i++)
        if (span_is(metric, names->nodes[i].metric) &&
            names->nodes[i].offset == figures[f].offset)
            return (int)(nodes_first() + i);
    if (names->node_count == JOB_NODE_NAMES_MAX)
        return -ENOENT;
    if (!names->nodes)
        names->nodes = calloc(JOB_NODE_NAMES_MAX, sizeof *names->nodes);
    const char *copy = names->nodes ? arena_dup(&names->arena, metric) : NULL;
    if (!copy)
        return -ENOMEM;
    names->nodes[names->node_count] = (struct job_node_name){ copy, figures[f].offset };
    return (int)(nodes_first() + names->node_count++);
}

/* "full_target" for full-target: '-' is minus. */
static bool is_found_name(struct span written, const char *name)
{
    size_t size = strlen(name);
    bool is_same = written.size == size;
    for (size_t i = 0; is_same && i < size; i++)
        is_same = written.data[i] == (name[i] == '-' ? '_' : name[i]);
    return is_same;
}

static int name_find(void *arg, struct span name)
{
    for (size_t i = 0; i < OWN_COUNT; i++)
        if (span_is(name, own_values[i].name))
            return (int)i;
    if (span_starts(name, "log."))
        for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
            if (span_is(span_skip(name, 4),
                        profile_term((enum profile_measure)i)->name))
                return (int)(OWN_COUNT + i);
    if (span_starts(name, "found."))
        for (size_t i = 0; i < finding_rule_count + FOOTPRINT_KIND_COUNT; i++)
            if (is_found_name(span_skip(name, 6), found_name(i)))
                return (int)(found_first() + i);
    if (span_starts(name, "node."))
        return node_name_find(arg, span_skip(name, 5));
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        if (span_is(name, job_columns[i].name))
            return (int)(columns_first() + i);
    return -ENOENT;
}

bool job_value_name_at(size_t index, struct job_value_name *ret)
{
    if (index >= nodes_first())
        return false;
    *ret = (struct job_value_name){ .prefix = "", .type = name_type(NULL, (int)index) };
    if (index < OWN_COUNT) {
        ret->name = own_values[index].name;
        ret->help = own_values[index].help;
    } else if (index < columns_first()) {
        const struct profile_term *term =
            profile_term((enum profile_measure)(index - OWN_COUNT));
        ret->prefix = "log.";
        ret->name = term->name;
        ret->help = term->label;
    } else if (index < found_first()) {
        ret->name = job_columns[index - columns_first()].name;
        ret->help = "column of its summary";
    } else {
        ret->prefix = "found.";
        ret->name = found_name(index - found_first());
        ret->help = "whether this finding is made";
    }
    return true;
}

void job_value_name_print(const struct job_value_name *name, struct strbuf *out)
{
    strbuf_adds(out, name->prefix);
    for (const char *c = name->name; *c; c++)
        strbuf_addc(out, *c == '-' ? '_' : *c);
}

/* The nearest of the names, and where all of them stand. */
static void name_unknown(void *arg, struct span name, struct err *err)
{
    AUTO(strbuf_done) struct strbuf all = STRBUF_INIT;
    struct job_value_name known;
    struct suggest suggest;
    (void)arg;
    for (size_t i = 0; job_value_name_at(i, &known); i++) {
        job_value_name_print(&known, &all);
        strbuf_addc(&all, ' ');
    }
    suggest_init(&suggest, name);
    struct span rest = strbuf_span(&all), word;
    while (strbuf_error(&all) == 0 && rest.size > 0) {
        (void)span_cut(&rest, ' ', &word);
        suggest_offer(&suggest, word);
    }
    (void)err_set(err, EINVAL,
                  "there is no value '" SPAN_FMT "' of a job (choose of "
                  "'baro job findings --values', or node.METRIC.average, median, "
                  "lowest, highest, min or max)",
                  SPAN_ARG(name));
    (void)suggest_add(&suggest, "", 0, err);
}

struct condition_names rule_names_condition(struct rule_names *names)
{
    return (struct condition_names){
        .arg = names, .find = name_find, .type = name_type, .unknown = name_unknown
    };
}

void rule_names_init(struct rule_names *names)
{
    *names = (struct rule_names){ 0 };
    arena_init(&names->arena, (size_t)1 << 20);
}

void rule_names_done(struct rule_names *names)
{
    free(names->nodes);
    arena_done(&names->arena);
    *names = (struct rule_names){ 0 };
}

/* ---- values ---- */

static struct value text_value(const char *text, struct arena *arena)
{
    const char *copy = text && *text ? arena_dup(arena, span_of(text)) : NULL;
    return copy ? (struct value){ .kind = VALUE_TEXT, .text = span_of(copy) }
                : (struct value){ .kind = VALUE_MISSING };
}

static struct value finite_value(double number)
{
    return isfinite(number) ? value_number(number)
                            : (struct value){ .kind = VALUE_MISSING };
}

/* Of a log that lacks records its measures are those of a part of the run. */
static struct value measure_value(const struct job_evidence_of *of, size_t measure)
{
    const struct profile *run = &of->assessment->run;
    double factor;
    (void)measure_type(measure, &factor);
    bool is_known = of->assessment->has_run && !run->doubt &&
                    (measure == PROFILE_PROCESSES || !job_log_is_lacking(run));
    return finite_value(is_known ? run->values[measure] * factor : (double)NAN);
}

/* Likewise of its summary. */
static bool is_of_part(const struct job_context *context,
                       const struct job_column *column)
{
    return context->facts.is_damaged == 1 &&
           column->offset >= offsetof(struct job_context, facts.posix) &&
           column->offset < offsetof(struct job_context, facts.is_damaged);
}

static struct value column_value(const struct job_context *context,
                                 const struct job_column *column, struct arena *arena)
{
    double factor;
    if (!context)
        return (struct value){ .kind = VALUE_MISSING };
    struct scalar v = job_column_get(column, context);
    if (!v.is_present || is_of_part(context, column))
        return (struct value){ .kind = VALUE_MISSING };
    if (column->type == SCALAR_TEXT)
        return text_value(v.text.data, arena);
    (void)column_type(column, &factor);
    return finite_value((column->type == SCALAR_I64 ? (double)v.i64 : v.dbl) * factor);
}

size_t job_values_count(const struct rule_names *names)
{
    return nodes_first() + names->node_count;
}

void job_values_fill(const struct rule_names *names, const struct job_evidence_of *of,
                     struct arena *arena, struct value *ret)
{
    const struct job_context *context = context_of(of);
    size_t n = 0;
    for (size_t i = 0; i < OWN_COUNT; i++)
        ret[n++] = own_values[i].number ? finite_value(own_values[i].number(of))
                                        : text_value(own_values[i].text(of), arena);
    for (size_t i = 0; i < PROFILE_MEASURE_COUNT; i++)
        ret[n++] = measure_value(of, i);
    for (size_t i = 0; i < SUMMARY_COLUMN_COUNT; i++)
        ret[n++] = column_value(context, &job_columns[i], arena);
    for (size_t i = 0; i < finding_rule_count + FOOTPRINT_KIND_COUNT; i++)
        ret[n++] = found_value(of, i);
    for (size_t i = 0; i < names->node_count; i++)
        ret[n++] = finite_value(node_number(&names->nodes[i], of));
}

size_t job_found_count(void)
{
    return finding_rule_count + FOOTPRINT_KIND_COUNT;
}

const char *job_found_name(size_t index)
{
    return found_name(index);
}

bool job_found_is_made(const struct value *values, size_t index)
{
    return value_is_true(&values[found_first() + index]);
}

/* ---- as a document ---- */

static void value_write(const struct value *value, struct json_writer *w)
{
    AUTO(strbuf_done) struct strbuf clean = STRBUF_INIT;
    if (value->kind == VALUE_NUMBER) {
        json_double(w, value->number);
        return;
    }
    entry_id_print(&clean, value->text);
    json_span(w, strbuf_span(&clean));
}

static void nodes_write(const struct job_nodes *nodes_of, struct json_writer *w)
{
    for (size_t i = 0; i < nodes_of->footprint.metric_count; i++)
        for (size_t f = 0; f < COUNT_OF(figures); f++) {
            AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
            const struct footprint_metric *m = &nodes_of->footprint.metrics[i];
            double value;
            memcpy(&value, (const char *)m + figures[f].offset, sizeof value);
            if (!isfinite(value))
                continue;
            strbuf_adds(&key, "node.");
            entry_id_print(&key, span_of(m->name));
            strbuf_addf(&key, ".%s", figures[f].name);
            json_key_span(w, strbuf_span(&key));
            json_double(w, value);
        }
}

int job_values_write(const struct job_evidence_of *of, struct json_writer *w)
{
    const struct rule_names names = { 0 };
    AUTO(arena_done) struct arena arena;
    struct job_value_name name;
    AUTO_FREE struct value *values = calloc(nodes_first(), sizeof *values);
    if (!values)
        return -ENOMEM;
    arena_init(&arena, VALUES_BYTES_MAX);
    job_values_fill(&names, of, &arena, values);
    json_object(w);
    for (size_t i = 0; job_value_name_at(i, &name); i++) {
        AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
        if (values[i].kind == VALUE_MISSING)
            continue;
        job_value_name_print(&name, &key);
        json_key_span(w, strbuf_span(&key));
        value_write(&values[i], w);
    }
    if (of->assessment->nodes && of->assessment->nodes->is_observed)
        nodes_write(of->assessment->nodes, w);
    json_object_end(w);
    return 0;
}

static struct value cell_value(const struct job_row *row, const char *name,
                               const struct condition_type *type, struct arena *arena)
{
    return type->kind == CONDITION_TEXT ? text_value(job_row_words(row, name), arena)
                                        : finite_value(job_row_number(row, name));
}

int job_values_read(const struct rule_names *names, struct span document,
                    struct arena *arena, struct value *ret, struct err *err)
{
    AUTO(job_row_done) struct job_row row;
    struct job_value_name name;
    job_row_init(&row);
    int rc = job_row_read_json(&row, document, err);
    for (size_t i = 0; rc == 0 && job_value_name_at(i, &name); i++) {
        AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
        job_value_name_print(&name, &key);
        ret[i] = cell_value(&row, strbuf_text(&key), &name.type, arena);
    }
    for (size_t i = 0; rc == 0 && i < names->node_count; i++) {
        AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
        const struct job_node_name *node = &names->nodes[i];
        size_t f = 0;
        while (figures[f].offset != node->offset)
            f++;
        strbuf_addf(&key, "node.%s.%s", node->metric, figures[f].name);
        ret[nodes_first() + i] = finite_value(job_row_number(&row, strbuf_text(&key)));
    }
    return rc;
}
