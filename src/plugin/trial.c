/* SPDX-License-Identifier: Apache-2.0 */
/* trial - plugins tried by hand. */
#include "plugin/trial.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "plugin/contribution.h"

#include <stdio.h>
#include <sys/stat.h>

#define SETTLE_NS (10 * NS_PER_S)

struct trial {
    struct bundle bundle; /* of the step: what source contributed */
    struct plugin_host *host;
    struct table *table; /* NULL: only counted */
    uint64_t step, failed, samples;
    uint64_t instructions_max, memory_max;
};

enum {
    COLUMN_STEP,
    COLUMN_KIND,
    COLUMN_NAME,
    COLUMN_OF,
    COLUMN_VALUE,
    COLUMN_UNIT,
    COLUMN_TEXT
};

/* ---- yields as rows ---- */

static void row_begin(struct trial *t, const char *kind, struct span name)
{
    table_add_row(t->table);
    table_set_u64(t->table, COLUMN_STEP, t->step);
    table_set_text(t->table, COLUMN_KIND, span_of(kind));
    table_set_text(t->table, COLUMN_NAME, name);
}

static void on_trial_sample(void *arg, const struct plugin_sample *s)
{
    struct trial *t = arg;
    t->samples++;
    if (!t->table)
        return;
    AUTO(strbuf_done) struct strbuf of = STRBUF_INIT;
    if (s->type.size)
        strbuf_addf(&of, SPAN_FMT ":" SPAN_FMT, SPAN_ARG(s->type), SPAN_ARG(s->id));
    if (s->subtype.size)
        strbuf_addf(&of, "/" SPAN_FMT ":" SPAN_FMT, SPAN_ARG(s->subtype),
                    SPAN_ARG(s->subid));
    row_begin(t, "sample", span_of(s->metric->name));
    table_set_text(t->table, COLUMN_OF, strbuf_span(&of));
    table_set_double(t->table, COLUMN_VALUE, s->value);
    table_set_text(t->table, COLUMN_UNIT, span_of(s->metric->unit));
}

static void on_trial_event(void *arg, const struct plugin_event *e)
{
    struct trial *t = arg;
    if (!t->table)
        return;
    row_begin(t, "event", span_of(e->name));
    table_set_text(t->table, COLUMN_OF, span_of(plugin_severity_name(e->severity)));
    table_set_text(t->table, COLUMN_TEXT, e->text);
}

static void on_trial_contribution(void *arg, const struct plugin_contribution *c)
{
    struct trial *t = arg;
    (void)plugin_contribute(c, "", 0, &t->bundle); /* of a sink: it is dropped */
    if (!t->table)
        return;
    row_begin(t, "contribution", c->name);
    table_set_text(t->table, COLUMN_OF, span_of(plugin_merge_name(c->merge)));
    if (c->text.size)
        table_set_text(t->table, COLUMN_TEXT, c->text);
    else
        table_set_double(t->table, COLUMN_VALUE, c->value);
}

static void on_trial_health(void *arg, const struct plugin_health *h)
{
    static const char *const names[PLUGIN_STATE_COUNT] = { "up", "degraded", "down",
                                                           "unknown" };
    struct trial *t = arg;
    if (!t->table)
        return;
    row_begin(t, "health", span_of(h->component));
    table_set_text(t->table, COLUMN_OF, span_of(names[h->state]));
    table_set_text(t->table, COLUMN_TEXT, h->reason);
}

static void on_trial_note(void *arg, const struct plugin_when *when, struct span text)
{
    struct trial *t = arg;
    (void)when;
    if (!t->table)
        return;
    row_begin(t, "print", (struct span){ "", 0 });
    table_set_text(t->table, COLUMN_TEXT, text);
}

static void on_trial_done(void *arg, const struct plugin_done *d)
{
    struct trial *t = arg;
    t->failed += d->outcome != FRAME_FINE;
    if (d->instructions > t->instructions_max)
        t->instructions_max = d->instructions;
    if (d->memory_bytes > t->memory_max)
        t->memory_max = d->memory_bytes;
    if (!t->table)
        return;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "%llu instructions, %llu bytes",
                (unsigned long long)d->instructions,
                (unsigned long long)d->memory_bytes);
    if (d->dropped)
        strbuf_addf(&text, ", %u yields dropped", (unsigned)d->dropped);
    if (d->text.size)
        strbuf_addf(&text, ": " SPAN_FMT, SPAN_ARG(d->text));
    row_begin(t, "call", span_of(plugin_function_name(d->when.function)));
    table_set_text(t->table, COLUMN_OF, span_of(frame_outcome_name(d->outcome)));
    table_set_double(t->table, COLUMN_VALUE, (double)d->cpu_ns / (double)NS_PER_S);
    table_set_text(t->table, COLUMN_UNIT, SPAN("s"));
    table_set_text(t->table, COLUMN_TEXT, strbuf_span(&text));
}

