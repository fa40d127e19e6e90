/* SPDX-License-Identifier: Apache-2.0 */
/* target_reading - what one reading reported of a target: how full, served by whom. */
#include "model/target_reading.h"

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/utf8.h"

#include <stddef.h>

#define NAME_BYTES_MAX ((size_t)255)
#define MOUNT_BYTES_MAX ((size_t)1024)

struct span target_reading_fs(const struct target_reading *reading)
{
    struct target_name name;
    return target_parse(reading->target, &name) == 0 ? name.fs : SPAN("");
}

/* One word: it may be printed into a line of lctl dl. */
static bool is_word(struct span text)
{
    if (text.size > NAME_BYTES_MAX)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] <= ' ' || text.data[i] > '~')
            return false;
    return true;
}

/* A mount point may have blanks; brackets follow it in lfs df. */
static bool is_mount(struct span text)
{
    if (text.size > MOUNT_BYTES_MAX || !utf8_is_valid(text))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == '[' ||
            text.data[i] == ']' || text.data[i] == 0x7f)
            return false;
    return text.size == 0 || text.data[0] == '/';
}

static bool is_space(const struct target_reading *r)
{
    return r->total_kib >= 0 && r->total_kib <= TARGET_READING_KIB_MAX &&
           r->used_kib >= 0 && r->used_kib <= r->total_kib && r->available_kib >= 0 &&
           r->available_kib <= r->total_kib;
}

const char *target_reading_check(const struct target_reading *reading)
{
    struct target_name name;
    if (target_parse(reading->target, &name) < 0 || name.fs.size == 0)
        return "its target is not a target of Lustre (scratch-OST0001)";
    if (!reading->has_space && reading->server.size == 0 && !reading->is_inactive)
        return "it has neither space nor server";
    if (reading->has_space && !is_space(reading))
        return "more is used or available than there is, or a size is too large";
    if (!is_word(reading->server) || !is_word(reading->cluster) ||
        !is_word(reading->source))
        return "server, cluster or source is too long, or not one word of ASCII";
    if (!is_mount(reading->mount))
        return "mount is not a path";
    if (reading->t_ns <= 0)
        return "its time is missing, or before 1970";
    return NULL;
}

/* ---- printing ---- */

static void reading_put_text(struct json_writer *w, const char *key, struct span text)
{
    if (text.size == 0)
        return;
    json_key(w, key);
    json_span(w, text);
}

static void reading_put_i64(struct json_writer *w, const char *key, int64_t value)
{
    json_key(w, key);
    json_i64(w, value);
}

void target_reading_print_line(const struct target_reading *reading, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    reading_put_text(&w, "cluster", reading->cluster);
    reading_put_text(&w, "target", reading->target);
    json_key(&w, "t");
    json_seconds(&w, reading->t_ns);
    reading_put_text(&w, "mount", reading->mount);
    if (reading->has_space) {
        reading_put_i64(&w, "total_kib", reading->total_kib);
        reading_put_i64(&w, "used_kib", reading->used_kib);
        reading_put_i64(&w, "available_kib", reading->available_kib);
    }
    reading_put_text(&w, "server", reading->server);
    if (reading->is_inactive || reading->server.size > 0) {
        json_key(&w, "active");
        json_bool(&w, !reading->is_inactive);
    }
    reading_put_text(&w, "source", reading->source);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- reading ---- */

enum member_kind { MEMBER_TEXT, MEMBER_TIME, MEMBER_KIB, MEMBER_ACTIVE };

static const struct member {
    const char *key;
    enum member_kind kind;
    size_t offset;
} members[] = {
    { "cluster", MEMBER_TEXT, offsetof(struct target_reading, cluster) },
    { "target", MEMBER_TEXT, offsetof(struct target_reading, target) },
    { "mount", MEMBER_TEXT, offsetof(struct target_reading, mount) },
    { "server", MEMBER_TEXT, offsetof(struct target_reading, server) },
    { "source", MEMBER_TEXT, offsetof(struct target_reading, source) },
    { "t", MEMBER_TIME, offsetof(struct target_reading, t_ns) },
    { "total_kib", MEMBER_KIB, offsetof(struct target_reading, total_kib) },
    { "used_kib", MEMBER_KIB, offsetof(struct target_reading, used_kib) },
    { "available_kib", MEMBER_KIB, offsetof(struct target_reading, available_kib) },
    { "active", MEMBER_ACTIVE, 0 },
};

struct line_reading {
    struct arena *arena;
    struct err *err;
    struct target_reading reading;
    const struct member *member; /* whose value is due */
    unsigned given;              /* bit n: members[n] was there */
    unsigned sizes;              /* how many of the three */
};

static int reading_key(struct line_reading *in, struct span key)
{
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        if (!span_is(key, members[i].key))
            continue;
        if (in->given >> i & 1)
            return err_set(in->err, EBADMSG, "'%s' is given twice", members[i].key);
        in->given |= 1U << i;
        in->member = &members[i];
        return 0;
    }
    return err_set(in->err, EBADMSG, "'%.*s' is not a key of a reading",
                   (int)(key.size < 64 ? key.size : 64), key.data);
}

