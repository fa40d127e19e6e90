/* SPDX-License-Identifier: Apache-2.0 */
/* probe_record - what baro-abc stored of a probe: who, where, and its phases. */
#include "source/probe/probe_record.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <stddef.h>

#define FORMAT "baro-abc 1"
#define SECONDS_MAX 1e9
#define KEY_BYTES 32

/* Depths of what stands in the document, in the list of phases and of processes. */
enum { OF_RECORD = 1, OF_PHASE = 3, OF_PROCESS = 5 };

struct parsing {
    struct probe_record record;
    struct arena *arena;
    struct err *err;
    char keys[OF_PROCESS + 1][KEY_BYTES]; /* by the depth of their values */
    size_t phase_count;
    bool is_of_format;
};

enum kind { TEXT, COUNT, SECONDS, SUM_OF_SECONDS, TIME };

struct member {
    const char *key;
    enum kind kind;
    size_t offset;
};

#define MEMBER(key, kind, type, field)          \
    {                                           \
        key, kind, offsetof(struct type, field) \
    }

static const struct member of_record[] = {
    MEMBER("id", TEXT, probe_record, id),
    MEMBER("file_system", TEXT, probe_record, file_system),
    MEMBER("mount", TEXT, probe_record, mount),
    MEMBER("job", TEXT, probe_record, job),
    MEMBER("cluster", TEXT, probe_record, cluster),
    MEMBER("nodes", TEXT, probe_record, nodes),
    MEMBER("interface", TEXT, probe_record, interface),
    MEMBER("processes", COUNT, probe_record, processes),
};

static const struct member of_phase[] = {
    MEMBER("name", TEXT, probe_phase, name),
    MEMBER("start", TIME, probe_phase, start_ns),
    MEMBER("wall_s", SECONDS, probe_phase, wall_ns),
    MEMBER("slowest_s", SECONDS, probe_phase, slowest_ns),
    MEMBER("bytes", COUNT, probe_phase, bytes),
    MEMBER("files", COUNT, probe_phase, files),
    MEMBER("opens", COUNT, probe_phase, opens),
    MEMBER("transfers", COUNT, probe_phase, transfers),
};

static const struct member of_process[] = {
    MEMBER("open_s", SUM_OF_SECONDS, probe_phase, metadata_ns),
    MEMBER("close_s", SUM_OF_SECONDS, probe_phase, metadata_ns),
    MEMBER("transfer_s", SUM_OF_SECONDS, probe_phase, transfer_ns),
};

static int seconds_parse(struct span text, int64_t *ret_ns)
{
    double value;
    if (number_parse_double(text, &value) < 0 || !(value >= 0 && value <= SECONDS_MAX))
        return -EBADMSG;
    *ret_ns = (int64_t)(value * (double)NS_PER_S + 0.5);
    return 0;
}

/* Put a text or a number into its field of base. */
static int member_set(struct parsing *p, const struct member *m, void *base,
                      enum json_event event, struct span text)
{
    char *field = (char *)base + m->offset;
    int64_t ns = 0;
    if (event != (m->kind == TEXT || m->kind == TIME ? JSON_STRING : JSON_NUMBER))
        return -EBADMSG;
    switch (m->kind) {
    case TEXT: {
        /* A NUL would end the text early. */
        if (text.size > 0 && memchr(text.data, '\0', text.size))
            return -EBADMSG;
        const char *copy = arena_dup(p->arena, text);
        if (!copy)
            return -ENOMEM;
        memcpy(field, &copy, sizeof copy);
        return 0;
    }
    case COUNT: {
        uint64_t count;
        if (number_parse_u64(text, &count) < 0 || count > INT64_MAX)
            return -EBADMSG;
        memcpy(field, &count, sizeof count);
        return 0;
    }
    case TIME:
        if (timetext_parse(text, &ns) < 0)
            return -EBADMSG;
        break;
    case SECONDS:
    case SUM_OF_SECONDS:
        if (seconds_parse(text, &ns) < 0)
            return -EBADMSG;
        break;
    }
    int64_t before = 0;
    if (m->kind == SUM_OF_SECONDS)
        memcpy(&before, field, sizeof before);
    if (__builtin_add_overflow(before, ns, &ns))
        return -EBADMSG;
    memcpy(field, &ns, sizeof ns);
    return 0;
}

static int member_find(struct parsing *p, const struct member *members, size_t count,
                       void *base, enum json_event event, struct span text,
                       const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(members[i].key, key) != 0 || event == JSON_NULL)
            continue;
        int rc = member_set(p, &members[i], base, event, text);
        return rc == -EBADMSG
                   ? err_set(p->err, EBADMSG, "\"%s\" has no valid value", key)
                   : rc;
    }
    return 0;
}

static bool is_in(const struct parsing *p, unsigned depth, const char *key)
{
    return strcmp(p->keys[depth], key) == 0;
}

static int value_read(struct parsing *p, enum json_event event, struct span text,
                      unsigned depth)
{
    const char *key = p->keys[depth];
    struct probe_phase *phase = p->phase_count > 0 && p->phase_count <= PROBE_PHASES
                                    ? &p->record.phases[p->phase_count - 1]
                                    : NULL;
    if (depth == OF_RECORD) {
        if (event == JSON_STRING && strcmp(key, "format") == 0)
            p->is_of_format = span_is(text, FORMAT);
        return member_find(p, of_record, COUNT_OF(of_record), &p->record, event, text,
                           key);
    }
    if (!phase || !is_in(p, OF_RECORD, "phases"))
        return 0;
    if (depth == OF_PHASE && strcmp(key, "done") == 0)
        phase->is_done = event == JSON_TRUE;
    if (depth == OF_PHASE)
        return member_find(p, of_phase, COUNT_OF(of_phase), phase, event, text, key);
    if (depth == OF_PROCESS && is_in(p, OF_PHASE, "processes"))
        return member_find(p, of_process, COUNT_OF(of_process), phase, event, text,
                           key);
    return 0;
}

static int on_json(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct parsing *p = arg;
    switch (event) {
    case JSON_KEY:
        if (depth + 1 <= OF_PROCESS) {
            size_t size = text.size < KEY_BYTES ? text.size : 0; /* none of ours */
            if (size > 0)
                memcpy(p->keys[depth + 1], text.data, size);
            p->keys[depth + 1][size] = '\0';
        }
        return 0;
    case JSON_OBJECT:
        if (depth == OF_PHASE - 1 && is_in(p, OF_RECORD, "phases") &&
            ++p->phase_count > PROBE_PHASES)
            return err_set(p->err, EBADMSG, "over %d phases", PROBE_PHASES);
        return 0;
    case JSON_OBJECT_END:
    case JSON_ARRAY:
    case JSON_ARRAY_END:
        return 0;
    case JSON_STRING:
    case JSON_NUMBER:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        break;
    }
    return depth <= OF_PROCESS ? value_read(p, event, text, depth) : 0;
}

int probe_record_parse(struct span text, struct arena *arena, struct probe_record *ret,
                       struct err *err)
{
    struct err local = { 0 };
    struct parsing p = { .arena = arena, .err = err ? err : &local };
    int rc = json_read(text, on_json, &p, err);
    if (rc < 0)
        return rc;
    if (!p.is_of_format || !p.record.id)
        return err_set(err, EBADMSG, "it is no record of the format '" FORMAT "'");
    *ret = p.record;
    return 0;
}