/* ---- loading ---- */

static int trial_open(const struct trial_opts *opts, struct trial *t, struct err *err)
{
    struct host_opts host = host_opts_default;
    host.program = opts->program;
    host.root = opts->root_count ? opts->roots[0] : "";
    host.reads = opts->reads;
    host.read_count = opts->read_count;
    host.deadline_ns = SETTLE_NS;
    host.strikes_max = UINT32_MAX; /* all steps are shown */
    host.yields = (struct plugin_yields){ on_trial_sample,
                                          on_trial_event,
                                          on_trial_contribution,
                                          on_trial_health,
                                          on_trial_note,
                                          on_trial_done,
                                          t };
    int rc = host_new(&host, &t->host);
    return rc < 0 ? err_set(err, -rc, "%s", strerror(-rc)) : 0;
}

static int file_load(struct trial *t, const char *file, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(file, FRAME_SOURCE_MAX, &text, err);
    if (rc == -EMSGSIZE)
        return err_set(err, EMSGSIZE, "%s: more than %d bytes", file, FRAME_SOURCE_MAX);
    if (rc == 0)
        rc = host_load(t->host, file, strbuf_span(&text), err);
    if (rc == 0)
        host_settle(t->host, 2 * SETTLE_NS);
    return rc;
}

/* The one plugin; err where it is refused. */
static int trial_load(const struct trial_opts *opts, const char *file, struct trial *t,
                      struct host_plugin *ret, struct err *err)
{
    int rc = trial_open(opts, t, err);
    if (rc == 0)
        rc = file_load(t, file, err);
    if (rc < 0)
        return rc;
    host_plugin_at(t->host, 0, ret);
    if (ret->state == HOST_READY)
        return 0;
    return err_set(err, EINVAL, "%s: %s", file,
                   ret->why && *ret->why ? ret->why
                                         : "the process that loads it has ended");
}

/* As the control node of a session of one node calls it. */
static int trial_sink(struct trial *t, const struct host_plugin *plugin, uint64_t epoch,
                      int64_t t_ns)
{
    AUTO(plugin_inputs_done) struct plugin_inputs inputs = { 0 };
    int rc = plugin_inputs_make(&t->bundle, plugin->manifest->name,
                                host_opts_default.memory_bytes, &inputs);
    if (rc < 0)
        return rc;
    const struct plugin_call call = { .function = PLUGIN_SINK,
                                      .epoch = epoch,
                                      .t_ns = t_ns,
                                      .inputs = inputs.items,
                                      .input_count = inputs.count };
    rc = host_call(t->host, plugin->file, &call);
    if (rc == 0)
        host_settle(t->host, 2 * SETTLE_NS);
    return rc;
}

static void trial_run(const struct trial_opts *opts, struct trial *t,
                      const struct host_plugin *plugin)
{
    const struct plugin_manifest *m = plugin->manifest;
    for (uint64_t i = 0; i < opts->steps; i++) {
        t->step = i + 1;
        if (i > 0 && i < opts->root_count)
            host_set_root(t->host, opts->roots[i]);
        uint64_t epoch = (i + 1) * m->period;
        int64_t t_ns = opts->t_ns + (int64_t)i * opts->step_ns;
        bundle_done(&t->bundle);
        int rc = bundle_begin(&t->bundle, 0);
        (void)host_trigger(t->host, epoch, t_ns);
        host_settle(t->host, 2 * SETTLE_NS);
        if (rc == 0 && m->functions & 1U << PLUGIN_SINK)
            rc = trial_sink(t, plugin, epoch, t_ns);
        t->failed += rc < 0;
    }
}

static void trial_done(struct trial *t)
{
    bundle_done(&t->bundle);
    host_free(t->host);
}
DEFINE_AUTO_DONE(struct trial, trial_done);

/* ---- the door ---- */

