/* SPDX-License-Identifier: Apache-2.0 */
/* store_export - baro store export: samples out of a directory, or through barod. */
#include "cmd/store_export.h"

#include "base/clock.h"
#include "base/timetext.h"
#include "cmd/commands.h"
#include "cmd/export_cc.h"
#include "query/query.h"

#include <inttypes.h>
#include <stdio.h>

#define OPEN_TRIES 10
#define TO_END INT64_MAX

static void say(void *arg, enum metric_store_notice notice, const char *text)
{
    (void)arg;
    if (notice != STORE_INFO)
        fprintf(stderr, "baro store export: %s\n", text);
}

/* barod may be making checkpoints meanwhile. */
static int open_store(const char *dir, struct metric_store **ret, struct err *err)
{
    const struct metric_store_options options = {
        .dir = dir,
        .is_read_only = true,
        .report = say,
    };
    int rc = -EAGAIN;
    for (unsigned i = 0; rc == -EAGAIN && i < OPEN_TRIES; i++)
        rc = metric_store_open(&options, ret, err);
    return rc;
}

struct reading {
    struct metric_store *store;
    const struct export_args *args;
    struct export_text *text;
    int rc;
    uint64_t unreadable;
};

static int take_samples(void *arg, const int64_t *times, const double *values,
                        size_t count)
{
    struct reading *r = arg;
    for (size_t i = 0; r->rc == 0 && i < count; i++)
        r->rc = export_text_sample(r->text, times[i], values[i]);
    return r->rc;
}

static int write_series(struct reading *r, const struct level *level,
                        const struct level_series *s)
{
    const struct metric *metric = metric_at(metric_store_metrics(r->store), s->metric);
    struct span path = { level->path, level->path_size };
    struct metric_read read = { 0 };
    const struct metric_range range = { r->args->from_ns, r->args->to_ns, take_samples,
                                        r };
    if (!metric || !export_fits(metric->name, r->args->metric))
        return 0;
    int rc = export_text_series(r->text, path, metric->name);
    if (rc == -EINVAL)
        return 0;
    if (rc == 0)
        rc = metric_store_read(r->store, s, &range, &read);
    r->unreadable += read.unreadable;
    return rc;
}

static int write_tree(struct reading *r, size_t shard)
{
    struct level *root = metric_store_tree(r->store, shard)->root;
    int rc = 0;
    for (struct level *level = root; rc == 0 && level;
         level = level_next(level, root)) {
        const struct level_series *s =
            atomic_load_explicit(&level->series, memory_order_acquire);
        if (!s || !metric_path_fits((struct span){ level->path, level->path_size },
                                    span_of(r->args->component)))
            continue;
        for (; rc == 0 && s; s = s->next)
            rc = write_series(r, level, s);
    }
    return rc;
}

static int write_texts(struct metric_store *store, const struct export_args *args,
                       struct export_text *text, struct err *err)
{
    struct reading r = { .store = store, .args = args, .text = text };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < metric_store_shard_count(store); i++) {
        unsigned reader = metric_store_enter(store);
        rc = write_tree(&r, i);
        metric_store_leave(store, reader);
    }
    if (rc == 0)
        rc = export_text_end(text, err);
    if (r.unreadable > 0)
        fprintf(stderr,
                "baro store export: %" PRIu64 " damaged blocks are left out; see baro "
                "store verify\n",
                r.unreadable);
    return rc;
}

static int write_checkpoints(struct metric_store *store, const struct export_args *args,
                             struct err *err)
{
    struct export_cc cc = {
        .dir = args->out,
        .from_ns = args->from_ns,
        .to_ns = args->to_ns,
        .metric = args->metric,
        .component = span_of(args->component),
    };
    unsigned reader = metric_store_enter(store);
    int rc = export_cc(store, &cc, err);
    metric_store_leave(store, reader);
    if (rc < 0)
        return rc;
    fprintf(stderr,
            "baro store export: %" PRIu64 " samples of %" PRIu64 " series in %" PRIu64
            " files\n",
            cc.samples, cc.series, cc.files);
    if (cc.unsaid_series > 0)
        fprintf(stderr,
                "baro store export: %" PRIu64 " series are left out: they have no step "
                "of whole seconds, or are of no host that a directory can be named "
                "after\n",
                cc.unsaid_series);
    if (cc.overwritten > 0)
        fprintf(stderr,
                "baro store export: %" PRIu64
                " samples gave their slot to a later one\n",
                cc.overwritten);
    return 0;
}

static void say_unsaid(const struct export_text *text)
{
    if (text->unsaid_series > 0)
        fprintf(stderr,
                "baro store export: %" PRIu64 " series are left out: line protocol has "
                "no word for their names, or they are of no host; csv has all\n",
                text->unsaid_series);
    if (text->unsaid_values > 0)
        fprintf(stderr,
                "baro store export: %" PRIu64 " infinite values are left out: line "
                "protocol has no word for them; csv has\n",
                text->unsaid_values);
}

