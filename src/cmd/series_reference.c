/* SPDX-License-Identifier: Apache-2.0 */
/* series_reference - where the series of a job lie: column fs_series of its summary. */
#include "cmd/series_reference.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"

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

void series_reference_print(const struct series_reference_file *files, size_t count,
                            struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_array(&w);
    for (size_t i = 0; i < count; i++) {
        json_object(&w);
        json_key(&w, "file");
        json_text(&w, files[i].path);
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
    struct strbuf key;   /* of the file's member that comes next */
    struct strbuf group; /* of the datasets that come */
    struct err *err;
};

static int bad(struct reading *r)
{
    return err_set(r->err, EBADMSG, "no reference to series");
}

static int file_begin(struct reading *r)
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
    ref->files[ref->count++] = (struct series_reference_file){ 0 };
    return 0;
}

static int text_take(struct reading *r, struct series_reference_file *file,
                     struct span text)
{
    const char *copy = arena_dup(&r->reference->arena, text);
    if (!copy)
        return -ENOMEM;
    if (text.size == 0 || strlen(copy) != text.size)
        return bad(r);
    if (strcmp(strbuf_text(&r->key), "file") == 0)
        file->path = copy;
    else if (strcmp(strbuf_text(&r->key), "zone") == 0)
        file->zone = copy;
    else if (strcmp(strbuf_text(&r->key), "fs") == 0)
        file->fs = copy;
    return 0;
}

static int number_take(struct reading *r, struct series_reference_file *file,
                       struct span text)
{
    int64_t offset_s;
    if (strcmp(strbuf_text(&r->key), "offset_s") != 0)
        return 0;
    if (number_parse_i64(text, &offset_s) < 0 || offset_s > OFFSET_S_MAX ||
        offset_s < -OFFSET_S_MAX)
        return bad(r);
    file->offset_s = offset_s;
    return 0;
}

static void dataset_take(struct reading *r, struct series_reference_file *file,
                         struct span name)
{
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        const struct lmt_measure_info *info = lmt_measure_info(m);
        if (span_is(name, info->name) &&
            strcmp(strbuf_text(&r->group), info->group) == 0)
            file->has[m] = true;
    }
}

/* Depths: the list 0, a file 1 with its keys, its values 2, keys of "has" 2, its lists
 * 3, datasets 4. */
static int on_event(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct reading *r = arg;
    struct series_reference *ref = r->reference;
    struct series_reference_file *file =
        ref->count > 0 ? &ref->files[ref->count - 1] : NULL;
    if (depth == 0)
        return event == JSON_ARRAY || event == JSON_ARRAY_END ? 0 : bad(r);
    if (depth == 1 && event == JSON_OBJECT)
        return file_begin(r);
    if (depth == 1 && event == JSON_OBJECT_END)
        return file->path ? 0 : bad(r);
    if (event == JSON_KEY && depth <= 2) {
        struct strbuf *key = depth == 1 ? &r->key : &r->group;
        strbuf_clear(key);
        strbuf_add_span(key, text);
        return strbuf_error(key);
    }
    if (depth == 1)
        return bad(r);
    if (depth == 2 && event == JSON_STRING)
        return text_take(r, file, text);
    if (depth == 2 && event == JSON_NUMBER)
        return number_take(r, file, text);
    if (depth == 4 && event == JSON_STRING && strcmp(strbuf_text(&r->key), "has") == 0)
        dataset_take(r, file, text);
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
