/* SPDX-License-Identifier: Apache-2.0 */
/* ran_with_page - what a job ran with, on its page, and in what two jobs differ. */
#include "report/job/provenance/ran_with_page.h"

#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

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

static void build_print(const struct job_ran_file *file, struct strbuf *out)
{
    if (file->build_id[0])
        build_id_print(file->build_id, out);
    else if (file->version[0])
        strbuf_addf(out, "version %.*s", BUILD_ID_SHOWN, file->version);
    else
        size_print(file->size, out);
}

/* Names are in the text form. */
static void ran_file_print(const struct job_ran_file *file, struct strbuf *out)
{
    strbuf_adds(out, "    ");
    strbuf_adds(out, file->name);
    strbuf_adds(out, "  ");
    build_print(file, out);
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

static void unseen_hosts_print(const struct job_ran_with *ran, struct strbuf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < ran->host_count; i++) {
        char text[TIMETEXT_SIZE];
        const struct job_ran_host *host = &ran->hosts[i];
        if (host->has_ended || count++ >= RAN_WITH_HOSTS_SHOWN)
            continue;
        (void)timetext_print(text, host->last_ns / NS_PER_S * NS_PER_S);
        strbuf_addf(out, "  %s was not heard of since %s, nor that it has ended.\n",
                    host->name, text);
    }
    if (count > RAN_WITH_HOSTS_SHOWN)
        strbuf_addf(out, "  Nor were %zu more nodes.\n", count - RAN_WITH_HOSTS_SHOWN);
}

/* What is missing. */
static void rest_print(const struct job_ran_with *ran, struct strbuf *out)
{
    if (ran->counts[JOB_FILE_MORE] > 0)
        strbuf_adds(out, "  More was open than is recorded.\n");
    if (ran->missing == 1)
        strbuf_addf(out, "  On its node %s no session read.\n", ran->missing_at);
    else if (ran->missing > 1)
        strbuf_addf(out, "  On %zu of its nodes no session read; the first is %s.\n",
                    ran->missing, ran->missing_at);
    unseen_hosts_print(ran, out);
    if (ran->foreign > 0)
        strbuf_addf(out, "  %zu are left out: of hosts that are not its nodes.\n",
                    ran->foreign);
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
    rest_print(ran, out);
}

static void hosts_json(const struct job_ran_with *ran, struct json_writer *w)
{
    json_key(w, "hosts");
    json_array(w);
    for (size_t i = 0; i < ran->host_count; i++) {
        json_object(w);
        json_key(w, "host");
        json_text(w, ran->hosts[i].name);
        json_key(w, "until");
        json_seconds(w, ran->hosts[i].last_ns);
        json_key(w, "has_ended");
        json_bool(w, ran->hosts[i].has_ended);
        json_object_end(w);
    }
    json_array_end(w);
    json_key(w, "missing_nodes");
    json_u64(w, ran->missing);
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
    json_bool(w, job_ran_with_is_whole(ran));
    if (!ran->is_hidden)
        hosts_json(ran, w);
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
        json_key(w, "version");
        json_text(w, file->version[0] ? file->version : NULL);
        json_key(w, "size");
        if (file->size >= 0)
            json_i64(w, file->size);
        else
            json_null(w);
        json_key(w, "changed_s");
        if (file->mtime_s > 0)
            json_i64(w, file->mtime_s);
        else
            json_null(w);
        json_object_end(w);
        if (i + 1 == ran->count)
            json_array_end(w);
    }
    json_object_end(w);
}

/* ---- two jobs ---- */

struct diff_print {
    struct strbuf *out;
    size_t count;   /* differences */
    size_t unknown; /* files of which it is not known */
    const char *only_first, *only_second;
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
    if (++d->count + d->unknown > RAN_WITH_DIFF_SHOWN)
        return;
    line_begin(d, how, file);
    build_print(file, d->out);
    strbuf_addc(d->out, '\n');
}

enum likeness { LIKE_SAME, LIKE_OTHER, LIKE_UNKNOWN };

