/* SPDX-License-Identifier: Apache-2.0 */
/* datasets_page - the datasets that a job had mounted, on its page. */
#include "report/job/provenance/datasets_page.h"

#include "base/number.h"
#include "base/span.h"

/* As of digests elsewhere: so much of it distinguishes datasets. */
#define DIGEST_SHOWN 12

/* Texts that a user chose are in the text form: paths; names have no other bytes. */
static void mounted_print(const struct job_mounted *m, struct strbuf *out)
{
    strbuf_addf(out, "  %s  %.*s at %s on %s", m->name, DIGEST_SHOWN, m->digest,
                m->path, m->hosts);
    if (m->options[0] || m->is_private)
        strbuf_addf(out, "  %s%s%s", m->options,
                    m->options[0] && m->is_private ? "," : "",
                    m->is_private ? "private" : "");
    if (m->command[0])
        strbuf_addf(out, "  (%s)", m->command);
    strbuf_addc(out, '\n');
}

void datasets_list_print(const struct job_datasets *datasets, struct strbuf *out)
{
    size_t shown = datasets->count < DATASETS_SHOWN ? datasets->count : DATASETS_SHOWN;
    for (size_t i = 0; i < shown; i++)
        mounted_print(&datasets->items[i], out);
    if (shown < datasets->count)
        strbuf_addf(out, "  and %zu more (--output json has them)\n",
                    datasets->count - shown);
    if (datasets->hidden_count > 0)
        strbuf_addf(out, "  %zu private: which, its owner and administrators see.\n",
                    datasets->hidden_count);
    if (datasets->foreign_count > 0)
        strbuf_addf(out, "  %zu are left out: of hosts that are not its nodes.\n",
                    datasets->foreign_count);
}

static bool has_any(const struct job_datasets *datasets)
{
    return datasets->count > 0 || datasets->hidden_count > 0 ||
           datasets->foreign_count > 0;
}

void datasets_page_print(const struct job_datasets *datasets, struct strbuf *out)
{
    if (!has_any(datasets))
        return;
    strbuf_adds(out, "\nDatasets:\n");
    datasets_list_print(datasets, out);
}

static void mounted_json(const struct job_mounted *m, struct json_writer *w)
{
    const struct {
        const char *name, *text;
    } texts[] = {
        { "digest", m->digest },   { "name", m->name },       { "path", m->path },
        { "options", m->options }, { "command", m->command }, { "hosts", m->hosts },
    };
    json_object(w);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        json_key(w, texts[i].name);
        json_text(w, texts[i].text[0] ? texts[i].text : NULL);
    }
    json_key(w, "host_count");
    json_u64(w, m->host_count);
    json_key(w, "private");
    json_bool(w, m->is_private);
    json_key(w, "first_s");
    json_i64(w, m->first_ns / NS_PER_S);
    json_key(w, "last_s");
    json_i64(w, m->last_ns / NS_PER_S);
    json_object_end(w);
}

void datasets_json(const struct job_datasets *datasets, struct json_writer *w)
{
    if (!has_any(datasets))
        return;
    json_key(w, "datasets");
    json_object(w);
    json_key(w, "hidden");
    json_u64(w, datasets->hidden_count);
    json_key(w, "foreign");
    json_u64(w, datasets->foreign_count);
    json_key(w, "mounts");
    json_array(w);
    for (size_t i = 0; i < datasets->count; i++)
        mounted_json(&datasets->items[i], w);
    json_array_end(w);
    json_object_end(w);
}

/* ---- two jobs ---- */

static void only_mounted_print(const char *how, const struct job_mounted *m,
                               struct strbuf *out)
{
    strbuf_addf(out, "  %s %s  %.*s at %s\n", how, m->name, DIGEST_SHOWN, m->digest,
                m->path);
}

static void both_mounted_print(const struct job_mounted *a, const struct job_mounted *b,
                               struct strbuf *out)
{
    if (strcmp(a->digest, b->digest) == 0) {
        only_mounted_print("same", a, out);
        return;
    }
    strbuf_addf(out, "  changed %s  %.*s at %s, then ", a->name, DIGEST_SHOWN,
                a->digest, a->path);
    if (strcmp(a->name, b->name) != 0)
        strbuf_addf(out, "%s  ", b->name);
    strbuf_addf(out, "%.*s\n    " DATASETS_DIFF_COMMAND "%s %s\n", DIGEST_SHOWN,
                b->digest, a->digest, b->digest);
}

/* The next that is at another path, or another dataset: the same one may have been
 * mounted by several commands. */
static size_t next_mounted(const struct job_datasets *datasets, size_t at)
{
    const struct job_mounted *m = &datasets->items[at];
    do
        at++;
    while (at < datasets->count && strcmp(datasets->items[at].path, m->path) == 0 &&
           strcmp(datasets->items[at].digest, m->digest) == 0);
    return at;
}

void datasets_diff_print(const struct job_datasets *a, const struct job_datasets *b,
                         struct strbuf *out)
{
    size_t i = 0, j = 0;
    bool is_hidden = a->hidden_count > 0 || b->hidden_count > 0;
    if (a->count == 0 && b->count == 0 && !is_hidden)
        return;
    strbuf_adds(out, "\nDatasets:\n");
    while (i < a->count || j < b->count) {
        int order = i == a->count   ? 1
                    : j == b->count ? -1
                                    : strcmp(a->items[i].path, b->items[j].path);
        if (order < 0)
            only_mounted_print("gone", &a->items[i], out);
        else if (order > 0)
            only_mounted_print("added", &b->items[j], out);
        else
            both_mounted_print(&a->items[i], &b->items[j], out);
        i = order <= 0 ? next_mounted(a, i) : i;
        j = order >= 0 ? next_mounted(b, j) : j;
    }
    if (is_hidden)
        strbuf_adds(out, "  Private ones are compared for their owner and "
                         "administrators alone.\n");
}
