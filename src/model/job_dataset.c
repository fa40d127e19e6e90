/* SPDX-License-Identifier: Apache-2.0 */
/* job_dataset - a dataset that a job had mounted on a node. */
#include "model/job_dataset.h"

#include "base/cleanup.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#include <stddef.h>
#include <string.h>

enum line_key {
    KEY_CLUSTER,
    KEY_JOB,
    KEY_HOST,
    KEY_DIGEST,
    KEY_NAME,
    KEY_PATH,
    KEY_OPTIONS,
    KEY_COMMAND,
    KEY_UID,
    KEY_TIME,
    KEY_PRIVATE,
    KEY_COUNT,
    KEY_TEXT_COUNT = KEY_UID,
};

/* Those before KEY_UID are texts. */
static const struct {
    const char *name;
    size_t offset;
    size_t bytes_max;
} line_keys[KEY_COUNT] = {
    [KEY_CLUSTER] = { "cluster", offsetof(struct job_dataset, cluster), 255 },
    [KEY_JOB] = { "job", offsetof(struct job_dataset, job), 255 },
    [KEY_HOST] = { "host", offsetof(struct job_dataset, host), 255 },
    [KEY_DIGEST] = { "digest", offsetof(struct job_dataset, digest),
                     JOB_DATASET_DIGEST_SIZE },
    [KEY_NAME] = { "name", offsetof(struct job_dataset, name), 255 },
    [KEY_PATH] = { "path", offsetof(struct job_dataset, path),
                   JOB_DATASET_PATH_BYTES_MAX },
    [KEY_OPTIONS] = { "options", offsetof(struct job_dataset, options), 64 },
    [KEY_COMMAND] = { "command", offsetof(struct job_dataset, command), 64 },
    [KEY_UID] = { "uid", 0, 0 },
    [KEY_TIME] = { "t", 0, 0 },
    [KEY_PRIVATE] = { "private", 0, 0 },
};

static struct span *text_at(struct job_dataset *dataset, enum line_key key)
{
    return (struct span *)(void *)((char *)dataset + line_keys[key].offset);
}

static struct span dataset_text(const struct job_dataset *dataset, enum line_key key)
{
    struct span text;
    memcpy(&text, (const char *)dataset + line_keys[key].offset, sizeof text);
    return text;
}

/* ---- one ---- */

/* No control character: a line of text holds it. */
static bool is_dataset_text(struct span text, size_t bytes_max)
{
    if (text.size > bytes_max || !utf8_is_valid(text))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
            return false;
    return true;
}

static bool is_digest(struct span text)
{
    if (text.size != JOB_DATASET_DIGEST_SIZE)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (!text.data[i] || !strchr("0123456789abcdef", text.data[i]))
            return false;
    return true;
}

const char *job_dataset_check(const struct job_dataset *dataset)
{
    for (enum line_key key = 0; key < KEY_TEXT_COUNT; key++) {
        struct span text = dataset_text(dataset, key);
        if (!is_dataset_text(text, line_keys[key].bytes_max))
            return "a text of it is too long, or has control characters";
        if (text.size == 0 && key != KEY_CLUSTER && key != KEY_OPTIONS &&
            key != KEY_COMMAND)
            return "its job, host, digest, name or path is missing";
    }
    if (!is_digest(dataset->digest))
        return "its digest is not 64 digits of a SHA-256";
    if (dataset->path.data[0] != '/')
        return "its path does not begin with /";
    if (dataset->uid < 0 || dataset->uid > UINT32_MAX || dataset->t_ns <= 0)
        return "its uid or time is out of range";
    return NULL;
}

void job_dataset_print(const struct job_dataset *dataset, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    for (enum line_key key = 0; key < KEY_TEXT_COUNT; key++) {
        struct span text = dataset_text(dataset, key);
        if (text.size == 0)
            continue;
        json_key(&w, line_keys[key].name);
        json_span(&w, text);
    }
    json_key(&w, line_keys[KEY_UID].name);
    json_i64(&w, dataset->uid);
    json_key(&w, line_keys[KEY_TIME].name);
    json_seconds(&w, dataset->t_ns);
    json_key(&w, line_keys[KEY_PRIVATE].name);
    json_bool(&w, dataset->is_private);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- lines ---- */

struct dataset_line {
    struct job_dataset *dataset;
    struct arena *arena;
    struct err *err;
    enum line_key key;
    unsigned seen;
};

static int line_bad(const struct dataset_line *l, const char *why)
{
    return err_set(l->err, EBADMSG, "%s: %s", line_keys[l->key].name, why);
}

static int line_key(struct dataset_line *l, struct span name)
{
    for (enum line_key key = 0; key < KEY_COUNT; key++) {
        if (!span_is(name, line_keys[key].name))
            continue;
        l->key = key;
        if (l->seen & 1U << key)
            return line_bad(l, "it is given twice");
        l->seen |= 1U << key;
        return 0;
    }
    return err_set(l->err, EBADMSG,
                   "unknown key (known: cluster, job, host, digest, name, path, "
                   "options, command, uid, t, private)");
}

static int line_text(const struct dataset_line *l, struct span text)
{
    struct span *ret = text_at(l->dataset, l->key);
    if (l->key >= KEY_TEXT_COUNT)
        return line_bad(l, "a text is not wanted");
    if (text.size == 0)
        return 0;
    ret->data = arena_dup(l->arena, text);
    ret->size = text.size;
    return ret->data ? 0 : -ENOMEM;
}

static int line_number(const struct dataset_line *l, struct span text)
{
    if (l->key == KEY_UID && number_parse_i64(text, &l->dataset->uid) == 0)
        return 0;
    if (l->key == KEY_TIME && number_parse_seconds(text, &l->dataset->t_ns) == 0)
        return 0;
    return line_bad(l, "that number is not one of these");
}

static int on_dataset_line(void *arg, enum json_event event, struct span text,
                           unsigned depth)
{
    struct dataset_line *l = arg;
    if (depth == 0 && event == JSON_KEY)
        return line_key(l, text);
    if (depth == 0)
        return event == JSON_OBJECT || event == JSON_OBJECT_END
                   ? 0
                   : err_set(l->err, EBADMSG, "a line is an object");
    if (event == JSON_STRING)
        return line_text(l, text);
    if (event == JSON_NUMBER)
        return line_number(l, text);
    if (l->key != KEY_PRIVATE || (event != JSON_TRUE && event != JSON_FALSE))
        return line_bad(l, "it is of another type");
    l->dataset->is_private = event == JSON_TRUE;
    return 0;
}

int job_dataset_read(struct span line, struct arena *arena, struct job_dataset *ret,
                     struct err *err)
{
    struct job_dataset dataset = {
        .cluster = SPAN(""), .options = SPAN(""), .command = SPAN(""), .uid = -1
    };
    struct dataset_line l = { .dataset = &dataset, .arena = arena, .err = err };
    int rc = json_read(line, on_dataset_line, &l, err);
    if (rc == -EMSGSIZE)
        rc = -EBADMSG;
    if (rc < 0)
        return rc;
    const char *why = job_dataset_check(&dataset);
    /* Who reads it without a word about that must not publish it. */
    if (!why && !(l.seen & 1U << KEY_PRIVATE))
        why = "private is missing";
    if (why)
        return err_set(err, EBADMSG, "%s", why);
    *ret = dataset;
    return 0;
}