/* What is not known of both is no equality. */
static enum likeness compare_files(const struct job_ran_file *a,
                                   const struct job_ran_file *b)
{
    if (a->build_id[0] && b->build_id[0])
        return strcmp(a->build_id, b->build_id) == 0 ? LIKE_SAME : LIKE_OTHER;
    if (a->version[0] && b->version[0])
        return strcmp(a->version, b->version) == 0 ? LIKE_SAME : LIKE_OTHER;
    bool has_sizes = a->size >= 0 && b->size >= 0;
    bool has_times = a->mtime_s > 0 && b->mtime_s > 0;
    if ((has_sizes && a->size != b->size) || (has_times && a->mtime_s != b->mtime_s))
        return LIKE_OTHER;
    bool is_known = has_sizes && has_times && !a->build_id[0] && !b->build_id[0];
    return is_known ? LIKE_SAME : LIKE_UNKNOWN;
}

static void changed_print(struct diff_print *d, const struct job_ran_file *a,
                          const struct job_ran_file *b)
{
    enum likeness like = compare_files(a, b);
    if (like == LIKE_SAME)
        return;
    d->unknown += like == LIKE_UNKNOWN;
    d->count += like == LIKE_OTHER;
    if (d->count + d->unknown > RAN_WITH_DIFF_SHOWN)
        return;
    line_begin(d, like == LIKE_OTHER ? "changed" : "unclear", a);
    if (like == LIKE_UNKNOWN) {
        strbuf_adds(d->out, "not known whether it is the same\n");
        return;
    }
    bool is_of_time = !(a->build_id[0] && b->build_id[0]) &&
                      !(a->version[0] && b->version[0]) && a->size == b->size;
    if (is_of_time) {
        strbuf_adds(d->out, "of another time\n");
        return;
    }
    build_print(a, d->out);
    strbuf_adds(d->out, ", then ");
    build_print(b, d->out);
    strbuf_addc(d->out, '\n');
}

static int names_compare(const struct job_ran_file *a, const struct job_ran_file *b)
{
    int order = (a->kind > b->kind) - (a->kind < b->kind);
    return order ? order : strcmp(a->name, b->name);
}

static void pairs_print(struct diff_print *d, const struct job_ran_with *a,
                        const struct job_ran_with *b)
{
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count   ? 1
                    : j == b->count ? -1
                                    : names_compare(&a->items[i], &b->items[j]);
        if (order < 0)
            only_print(d, d->only_first, &a->items[i++]);
        else if (order > 0)
            only_print(d, d->only_second, &b->items[j++]);
        else
            changed_print(d, &a->items[i++], &b->items[j++]);
    }
}

static void not_whole_print(bool is_whole_a, bool is_whole_b, struct strbuf *out)
{
    if (!is_whole_a || !is_whole_b)
        strbuf_addf(out,
                    "  Of %s not all is known: the jobs' pages state what is not.\n",
                    is_whole_a   ? "the second"
                    : is_whole_b ? "the first"
                                 : "both");
}

/* Both in the order of kind and name: of several builds of one name each goes with the
 * one in its place. */
void ran_with_diff_print(const struct job_ran_with *a, const struct job_ran_with *b,
                         struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    bool is_whole_a = job_ran_with_is_whole(a), is_whole_b = job_ran_with_is_whole(b);
    /* What is not seen in what is not whole may have been there. */
    struct diff_print d = { .out = &lines,
                            .only_first = is_whole_b ? "gone" : "only in the first:",
                            .only_second =
                                is_whole_a ? "added" : "only in the second:" };
    if (!a->is_known || !b->is_known || a->is_hidden || b->is_hidden)
        return;
    pairs_print(&d, a, b);
    if (d.count > 0)
        strbuf_addf(out, "\nRan with otherwise: %zu.\n", d.count);
    else if (d.unknown > 0 || !is_whole_a || !is_whole_b)
        strbuf_adds(out, "\nRan with: no difference in what is known of both.\n");
    else
        strbuf_adds(out, "\nRan with: samples of both saw the same executables, "
                         "libraries and files.\n");
    strbuf_add_span(out, strbuf_span(&lines));
    if (d.count + d.unknown > RAN_WITH_DIFF_SHOWN)
        strbuf_addf(out, "  and %zu more\n", d.count + d.unknown - RAN_WITH_DIFF_SHOWN);
    not_whole_print(is_whole_a, is_whole_b, out);
}