static int reading_text(struct line_reading *in, struct span text)
{
    struct span *to =
        (struct span *)(void *)((char *)&in->reading + in->member->offset);
    char *copy = arena_dup(in->arena, text);
    if (!copy)
        return -ENOMEM;
    *to = (struct span){ copy, text.size };
    return 0;
}

static int reading_number(struct line_reading *in, struct span text)
{
    int64_t *to = (int64_t *)(void *)((char *)&in->reading + in->member->offset);
    int rc = in->member->kind == MEMBER_TIME ? number_parse_seconds(text, to)
                                             : number_parse_i64(text, to);
    in->sizes += in->member->kind == MEMBER_KIB;
    return rc < 0 ? err_set(in->err, EBADMSG, "'%s' is not a number that fits",
                            in->member->key)
                  : 0;
}

static int reading_event(void *arg, enum json_event event, struct span text,
                         unsigned depth)
{
    struct line_reading *in = arg;
    if (depth == 0 && (event == JSON_OBJECT || event == JSON_OBJECT_END))
        return 0;
    if (depth == 0 && event == JSON_KEY)
        return reading_key(in, text);
    if (depth == 0)
        return err_set(in->err, EBADMSG, "it is not an object");
    enum member_kind kind = in->member->kind;
    if (kind == MEMBER_TEXT && event == JSON_STRING)
        return reading_text(in, text);
    if ((kind == MEMBER_TIME || kind == MEMBER_KIB) && event == JSON_NUMBER)
        return reading_number(in, text);
    if (kind != MEMBER_ACTIVE || (event != JSON_TRUE && event != JSON_FALSE))
        return err_set(in->err, EBADMSG, "'%s' is not a %s", in->member->key,
                       kind == MEMBER_TEXT     ? "text"
                       : kind == MEMBER_ACTIVE ? "truth value"
                                               : "number");
    in->reading.is_inactive = event == JSON_FALSE;
    return 0;
}

int target_reading_read_line(struct span line, struct arena *arena,
                             struct target_reading *ret, struct err *err)
{
    const struct json_reader_opts opts = { .depth_max = 2,
                                           .token_bytes_max =
                                               TARGET_READING_LINE_BYTES_MAX };
    struct line_reading in = { .arena = arena, .err = err };
    AUTO(json_reader_done) struct json_reader reader;
    json_reader_init(&reader, &opts, reading_event, &in);
    int rc = json_reader_feed(&reader, line.data, line.size, err);
    if (rc == 0)
        rc = json_reader_finish(&reader, err);
    if (rc < 0)
        return rc == -EMSGSIZE ? err_set(err, EBADMSG, "a text of it is too long") : rc;
    if (in.sizes != 0 && in.sizes != 3)
        return err_set(err, EBADMSG,
                       "total_kib, used_kib and available_kib go together");
    in.reading.has_space = in.sizes == 3;
    const char *reason = target_reading_check(&in.reading);
    if (reason)
        return err_set(err, EBADMSG, "%s", reason);
    *ret = in.reading;
    return 0;
}
