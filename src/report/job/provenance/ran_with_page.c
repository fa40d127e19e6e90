/* SPDX-License-Identifier: Apache-2.0 */
/* ran_with_page - what a job ran with, on its page, and in what two jobs differ. */
#include "report/job/provenance/ran_with_page.h"

#include "base/span.h"

static const char *const many[JOB_FILE_KIND_COUNT] = {
    [JOB_FILE_EXECUTABLE] = "executables",
    [JOB_FILE_LIBRARY] = "libraries",
    [JOB_FILE_READ] = "files that it read",
    [JOB_FILE_WRITTEN] = "files that it wrote",
};

/* As of digests elsewhere: so much of it distinguishes builds. */
#define BUILD_ID_SHOWN 12

static void build_id_print(const char *build_id, struct strbuf *out)
{
    strbuf_addf(out, "build %.*s", BUILD_ID_SHOWN, build_id);
}

static void size_print(int64_t size, struct strbuf *out)
{
    if (size >= 0)
        strbuf_addf(out, "%lld bytes", (long long)size);
    else
        strbuf_adds(out, "size not known");
}

/* Names are in the text form. */
static void ran_file_print(const struct job_ran_file *file, struct strbuf *out)
{
    strbuf_adds(out, "    ");
    strbuf_adds(out, file->name);
    strbuf_adds(out, "  ");
    if (file->build_id[0])
        build_id_print(file->build_id, out);
    else
        size_print(file->size, out);
    strbuf_addc(out, '\n');
}

static void ran_kind_print(const struct job_ran_with *ran, enum job_file_kind kind,
                           struct strbuf *out)
{
    size_t shown = 0;
    if (ran->counts[kind] == 0)
        return;
    strbuf_addf(out, "  %zu %s:\n", ran->counts[kind], many[kind]);
    for (size_t i = 0; i < ran->count && shown < RAN_WITH_SHOWN; i++) {
        if (ran->items[i].kind != kind)
            continue;
        ran_file_print(&ran->items[i], out);
        shown++;
    }
    if (shown < ran->counts[kind])
        strbuf_addf(out, "    and %zu more (--output json has them)\n",
                    ran->counts[kind] - shown);
}

static void hidden_print(const struct job_ran_with *ran, struct strbuf *out)
{
    const char *between = "";
    strbuf_adds(out, "\nRan with: ");
    for (enum job_file_kind kind = 0; kind < JOB_FILE_MORE; kind++) {
        if (ran->counts[kind] == 0)
            continue;
        strbuf_addf(out, "%s%zu %s", between, ran->counts[kind], many[kind]);
        between = ", ";
    }
    strbuf_adds(out, "; which, its owner alone sees.\n");
}

void ran_with_print(const struct job_ran_with *ran, struct strbuf *out)
{
    if (!ran->is_known)
        return;
    if (ran->is_hidden) {
        hidden_print(ran, out);
        return;
    }
    strbuf_adds(out,
                "\nRan with, as samples of its processes saw (you alone see it):\n");
    for (enum job_file_kind kind = 0; kind < JOB_FILE_MORE; kind++)
        ran_kind_print(ran, kind, out);
    if (ran->counts[JOB_FILE_MORE] > 0)
        strbuf_adds(out, "  More was open than is recorded.\n");
}

void ran_with_json(const struct job_ran_with *ran, struct json_writer *w)
{
    if (!ran->is_known)
        return;
    json_key(w, "ran_with");
    json_object(w);
    for (enum job_file_kind kind = 0; kind < JOB_FILE_MORE; kind++) {
        json_key(w, job_file_kind_name(kind));
        json_u64(w, ran->counts[kind]);
    }
    json_key(w, "is_whole");
    json_bool(w, ran->counts[JOB_FILE_MORE] == 0);
    for (size_t i = 0; !ran->is_hidden && i < ran->count; i++) {
        const struct job_ran_file *file = &ran->items[i];
        if (i == 0) {
            json_key(w, "files");
            json_array(w);
        }
        json_object(w);
        json_key(w, "kind");
        json_text(w, job_file_kind_name(file->kind));
        json_key(w, "name");
        json_text(w, file->name);
        json_key(w, "build_id");
        json_text(w, file->build_id[0] ? file->build_id : NULL);
        json_key(w, "size");
        if (file->size >= 0)
            json_i64(w, file->size);
        else
            json_null(w);
        json_key(w, "changed_s");
        json_i64(w, file->mtime_s);
        json_object_end(w);
        if (i + 1 == ran->count)
            json_array_end(w);
    }
    json_object_end(w);
}

/* ---- two jobs ---- */

struct diff_print {
    struct strbuf *out;
    size_t count;
};

static void line_begin(struct diff_print *d, const char *how,
                       const struct job_ran_file *file)
{
    strbuf_addf(d->out, "  %s %s %s  ", how, job_file_kind_name(file->kind),
                file->name);
}

static void only_print(struct diff_print *d, const char *how,
                       const struct job_ran_file *file)
{
    if (d->count++ >= RAN_WITH_DIFF_SHOWN)
        return;
    line_begin(d, how, file);
    if (file->build_id[0])
        build_id_print(file->build_id, d->out);
    else
        size_print(file->size, d->out);
    strbuf_addc(d->out, '\n');
}

static void changed_print(struct diff_print *d, const struct job_ran_file *a,
                          const struct job_ran_file *b)
{
    bool has_ids = a->build_id[0] && b->build_id[0];
    if (has_ids ? strcmp(a->build_id, b->build_id) == 0
                : a->size == b->size && a->mtime_s == b->mtime_s)
        return;
    if (d->count++ >= RAN_WITH_DIFF_SHOWN)
        return;
    line_begin(d, "changed", a);
    if (has_ids) {
        build_id_print(a->build_id, d->out);
        strbuf_adds(d->out, ", then ");
        build_id_print(b->build_id, d->out);
    } else if (a->size != b->size) {
        size_print(a->size, d->out);
        strbuf_adds(d->out, ", then ");
        size_print(b->size, d->out);
    } else {
        strbuf_adds(d->out, "of another time");
    }
    strbuf_addc(d->out, '\n');
}

static int names_compare(const struct job_ran_file *a, const struct job_ran_file *b)
{
    int order = (a->kind > b->kind) - (a->kind < b->kind);
    return order ? order : strcmp(a->name, b->name);
}

/* Both in the order of kind and name: of several builds of one name each goes with the
 * one in its place. */
void ran_with_diff_print(const struct job_ran_with *a, const struct job_ran_with *b,
                         struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    struct diff_print d = { &lines, 0 };
    size_t i = 0, j = 0;
    if (!a->is_known || !b->is_known || a->is_hidden || b->is_hidden)
        return;
    while (i < a->count || j < b->count) {
        int order = i == a->count   ? 1
                    : j == b->count ? -1
                                    : names_compare(&a->items[i], &b->items[j]);
        if (order < 0)
            only_print(&d, "gone", &a->items[i++]);
        else if (order > 0)
            only_print(&d, "added", &b->items[j++]);
        else
            changed_print(&d, &a->items[i++], &b->items[j++]);
    }
    if (d.count == 0) {
        strbuf_adds(out,
                    "\nBoth ran with the same executables, libraries and files.\n");
        return;
    }
    strbuf_addf(out, "\nRan with otherwise: %zu.\n", d.count);
    strbuf_add_span(out, strbuf_span(&lines));
    if (d.count > RAN_WITH_DIFF_SHOWN)
        strbuf_addf(out, "  and %zu more\n", d.count - RAN_WITH_DIFF_SHOWN);
}
