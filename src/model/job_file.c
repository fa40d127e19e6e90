/* SPDX-License-Identifier: Apache-2.0 */
/* job_file - a file that processes of a job had open, or ran. */
#include "model/job_file.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#define WORD_BYTES_MAX ((size_t)255)

static const char *const file_kinds[JOB_FILE_KIND_COUNT] = {
    [JOB_FILE_EXECUTABLE] = "executable",
    [JOB_FILE_LIBRARY] = "library",
    [JOB_FILE_READ] = "read",
    [JOB_FILE_WRITTEN] = "written",
    [JOB_FILE_MORE] = "more",
    [JOB_FILE_HOST] = "host",
};

const char *job_file_kind_name(enum job_file_kind kind)
{
    return file_kinds[kind];
}

int job_file_kind_parse(struct span name, enum job_file_kind *ret)
{
    for (size_t i = 0; i < JOB_FILE_KIND_COUNT; i++) {
        if (!span_is(name, file_kinds[i]))
            continue;
        *ret = (enum job_file_kind)i;
        return 0;
    }
    return -EINVAL;
}

/* ---- one file ---- */

/* No control character: a line of text holds it. */
static bool is_printable(struct span text, size_t size_max)
{
    if (text.size > size_max || !utf8_is_valid(text))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
            return false;
    return true;
}

static bool is_hexadecimal(struct span id, size_t size_max)
{
    if (id.size > size_max)
        return false;
    for (size_t i = 0; i < id.size; i++)
        if (!strchr("0123456789abcdef", id.data[i]) || !id.data[i])
            return false;
    return true;
}

bool job_file_is_one(const struct job_file *file)
{
    return file->kind < JOB_FILE_MORE;
}

bool job_file_is_run(struct span text)
{
    return text.size == JOB_FILE_RUN_BYTES && is_hexadecimal(text, text.size);
}

const char *job_file_check(const struct job_file *file)
{
    if (file->name.size == 0 || !is_printable(file->name, JOB_FILE_NAME_BYTES_MAX))
        return "its name is missing, too long, or no text";
    if (!is_hexadecimal(file->build_id, JOB_FILE_BUILD_ID_BYTES_MAX) ||
        !is_hexadecimal(file->version, JOB_FILE_BUILD_ID_BYTES_MAX))
        return "its build-id or version is none";
    if (file->size < -1 || file->mtime_s < 0)
        return "its size or a time of it is none";
    return NULL;
}

static void word_print(struct span word, struct strbuf *out)
{
    strbuf_add_span(out, word.size > 0 ? word : SPAN("-"));
    strbuf_addc(out, ' ');
}

void job_file_print(const struct job_file *file, struct strbuf *out)
{
    strbuf_addf(out, "%s %lld %lld ", job_file_kind_name(file->kind),
                (long long)file->size, (long long)file->mtime_s);
    word_print(file->version, out);
    word_print(file->build_id, out);
    strbuf_add_span(out, file->name);
}

/* "-": none. */
static bool optional_cut(struct span *text, struct span *ret)
{
    if (!span_cut(text, ' ', ret) || ret->size == 0)
        return false;
    if (span_is(*ret, "-"))
        *ret = SPAN("");
    return true;
}

int job_file_parse(struct span text, struct job_file *ret)
{
    struct job_file file = { 0 };
    struct span kind, size, mtime;
    if (!span_cut(&text, ' ', &kind) || !span_cut(&text, ' ', &size) ||
        !span_cut(&text, ' ', &mtime) || !optional_cut(&text, &file.version) ||
        !optional_cut(&text, &file.build_id) ||
        job_file_kind_parse(kind, &file.kind) < 0 ||
        number_parse_i64(size, &file.size) < 0 ||
        number_parse_i64(mtime, &file.mtime_s) < 0)
        return -EINVAL;
    file.name = text;
    if (job_file_check(&file))
        return -EINVAL;
    *ret = file;
    return 0;
}

/* ---- lines ---- */

void job_file_list_print(const struct job_file_list *files, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "cluster");
    json_span(&w, files->cluster);
    json_key(&w, "job");
    json_span(&w, files->job);
    json_key(&w, "uid");
    json_i64(&w, files->uid);
    json_key(&w, "host");
    json_span(&w, files->host);
    json_key(&w, "run");
    json_span(&w, files->run);
    json_key(&w, "t");
    json_seconds(&w, files->t_ns);
    json_key(&w, "files");
    json_array(&w);
    for (size_t i = 0; i < files->count; i++) {
        strbuf_clear(&text);
        job_file_print(&files->files[i], &text);
        json_span(&w, strbuf_span(&text));
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
    if (strbuf_error(&text) < 0)
        out->error = -ENOMEM;
}

enum line_key {
    KEY_NONE,
    KEY_CLUSTER,
    KEY_JOB,
    KEY_UID,
    KEY_HOST,
    KEY_RUN,
    KEY_TIME,
    KEY_FILES
};