static int choose(const char *what, const char *text, const char *const *names,
                  int *ret, struct err *err)
{
    for (*ret = 0; names[*ret]; (*ret)++) {
        if (strcmp(names[*ret], text) == 0)
            return 0;
    }
    return err_set(err, EINVAL, "%s: '%s' is none of %s, %s, %s", what, text, names[0],
                   names[1], names[2]);
}

static int read_time(const char *what, const char *text, int64_t *ret, struct err *err)
{
    if (text && timetext_parse_user(span_of(text), clock_now_ns(), ret) < 0)
        return err_set(err, EINVAL, "%s: '%s' is no time", what, text);
    return 0;
}

static int read_args(struct export_args *args, int operand_count, char **operands,
                     struct export_text *text, struct err *err)
{
    static const char *const forms[] = { "line", "csv", "cc", NULL };
    static const char *const times[] = { "auto", "s", "ns", NULL };
    int form = 0, unit = 0;
    int rc =
        choose("--format", args->format ? args->format : "line", forms, &form, err);
    if (rc == 0)
        rc = choose("--times", args->times ? args->times : "auto", times, &unit, err);
    args->to_ns = TO_END;
    if (rc == 0)
        rc = read_time("--from", args->client.from, &args->from_ns, err);
    if (rc == 0)
        rc = read_time("--to", args->client.to, &args->to_ns, err);
    if (rc < 0)
        return rc;
    if ((operand_count == 1) == (args->client.endpoint.server != NULL))
        return err_set(err, EINVAL, "a DIRECTORY, or --server; see --help");
    args->dir = operand_count == 1 ? operands[0] : NULL;
    args->is_cc = form == 2;
    if (args->is_cc && (!args->out || !args->dir))
        return err_set(err, EINVAL,
                       "--format cc: out of a DIRECTORY, into that of --out; barod may "
                       "have the first open");
    if (!args->is_cc && args->out)
        return err_set(err, EINVAL, "--out: is for --format cc; else use >FILE");
    args->metric = args->metric ? args->metric : "*";
    args->component = args->component ? args->component : "";
    text->form = form == 1 ? EXPORT_CSV : EXPORT_LINE;
    text->times = (enum export_times)unit;
    return 0;
}

static int export(const struct export_args *args, struct export_text *text,
                  struct err *err)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    if (!args->is_cc)
        export_text_begin(text);
    if (!args->dir)
        return export_server(args, text, err);
    int rc = open_store(args->dir, &store, err);
    if (rc < 0)
        return rc;
    return args->is_cc ? write_checkpoints(store, args, err)
                       : write_texts(store, args, text, err);
}

static int run(void *arg, int operand_count, char **operands)
{
    struct export_args *args = arg;
    AUTO(export_text_done) struct export_text text = { 0 };
    struct err err = { 0 };
    int rc = read_args(args, operand_count, operands, &text, &err);
    if (rc < 0) {
        fprintf(stderr, "baro store export: %s\n", err.text);
        return EXIT_USAGE;
    }
    rc = export(args, &text, &err);
    say_unsaid(&text);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro store export: %s\n", err.text[0] ? err.text : strerror(-rc));
    return err_exit_status(rc);
}

#define FIELD(field) offsetof(struct export_args, field)

static const struct option options[] = {
    { "format", 'f', OPTION_TEXT, FIELD(format), "FORM",
      "line (default): line protocol; csv; cc: checkpoints of cc-metric-store." },
    { "metric", 'm', OPTION_TEXT, FIELD(metric), "PATTERNS",
      "Only metrics that fit one of these: 'cpu_*,flops'." },
    { "component", 'c', OPTION_TEXT, FIELD(component), "PATTERN",
      "Only components that fit, level by level: 'alex/a09*/hwthread:*'." },
    { "from", 0, OPTION_TEXT, FIELD(client.from), "TIME",
      "Only samples from then on: 2026-11-21T06:00Z, -2h, @1669010520." },
    { "to", 0, OPTION_TEXT, FIELD(client.to), "TIME", "Only samples before." },
    { "times", 0, OPTION_TEXT, FIELD(times), "UNIT",
      "In line protocol: auto (default; seconds where they are whole, else ns), s, "
      "ns." },
    { "out", 'o', OPTION_TEXT, FIELD(out), "DIRECTORY",
      "Where checkpoints go, with --format cc." },
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_store_export = {
    .name = "store export",
    .operands = "[DIRECTORY]",
    .help = "Samples of a metric store as line protocol, CSV or checkpoints.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct export_args),
    .run = run,
    .prints_data = true,
    .details = "A directory is read as it is, also while barod has it open, and gives "
               "each sample with the time it was stored with.  Through --server comes "
               "what /v1/query gives.\n",
};
