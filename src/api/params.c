/* SPDX-License-Identifier: Apache-2.0 */
/* params - the parameters of the routes. */
#include "api/params.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "net/net.h"
#include "query/query.h"
#include "report/report.h"

/* Bytes of a refused value that an error repeats: a longer one would leave no place for
 * what is wanted. */
#define VALUE_SHOWN_MAX 64

#define AS_SAMPLES_PARAM(name, value, choices, help) \
    { #name, "string", help, PARAM_SAMPLES },

const struct api_param api_params[] = {
    { "fs", "string", "Only this file system, by the name the site gives it.",
      PARAM_FILTER | PARAM_JOB | PARAM_SUMMARIES },
    { "target", "string",
      "Only targets that fit: a pattern with * ? [], or several, between commas.",
      PARAM_FILTER },
    { "job", "string", "Only this job.", PARAM_FILTER | PARAM_SUMMARIES },
    { "user", "string", "Only this user: a name or a number.",
      PARAM_FILTER | PARAM_JOB | PARAM_JOBS | PARAM_SUMMARIES },
    { "group", "string", "Only this group: a name or a number.", PARAM_FILTER },
    { "node", "string", "Only this node, or a set: r30c[09-24],login1.", PARAM_FILTER },
    { "executable", "string", "Only this executable.", PARAM_FILTER },
    { "entry", "string", "Only this identifier, in its text form (\\xHH).",
      PARAM_FILTER },
    { "id", "string", "Only this time series: its time_series_id.", PARAM_FILTER },
    { "server", "string", "Only what this Lustre server observed.", PARAM_WINDOW },
    { "from", "string",
      "Beginning of the window, exclusive: RFC 3339, a date, -2h, @seconds or now.",
      PARAM_WINDOW | PARAM_JOB },
    { "to", "string", "End of the window, inclusive; default: the newest observation.",
      PARAM_WINDOW | PARAM_JOB },
    { "last", "string",
      "Length of the window instead of its beginning: 10m, 2h; rounds: the last round "
      "of all servers.",
      PARAM_WINDOW },
    { "op", "string",
      "Comma-separated: write_bytes, read_bytes, metadata, iops, all, or operations of "
      "Lustre, with _usecs for their time and _count for requests of bytes.",
      PARAM_SUM },
    { "by", "string",
      "Comma-separated: fs, target, server, job, user, group, node, executable, "
      "op (each operation a row).",
      PARAM_SUM },
    { "step", "string", "Cut the window in pieces of this length.", PARAM_STEP },
    { "density", "string",
      "yes: count the groups by the decade of their rate of the first op.",
      PARAM_STEP },
    { "limit", "integer", "So many groups, or series, at most.",
      PARAM_LIMIT | PARAM_SERIES },
    { "format", "string",
      "table (default): columns, rows and notes; json: an array of objects (of a job "
      "an "
      "object of arrays), as the command prints it with --output json.",
      PARAM_OBJECTS },
    { "component", "string",
      "Components by their path, level by level, each a list with * ?, sets and "
      "classes: "
      "alex/a09*,b[01-12]/hwthread:*; one level alone: clusters, or hosts.  May be "
      "repeated.  What is not there is missing or a note; 404 where nothing is.  Of "
      "series with what is below them.  Default of a query: every host.",
      PARAM_SAMPLES | PARAM_SERIES },
    { "metric", "string", "Patterns of metrics, comma-separated.",
      PARAM_SAMPLES | PARAM_SERIES },
    { "job", "string",
      "The nodes and the time of a job, by its record: its id, or CLUSTER/ID; in place "
      "of component, from, to and last.",
      PARAM_SAMPLES },
    METRIC_PARAMS(AS_SAMPLES_PARAM){ "format", "string",
                                     "table (default), csv, or json: an array of "
                                     "objects, as baro metric list --output json.",
                                     PARAM_SERIES },
    { "to", "integer", "Seconds since the epoch; required.", PARAM_FREE },
    { "host", "string", "Only these nodes: a host set; default: all.", PARAM_SESSION },
    { "after", "string",
      "Only events after this one: its id, such as 3.17; default: the last ones.",
      PARAM_EVENTS },
    { "limit", "integer", "So many events at most, up to 1000; default: 100.",
      PARAM_EVENTS },
    { "wait", "string",
      "Wait so long for the next event where there is none after it; up to 60s.",
      PARAM_EVENTS },
    { "component", "string",
      "Only these: a pattern with as many levels as the component's path, such as "
      "alex/a09* or alex/*/dimm:*.",
      PARAM_RESOURCES },
    { "below", "string", "Only this component and its parts: its path.",
      PARAM_RESOURCES },
    { "health", "string",
      "Only of this health; several with commas: down,drained. Default: any.",
      PARAM_RESOURCES },
    { "parts", "string", "false: only hosts and what is like them, no parts.",
      PARAM_RESOURCES },
    { "limit", "integer", "So many components at most; default: 1000.",
      PARAM_RESOURCES },
    { "hosts", "string", "Which hosts: a[0901-0964],f0104.",
      PARAM_RESOURCE_CHECK | PARAM_RESOURCE_DRAIN },
    { "cluster", "string", "Of this cluster; default: of each that has such a host.",
      PARAM_RESOURCE_CHECK | PARAM_RESOURCE_DRAIN },
    { "all", "string",
      "true: a row of each host that barod knows, also where it may be used; default: "
      "false.",
      PARAM_RESOURCE_CHECK },
    { "cluster", "string",
      "Only of this cluster; default: that of the token, or of any.",
      PARAM_RESOURCE_SILENT },
    { "once", "string",
      "true: not where one of this name with this payload is among the last events; "
      "default: false.",
      PARAM_PUBLISH },
    { "component", "string", "Its path: alex/a0903; required.",
      PARAM_RESOURCE_SOURCES },
    { "component", "string", "In place of hosts: the path of a component.",
      PARAM_RESOURCE_DRAIN },
    { "reason", "string", "Why; required to drain.", PARAM_RESOURCE_DRAIN },
    { "after", "string", "Only changes after this one: its id; default: the last ones.",
      PARAM_RESOURCE_CHANGES },
    { "limit", "integer", "So many changes at most, up to 1000; default: 100.",
      PARAM_RESOURCE_CHANGES },
    { "wait", "string",
      "Wait so long for the next change where there is none after it; up to 60s.",
      PARAM_RESOURCE_CHANGES },
    { "component", "string", "Of this component and its parts: its path.",
      PARAM_RESOURCE_HISTORY },
    { "source", "string", "What this source stated: admin, system:edac, user:carol.",
      PARAM_RESOURCE_HISTORY },
    { "from", "string", "Beginning: RFC 3339, a date, -2d, @seconds or now.",
      PARAM_RESOURCE_HISTORY },
    { "to", "string", "End, exclusive; default: now.", PARAM_RESOURCE_HISTORY },
    { "last", "string", "Length of the range instead of its beginning; default: 30d.",
      PARAM_RESOURCE_HISTORY },
    { "limit", "integer", "The newest so many; default: 1000.",
      PARAM_RESOURCE_HISTORY },
    { "hosts", "string", "Only of these hosts and their parts: a[0901-0964],f0104.",
      PARAM_RESOURCE_REPORT },
    { "cluster", "string", "Only of this cluster, or file system.",
      PARAM_RESOURCE_REPORT },
    { "class", "string", "Only of this class: host, dimm, ost.",
      PARAM_RESOURCE_REPORT },
    { "from", "string", "Beginning: RFC 3339, a date, -2d, @seconds or now.",
      PARAM_RESOURCE_REPORT },
    { "to", "string", "End, exclusive; default: now.", PARAM_RESOURCE_REPORT },
    { "last", "string", "Length of the range instead of its beginning; default: 365d.",
      PARAM_RESOURCE_REPORT },
    { "worst", "integer",
      "So many of the worst components of each class, up to 100; default: 3.",
      PARAM_RESOURCE_REPORT },
    { "hosts", "string", "Only parts of these hosts: a[0901-0964],f0104.",
      PARAM_INVENTORY },
    { "cluster", "string", "Only of this cluster.", PARAM_INVENTORY },
    { "class", "string",
      "Only of this class: system, board, bios, cpu, dimm, disk, gpu, nic, hca.",
      PARAM_INVENTORY },
    { "serial", "string", "Only with this serial number.", PARAM_INVENTORY },
    { "all", "string", "true: also what is gone.", PARAM_INVENTORY },
    { "history", "string",
      "true: what became of parts, in place of the parts: found, moved, gone.",
      PARAM_INVENTORY },
    { "limit", "integer", "So many rows at most; default: 10000.", PARAM_INVENTORY },
    { "state", "string", "Only those that are running, ended or lost.",
      PARAM_SESSIONS },
    { "limit", "integer", "The last reported so many; default: 1000.", PARAM_SESSIONS },
    { "limit", "integer", "So many rows at most; default: 1000.", PARAM_SESSION_NAMED },
    { "next", "string", "Path below /v1/ to open once signed in.", PARAM_NEXT },
    { "cluster", "string", "Whose hosts; required.", PARAM_EXEMPT },
    { "hosts", "string", "A set of them: a[0901-0964],f0104; required.", PARAM_EXEMPT },
    { "until", "string",
      "+1h, RFC 3339 or @seconds, at most 31 days from now; now ends it; required.",
      PARAM_EXEMPT },
    { "cluster", "string", "Only this cluster; empty: jobs without one.",
      PARAM_JOBS | PARAM_JOB_CONTEXT | PARAM_JOB_NODES | PARAM_SUMMARIES },
    { "id", "string", "Only this job, as people write it or as the system counts.",
      PARAM_JOBS },
    { "account", "string", "Only this account.", PARAM_JOBS },
    { "state", "string", "Only in this state: the whole, or its first word.",
      PARAM_JOBS },
    { "node", "string",
      "Only those that ran on it, or on one of a set: r30c[09-24]; wants from, or id.",
      PARAM_JOBS },
    { "fs", "string",
      "Only jobs whose cluster uses this file system (cluster of [filesystem NAME]).",
      PARAM_JOBS },
    { "app", "string", "Only this application.", PARAM_SUMMARIES },
    { "from", "string",
      "Only what ran at or after it: RFC 3339, a date, -2h, @seconds or now.",
      PARAM_JOBS | PARAM_SUMMARIES },
    { "to", "string", "Only what ran before it.", PARAM_JOBS | PARAM_SUMMARIES },
    { "limit", "integer",
      "So many at most, 1 to 100000, the newest start first; default: 1000, with worst "
      "20, of jobs with format=json 100000.",
      PARAM_JOBS | PARAM_SUMMARIES },
    { "format", "string",
      "json (default); text, a page for a person; line, its first sentence; js1, what "
      "it "
      "used as an AdminComment that jobstats reads; values, what conditions of "
      "findings may name.",
      PARAM_JOB_CONTEXT },
    { "step", "string",
      "Only this step: its time and its nodes, and what falls into them.",
      PARAM_JOB_CONTEXT | PARAM_JOB_NODES },
    { "array", "string", "Only elements of this array: 5 for 5_1, 5_2.", PARAM_JOBS },
    { "format", "string",
      "table (default); lines: as they are posted; json: an array of objects, as baro "
      "job list prints it with --output json.",
      PARAM_JOBS },
    { "worst", "string",
      "A row a job or array, what it used of what it was given, the worst first "
      "by " JOB_USAGE_ORDERS "; with footprint, one of its columns.",
      PARAM_JOBS },
    { "footprint", "string",
      "A row a run, with what is stored of metrics of its nodes: METRIC[:STAT], "
      "comma-separated, 8 at most, with STAT mean (default), min, max or sum.",
      PARAM_JOBS },
    { "tasks", "boolean",
      "With worst: a row for each element of an array; default: false.", PARAM_JOBS },
    { "load", "boolean",
      "With format=json: one row, how many jobs, nodes and node-hours, as baro job "
      "list "
      "--load prints it; default: false.",
      PARAM_JOBS },
    { "nodes", "boolean",
      "With format=json: each node by its name, in place of sets; default: false.",
      PARAM_JOBS },
    { "format", "string",
      "table (default) of some columns, lines as they are posted, or csv.",
      PARAM_SUMMARIES },
    { "component", "string",
      "Which nodes to report: a cluster, or cluster/hosts with a pattern, a set or a "
      "list: "
      "alex/r30c[09-24].  They are compared with all of their cluster.  May be "
      "repeated; "
      "default: all.",
      PARAM_NODES },
    { "component", "string",
      "Which nodes: a cluster, or cluster/hosts with a pattern, a set or a list: "
      "alex/r30c[09-24].  May be repeated; default: all.",
      PARAM_LATEST },
    { "metric", "string", "Patterns of metrics, comma-separated; default: all.",
      PARAM_NODES },
    { "metric", "string",
      "Patterns of metrics, comma-separated: a column each, 16 at most; default: what "
      "is there of load, CPU, memory, network, flops, memory bandwidth and power.",
      PARAM_LATEST },
    { "window", "string",
      "Of gauges the mean, of counters the rate over so long until now, and at least "
      "over three steps of the metric; default: 1m.",
      PARAM_LATEST },
    { "sort", "string",
      "The metric whose largest values come first; default: the first column's.",
      PARAM_LATEST },
    { "limit", "integer", "So many nodes at most; default: 50.", PARAM_LATEST },
    { "from", "string", "Beginning: RFC 3339, a date, -2h, @seconds or now.",
      PARAM_NODES },
    { "to", "string", "End, exclusive; default: now.", PARAM_NODES },
    { "last", "string", "Length of the range instead of its beginning; default: 1h.",
      PARAM_NODES },
    { "window", "string",
      "Length of the windows that are compared; default: a twelfth of the range.",
      PARAM_NODES },
    { "limit", "integer", "So many findings at most; default: 100.", PARAM_NODES },
    { "fs", "string", "File systems whose Lustre name matches: a pattern with * ? [].",
      PARAM_SPACE | PARAM_FAILOVERS },
    { "by", "string",
      "fs (default): a row a file system; target: a row a target; user, group, "
      "project: a row each of the largest.",
      PARAM_SPACE },
    { "from", "string",
      "Beginning of the history: RFC 3339, a date, -30d, @seconds or now.",
      PARAM_SPACE },
    { "to", "string", "Its end; default: now.", PARAM_SPACE },
    { "last", "string", "Its length instead of its beginning; default: 14d.",
      PARAM_SPACE },
    { "from", "string", "Beginning: RFC 3339, a date, -2d, @seconds or now.",
      PARAM_FAILOVERS },
    { "to", "string", "End, exclusive; default: now.", PARAM_FAILOVERS },
    { "last", "string", "Length of the range instead of its beginning; default: 1d.",
      PARAM_FAILOVERS },
    { "limit", "integer",
      "So many rows at most; default: all, of user, group and project 50.",
      PARAM_SPACE },
    { "format", "string",
      "table (default), csv, or json: an array of objects, as baro metric list "
      "--output json.",
      PARAM_METRICS },
    { "query", "string", "An expression of PromQL.", PARAM_PROMQL },
    { "time", "string", "Seconds since 1970 or RFC 3339; default: now.",
      PARAM_PROMQL_TIME },
    { "start", "string", "Seconds since 1970 or RFC 3339.", PARAM_PROMQL_RANGE },
    { "end", "string", "Likewise.", PARAM_PROMQL_RANGE },
    { "step", "string", "Seconds, or one like 5m.", PARAM_PROMQL_STEP },
    { "match[]", "string", "A selector of series, such as x{a=\"b\"}; several.",
      PARAM_PROMQL_MATCH },
    { "metric", "string", "Of this metric alone.", PARAM_PROMQL_METADATA },
    { "limit", "integer", "At most so many metrics.", PARAM_PROMQL_METADATA },
    { "fs", "string",
      "Only file systems of this name, as in scratch-OST0001; a pattern (*, ?).",
      PARAM_HEALTH },
    { "cluster", "string", "Only what was submitted with this cluster.", PARAM_HEALTH },
    { "from", "string",
      "Beginning of the window, with the last reading before it (1h); default: last "
      "before its end.",
      PARAM_HEALTH },
    { "to", "string", "End, exclusive; default: now.", PARAM_HEALTH },
    { "last", "string", "How far from lies before to: 1d (default), 2h.",
      PARAM_HEALTH },
    { "at", "string", "How it was then, in place of a window.", PARAM_HEALTH },
    { "all", "string",
      "true: also the readings in which nothing changed; default: false.",
      PARAM_HEALTH },
    { "fs", "string",
      "Only this file system, as Lustre calls it; default: all together.",
      PARAM_WEATHER },
    { "from", "string", "Beginning: RFC 3339, a date, -12h, @seconds or now.",
      PARAM_WEATHER },
    { "to", "string", "End, exclusive; default: now.", PARAM_WEATHER },
    { "last", "string", "Length of the window instead of its beginning; default: 12h.",
      PARAM_WEATHER },
    { "against", "string",
      "Is it as usual?  Against the same hours of the days so long before, at most "
      "400d: 30d; default: of all days there are.",
      PARAM_WEATHER },
    { "top", "integer", "So many targets in tables; default: 10.", PARAM_WEATHER },
    { "format", "string",
      "json (default): an object of tables, as baro weather --output json prints; "
      "text: "
      "a page for a person.",
      PARAM_WEATHER },
    { "class", "string", "Only classes of this name, with * ? []; default: all.",
      PARAM_CLIMATE },
    { "last", "integer", "So many last runs of each class; default: 1.",
      PARAM_CLIMATE },
    { "window", "string",
      "How far back \"late\" reaches: 28d; default: the mapping's long window.",
      PARAM_CLIMATE },
    { "window_runs", "integer", "At most so many runs in it; default: 4096.",
      PARAM_CLIMATE },
    { "jobs", "string",
      "The jobs: 2 to 64 ids between commas, each in either form or as CLUSTER/ID; "
      "required.",
      PARAM_DIFF },
    { "cluster", "string", "Of those that name none; default: any.", PARAM_DIFF },
    { "floor", "integer",
      "How much slower a comparable run may be, in per cent; default: 140.",
      PARAM_DIFF },
    { "format", "string",
      "json (default): an array of objects, as baro job diff --output json prints; "
      "csv; "
      "text: a page for a person.",
      PARAM_DIFF },
    { "selector", "string", "cluster:host:...; default: all.", PARAM_DEBUG },
};
const size_t api_param_count = COUNT_OF(api_params);

bool api_params_have(uint64_t groups, struct span name)
{
    for (size_t i = 0; i < api_param_count; i++)
        if ((api_params[i].groups & groups) && span_is(name, api_params[i].name))
            return true;
    return false;
}

bool api_params_is_repeated(struct net_request *request, size_t index, struct span name)
{
    struct span other, value;
    for (size_t i = 0; i < index; i++)
        if (net_request_query_at(request, i, &other, &value) && span_eq(other, name))
            return true;
    return false;
}

int api_params_text(struct span value, char *ret, size_t size)
{
    if (value.size == 0 || value.size >= size || memchr(value.data, 0, value.size))
        return -EINVAL;
    memcpy(ret, value.data, value.size);
    ret[value.size] = 0;
    return 0;
}

int api_params_refuse_name(uint64_t groups, struct span name, const char *path,
                           struct err *err)
{
    AUTO(strbuf_done) struct strbuf names = STRBUF_INIT;
    for (size_t i = 0; i < api_param_count; i++)
        if (api_params[i].groups & groups)
            strbuf_addf(&names, "%s%s", names.size ? ", " : "", api_params[i].name);
    return err_set(err, EINVAL, "'" SPAN_FMT "' is not a parameter of %s (%s%s)",
                   SPAN_ARG(name), path, names.size ? "choose " : "it has none",
                   names.size ? strbuf_text(&names) : "");
}

/* How a time or a length of time is written, where the value is none; else NULL. */
static const char *missed_form(const struct api_param *param, struct span value)
{
    static const char *const lengths[] = { "last", "against", "window", "wait" };
    static const char *const times[] = { "from", "to", "at", "until" };
    int64_t ignored;
    if (strcmp(param->type, "string") != 0)
        return NULL;
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        if (strcmp(param->name, lengths[i]) == 0 &&
            number_parse_duration(value, &ignored) < 0)
            return "30s, 10m, 2h, 7d";
    for (size_t i = 0; i < COUNT_OF(times); i++)
        if (strcmp(param->name, times[i]) == 0 &&
            timetext_parse_user(value, clock_now_ns(), &ignored) < 0)
            return "2026-11-21T06:00Z, -2h, @1669010520, now";
    return NULL;
}

int api_params_refuse_value(uint64_t groups, struct span name, struct span value,
                            struct err *err)
{
    const char *help = "", *form = NULL;
    for (size_t i = 0; i < api_param_count; i++)
        if ((api_params[i].groups & groups) && span_is(name, api_params[i].name)) {
            help = api_params[i].help;
            form = missed_form(&api_params[i], value);
        }
    bool is_long = value.size > VALUE_SHOWN_MAX;
    if (is_long)
        value.size = VALUE_SHOWN_MAX;
    return err_set(err, EINVAL, SPAN_FMT ": invalid value '" SPAN_FMT "%s'%s%s%s",
                   SPAN_ARG(name), SPAN_ARG(value), is_long ? "..." : "",
                   form ? " (write it as " : ": ", form ? form : help, form ? ")" : "");
}