static const char *const line_keys[] = { NULL,   "cluster", "job", "uid",
                                         "host", "run",     "t",   "files" };

struct files_line {
    struct job_file_list *files;
    struct job_file *items;
    struct arena *arena;
    struct err *err;
    enum line_key key;
    unsigned seen;
};

static int line_bad(const struct files_line *l, const char *why)
{
    return err_set(l->err, EBADMSG, "%s: %s", line_keys[l->key], why);
}

static int line_key(struct files_line *l, struct span name)
{
    for (size_t i = 1; i < COUNT_OF(line_keys); i++) {
        if (!span_is(name, line_keys[i]))
            continue;
        l->key = (enum line_key)i;
        if (l->seen & 1U << i)
            return line_bad(l, "it is given twice");
        l->seen |= 1U << i;
        return 0;
    }
    return err_set(l->err, EBADMSG,
                   "unknown key (known: cluster, job, uid, host, run, t, files)");
}

static int line_word(const struct files_line *l, struct span text, struct span *ret)
{
    if (text.size == 0 || !is_printable(text, WORD_BYTES_MAX))
        return line_bad(l, "empty, too long, or no text");
    ret->data = arena_dup(l->arena, text);
    ret->size = text.size;
    return ret->data ? 0 : -ENOMEM;
}

static int line_file(struct files_line *l, struct span text)
{
    struct span copy = { arena_dup(l->arena, text), text.size };
    if (!copy.data)
        return -ENOMEM;
    if (l->files->count == JOB_FILE_LIST_MAX)
        return line_bad(l, "more than 128");
    if (job_file_parse(copy, &l->items[l->files->count]) < 0)
        return line_bad(l, "one is not KIND SIZE MTIME VERSION BUILD-ID NAME");
    l->files->count++;
    return 0;
}

static int line_run(const struct files_line *l, struct span text)
{
    if (!job_file_is_run(text))
        return line_bad(l, "it is not 32 hexadecimal digits");
    return line_word(l, text, &l->files->run);
}

static int line_text(struct files_line *l, struct span text)
{
    switch (l->key) {
    case KEY_CLUSTER:
        return text.size == 0 ? 0 : line_word(l, text, &l->files->cluster);
    case KEY_JOB:
        return line_word(l, text, &l->files->job);
    case KEY_HOST:
        return line_word(l, text, &l->files->host);
    case KEY_RUN:
        return line_run(l, text);
    default:
        return line_bad(l, "a text is not wanted");
    }
}

static int line_number(const struct files_line *l, struct span text)
{
    if (l->key == KEY_UID && number_parse_i64(text, &l->files->uid) == 0 &&
        l->files->uid >= 0 && l->files->uid <= UINT32_MAX)
        return 0;
    if (l->key == KEY_TIME && number_parse_seconds(text, &l->files->t_ns) == 0 &&
        l->files->t_ns > 0)
        return 0;
    return line_bad(l, "that number is not one of these");
}

static int on_files_line(void *arg, enum json_event event, struct span text,
                         unsigned depth)
{
    struct files_line *l = arg;
    bool is_in_list = l->key == KEY_FILES && depth == 2;
    if (depth == 0)
        return event == JSON_OBJECT || event == JSON_OBJECT_END || event == JSON_KEY
                   ? (event == JSON_KEY ? line_key(l, text) : 0)
                   : err_set(l->err, EBADMSG, "a line is an object");
    if (is_in_list && event == JSON_STRING)
        return line_file(l, text);
    if (depth == 1 && l->key == KEY_FILES)
        return event == JSON_ARRAY || event == JSON_ARRAY_END
                   ? 0
                   : line_bad(l, "an array is wanted");
    if (depth == 1 && event == JSON_STRING)
        return line_text(l, text);
    if (depth == 1 && event == JSON_NUMBER)
        return line_number(l, text);
    return line_bad(l, "it is of another type");
}

int job_file_list_read(struct span line, struct arena *arena, struct job_file_list *ret,
                       struct err *err)
{
    const unsigned wanted = 1U << KEY_JOB | 1U << KEY_UID | 1U << KEY_HOST |
                            1U << KEY_RUN | 1U << KEY_TIME | 1U << KEY_FILES;
    struct job_file_list files = { .cluster = SPAN("") };
    struct files_line l = {
        .files = &files,
        .items = arena_alloc(arena, JOB_FILE_LIST_MAX * sizeof(struct job_file)),
        .arena = arena,
        .err = err,
    };
    if (!l.items)
        return -ENOMEM;
    int rc = json_read(line, on_files_line, &l, err);
    if (rc == -EMSGSIZE)
        rc = -EBADMSG;
    if (rc < 0)
        return rc;
    if ((l.seen & wanted) != wanted)
        return err_set(err, EBADMSG, "job, uid, host, run, t and files are wanted");
    files.files = l.items;
    *ret = files;
    return 0;
}