int trial_test(const struct trial_opts *opts, const char *file, struct table *ret,
               uint64_t *ret_failed, struct err *err)
{
    AUTO(trial_done) struct trial t = { .table = ret };
    struct host_plugin plugin;
    struct host_counts counts;
    int rc = trial_load(opts, file, &t, &plugin, err);
    if (rc < 0)
        return rc;
    table_add_column(ret, "step", TABLE_U64, "");
    table_add_column(ret, "kind", TABLE_TEXT, "");
    table_add_column(ret, "name", TABLE_TEXT, "");
    table_add_column(ret, "of", TABLE_TEXT, "");
    table_add_column(ret, "value", TABLE_DOUBLE, "");
    table_add_column(ret, "unit", TABLE_TEXT, "");
    table_add_column(ret, "text", TABLE_TEXT, "");
    trial_run(opts, &t, &plugin);
    host_plugin_at(t.host, 0, &plugin);
    host_count(t.host, &counts);
    if (plugin.refused_count)
        table_add_note(ret, "it does not get %zu of the files that it reads",
                       plugin.refused_count);
    if (plugin.file_count == 0 && plugin.manifest->read_count)
        table_add_note(ret, "none of the files that it reads is there");
    if (counts.kills)
        table_add_note(ret, "its process was ended %llu times",
                       (unsigned long long)counts.kills);
    *ret_failed = t.failed + counts.kills;
    return 0;
}

int trial_bench(const struct trial_opts *opts, const char *file, struct table *ret,
                struct err *err)
{
    AUTO(trial_done) struct trial t = { 0 };
    struct host_plugin p;
    int rc = trial_load(opts, file, &t, &p, err);
    if (rc < 0)
        return rc;
    trial_run(opts, &t, &p);
    host_plugin_at(t.host, 0, &p);
    table_add_column(ret, "plugin", TABLE_TEXT, "");
    table_add_column(ret, "calls", TABLE_U64, "");
    table_add_column(ret, "failures", TABLE_U64, "");
    table_add_column(ret, "cpu", TABLE_DOUBLE, "s");
    table_add_column(ret, "samples", TABLE_DOUBLE, "");
    table_add_column(ret, "instructions_max", TABLE_U64, "");
    table_add_column(ret, "memory_max", TABLE_U64, "bytes");
    table_add_row(ret);
    table_set_text(ret, 0, span_of(p.manifest->name));
    table_set_u64(ret, 1, p.calls);
    table_set_u64(ret, 2, p.failures);
    if (p.calls) {
        table_set_double(ret, 3, (double)p.cpu_ns / (double)NS_PER_S / (double)p.calls);
        table_set_double(ret, 4, (double)t.samples / (double)p.calls);
    }
    table_set_u64(ret, 5, t.instructions_max);
    table_set_u64(ret, 6, t.memory_max);
    table_add_note(ret, "cpu and samples: of one call, on average");
    return 0;
}

static void show_row(struct table *table, const char *field, const char *value,
                     const char *more)
{
    table_add_row(table);
    table_set_text(table, 0, span_of(field));
    table_set_text(table, 1, span_of(value));
    if (more && *more)
        table_set_text(table, 2, span_of(more));
}

