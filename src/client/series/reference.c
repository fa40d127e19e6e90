/* SPDX-License-Identifier: Apache-2.0 */
/* reference - where the series of a job lie: column fs_series of its summary. */
#include "client/series/reference.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"

#define OFFSET_S_MAX (INT64_C(7) * 86400)

/* ---- printing ---- */

static void has_print(const bool *has, struct json_writer *w)
{
    const char *group = NULL;
    json_object(w);
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        const struct lmt_measure_info *info = lmt_measure_info(m);
        bool is_first = !group || strcmp(group, info->group) != 0;
        if (!has[m])
            continue;
        if (group && is_first)
            json_array_end(w);
        if (is_first) {
            json_key(w, info->group);
            json_array(w);
        }
        group = info->group;
        json_text(w, info->name);
    }
    if (group)
        json_array_end(w);
    json_object_end(w);
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* All but the path. */
static bool is_alike(const struct series_reference_file *a,
                     const struct series_reference_file *b)
{
    return is_same(a->zone, b->zone) && is_same(a->fs, b->fs) &&
           a->offset_s == b->offset_s && memcmp(a->has, b->has, sizeof a->has) == 0;
}

void series_reference_print(const struct series_reference_file *files, size_t count,
                            struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_array(&w);
    for (size_t i = 0; i < count; i++) {
        json_object(&w);
        json_key(&w, "files");
        json_array(&w);
        json_text(&w, files[i].path);
        for (; i + 1 < count && is_alike(&files[i], &files[i + 1]); i++)
            json_text(&w, files[i + 1].path);
        json_array_end(&w);
        if (files[i].zone) {
            json_key(&w, "zone");
            json_text(&w, files[i].zone);
        }
        if (files[i].fs) {
            json_key(&w, "fs");
            json_text(&w, files[i].fs);
        }
        if (files[i].offset_s != 0) {
            json_key(&w, "offset_s");
            json_i64(&w, files[i].offset_s);
        }
        json_key(&w, "has");
        has_print(files[i].has, &w);
        json_object_end(&w);
    }
    json_array_end(&w);
}

/* ---- reading ---- */

struct reading {
    struct series_reference *reference;
    size_t first;        /* of the files that stand together */
    struct strbuf key;   /* of the file's member that comes next */
    struct strbuf group; /* of the datasets that come */
    struct err *err;
};

static int bad(struct reading *r)
{
    return err_set(r->err, EBADMSG, "no reference to series");
}

static int file_add(struct reading *r, struct span path)
{
    struct series_reference *ref = r->reference;
    if (ref->count == SERIES_REFERENCE_FILES_MAX)
        return err_set(r->err, EBADMSG, "more than %d series",
                       SERIES_REFERENCE_FILES_MAX);
    struct series_reference_file *more =
        reallocarray(ref->files, ref->count + 1, sizeof *more);
    if (!more)
        return -ENOMEM;
    ref->files = more;
    const char *copy = arena_dup(&ref->arena, path);
    if (!copy)
        return -ENOMEM;
    if (path.size == 0 || strlen(copy) != path.size)
        return bad(r);
    ref->files[ref->count++] = (struct series_reference_file){ .path = copy };
    return 0;
}

static int text_take(struct reading *r, struct span text)
{
    struct series_reference *ref = r->reference;
    const char *copy = arena_dup(&r->reference->arena, text);
    if (!copy)
        return -ENOMEM;
    if (text.size == 0 || strlen(copy) != text.size)
        return bad(r);
    for (size_t i = r->first; i < ref->count; i++) {
        if (strcmp(strbuf_text(&r->key), "zone") == 0)
            ref->files[i].zone = copy;
        else if (strcmp(strbuf_text(&r->key), "fs") == 0)
            ref->files[i].fs = copy;
    }
    return 0;
}

static int number_take(struct reading *r, struct span text)
{
    int64_t offset_s;
    if (strcmp(strbuf_text(&r->key), "offset_s") != 0)
        return 0;
    if (number_parse_i64(text, &offset_s) < 0 || offset_s > OFFSET_S_MAX ||
        offset_s < -OFFSET_S_MAX)
        return bad(r);
    for (size_t i = r->first; i < r->reference->count; i++)
        r->reference->files[i].offset_s = offset_s;
    return 0;
}

static void dataset_take(struct reading *r, struct span name)
{
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        const struct lmt_measure_info *info = lmt_measure_info(m);
        if (span_is(name, info->name) &&
            strcmp(strbuf_text(&r->group), info->group) == 0)
            for (size_t i = r->first; i < r->reference->count; i++)
                r->reference->files[i].has[m] = true;
    }
}

/* Depths: the list 0, files that stand together 1 with their keys, the values 2, each
 * file 3, keys of "has" 2, its lists 3, datasets 4.  "files" comes first. */
static int on_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct reading *r = arg;
    struct series_reference *ref = r->reference;
    if (depth == 0)
        return event == JSON_ARRAY || event == JSON_ARRAY_END ? 0 : bad(r);
    if (depth == 1 && event == JSON_OBJECT) {
        r->first = ref->count;
        return 0;
    }
    if (depth == 1 && event == JSON_OBJECT_END)
        return ref->count > r->first ? 0 : bad(r);
    if (event == JSON_KEY && depth <= 2) {
        struct strbuf *key = depth == 1 ? &r->key : &r->group;
        strbuf_clear(key);
        strbuf_add_span(key, text);
        return strbuf_error(key);
    }
    if (depth == 1)
        return bad(r);
    if (depth == 2 && event == JSON_STRING)
        return text_take(r, text);
    if (depth == 2 && event == JSON_NUMBER)
        return number_take(r, text);
    if (depth == 3 && event == JSON_STRING &&
        strcmp(strbuf_text(&r->key), "files") == 0)
        return file_add(r, text);
    if (depth == 4 && event == JSON_STRING && strcmp(strbuf_text(&r->key), "has") == 0)
        dataset_take(r, text);
    return 0;
}

int series_reference_read(struct span text, struct series_reference *ret,
                          struct err *err)
{
    AUTO(series_reference_done) struct series_reference reference = { 0 };
    struct err local = { 0 };
    struct reading r = { .reference = &reference,
                         .key = STRBUF_INIT,
                         .group = STRBUF_INIT,
                         .err = err ? err : &local };
    arena_init(&reference.arena, (size_t)16 << 20);
    int rc = json_read(text, on_event, &r, r.err);
    strbuf_done(&r.key);
    strbuf_done(&r.group);
    if (rc < 0)
        return rc == -ENOMEM ? err_set(err, ENOMEM, "out of memory") : rc;
    *ret = reference;
    reference = (struct series_reference){ 0 };
    return 0;
}

void series_reference_done(struct series_reference *reference)
{
    arena_done(&reference->arena);
    free(reference->files);
    *reference = (struct series_reference){ 0 };
}