static void digest_print(const struct plugin_manifest *m,
                         char out[2 * PLUGIN_DIGEST_BYTES + 1])
{
    for (size_t i = 0; i < PLUGIN_DIGEST_BYTES; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", m->digest[i]);
}

static void functions_print(const struct plugin_manifest *m, struct strbuf *out)
{
    for (unsigned i = 0; i < PLUGIN_FUNCTION_COUNT; i++)
        if (m->functions & 1U << i)
            strbuf_addf(out, "%s%s", out->size ? " " : "",
                        plugin_function_name((enum plugin_function)i));
}

int trial_show(const struct trial_opts *opts, const char *file, struct table *ret,
               struct err *err)
{
    AUTO(trial_done) struct trial t = { 0 };
    AUTO(strbuf_done) struct strbuf functions = STRBUF_INIT;
    struct host_plugin p;
    char digest[2 * PLUGIN_DIGEST_BYTES + 1], period[NUMBER_DIGITS_MAX + 1];
    int rc = trial_load(opts, file, &t, &p, err);
    if (rc < 0)
        return rc;
    const struct plugin_manifest *m = p.manifest;
    table_add_column(ret, "field", TABLE_TEXT, "");
    table_add_column(ret, "value", TABLE_TEXT, "");
    table_add_column(ret, "more", TABLE_TEXT, "");
    digest_print(m, digest);
    functions_print(m, &functions);
    period[number_print_u64(period, m->period)] = '\0';
    show_row(ret, "name", m->name, NULL);
    show_row(ret, "version", m->version, NULL);
    show_row(ret, "digest", digest, NULL);
    show_row(ret, "functions", strbuf_text(&functions), NULL);
    show_row(ret, "period", period, "triggers");
    for (size_t i = 0; i < m->role_count; i++)
        show_row(ret, "role", m->roles[i], NULL);
    for (size_t i = 0; i < m->read_count; i++)
        show_row(ret, "reads", m->reads[i], NULL);
    for (size_t i = 0; i < m->metric_count; i++) {
        char more[64];
        (void)snprintf(more, sizeof more, "%s%s%s", m->metrics[i].unit,
                       m->metrics[i].unit[0] ? ", " : "",
                       m->metrics[i].is_counter ? "counter" : "gauge");
        show_row(ret, "metric", m->metrics[i].name, more);
    }
    for (size_t i = 0; i < m->event_count; i++)
        show_row(ret, "event", m->events[i].name,
                 plugin_severity_name(m->events[i].severity));
    for (size_t i = 0; i < m->health_count; i++)
        show_row(ret, "health", m->healths[i], NULL);
    return 0;
}

static void list_row(struct table *table, const char *file, const struct host_plugin *p,
                     const char *why)
{
    AUTO(strbuf_done) struct strbuf functions = STRBUF_INIT;
    char digest[2 * PLUGIN_DIGEST_BYTES + 1];
    table_add_row(table);
    table_set_text(table, 5, span_of(file));
    if (why) {
        table_set_text(table, 6, span_of(why));
        return;
    }
    functions_print(p->manifest, &functions);
    digest_print(p->manifest, digest);
    table_set_text(table, 0, span_of(p->manifest->name));
    table_set_text(table, 1, span_of(p->manifest->version));
    table_set_text(table, 2, strbuf_span(&functions));
    table_set_u64(table, 3, p->manifest->metric_count);
    table_set_text(table, 4, (struct span){ digest, 12 });
}

static int list_file(const struct trial_opts *opts, const char *file, struct table *ret)
{
    AUTO(trial_done) struct trial t = { 0 };
    struct host_plugin plugin;
    struct err why = { 0 };
    int rc = trial_load(opts, file, &t, &plugin, &why);
    struct span text = span_of(why.text);
    if (rc < 0 && span_starts(text, file) &&
        span_starts(span_skip(text, strlen(file)), ": "))
        text = span_skip(text, strlen(file) + 2);
    list_row(ret, file, &plugin, rc < 0 ? text.data : NULL);
    return rc;
}

static int is_plugin(const struct dirent *entry)
{
    return span_ends(span_of(entry->d_name), ".lua");
}

static int list_dir(const struct trial_opts *opts, const char *dir, struct table *ret,
                    struct err *err)
{
    struct dirent **entries;
    int count = scandir(dir, &entries, is_plugin, alphasort);
    if (count < 0)
        return err_set(err, errno, "%s: %s", dir, strerror(errno));
    for (int i = 0; i < count; i++) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        strbuf_addf(&path, "%s/%s", dir, entries[i]->d_name);
        free(entries[i]);
        (void)list_file(opts, strbuf_text(&path), ret);
    }
    free((void *)entries);
    return 0;
}

int trial_list(const struct trial_opts *opts, const char *const *paths, size_t count,
               struct table *ret, struct err *err)
{
    table_add_column(ret, "plugin", TABLE_TEXT, "");
    table_add_column(ret, "version", TABLE_TEXT, "");
    table_add_column(ret, "functions", TABLE_TEXT, "");
    table_add_column(ret, "metrics", TABLE_U64, "");
    table_add_column(ret, "digest", TABLE_TEXT, "");
    table_add_column(ret, "file", TABLE_TEXT, "");
    table_add_column(ret, "refused", TABLE_TEXT, "");
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        if (stat(paths[i], &status) < 0)
            return err_set(err, errno, "%s: %s", paths[i], strerror(errno));
        int rc = S_ISDIR(status.st_mode) ? list_dir(opts, paths[i], ret, err) : 0;
        if (rc < 0)
            return rc;
        if (!S_ISDIR(status.st_mode))
            (void)list_file(opts, paths[i], ret);
    }
    return 0;
}
