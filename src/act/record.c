/* SPDX-License-Identifier: Apache-2.0 */
/* record - what was drained by us, in a directory, and a log of every action. */
#include "act/record.h"

#include "base/file.h"
#include "base/hashmap.h"
#include "base/json_writer.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_BYTES_MAX ((size_t)64 << 20)

static const char *const state_names[] = { "", "begun", "drained", "overruled" };

struct act_item {
    char *node, *reason;
    enum act_record_state state;
};

struct act_record {
    char *path;    /* of "drained" */
    int lock, log; /* descriptors; -1: not open */
    struct act_item *items;
    size_t count, capacity;
    struct hashmap by_node; /* index + 1 */
};

/* ---- items ---- */

static int item_get(struct act_record *record, const char *node, struct act_item **ret)
{
    bool is_new;
    uintptr_t *index = hashmap_put(&record->by_node, span_of(node), &is_new);
    if (!index)
        return -ENOMEM;
    if (is_new && record->count == record->capacity) {
        size_t capacity = record->capacity ? 2 * record->capacity : 64;
        struct act_item *grown = reallocarray(record->items, capacity, sizeof *grown);
        if (!grown) {
            (void)hashmap_remove(&record->by_node, span_of(node));
            return -ENOMEM;
        }
        record->items = grown;
        record->capacity = capacity;
    }
    if (is_new) {
        record->items[record->count] = (struct act_item){ .node = strdup(node) };
        *index = ++record->count;
    }
    *ret = &record->items[*index - 1];
    return (*ret)->node ? 0 : -ENOMEM;
}

int act_record_set(struct act_record *record, const char *node,
                   enum act_record_state state, const char *reason)
{
    struct act_item *item = NULL;
    char *copy = strdup(reason ? reason : "");
    int rc = copy ? item_get(record, node, &item) : -ENOMEM;
    if (rc < 0) {
        free(copy);
        return rc;
    }
    free(item->reason);
    item->reason = copy;
    item->state = state;
    return 0;
}

size_t act_record_count(const struct act_record *record)
{
    return record->count;
}

const char *act_record_at(const struct act_record *record, size_t index,
                          enum act_record_state *ret_state, const char **ret_reason)
{
    const struct act_item *item = &record->items[index];
    *ret_state = item->state;
    *ret_reason = item->reason;
    return item->node;
}

bool act_record_find(const struct act_record *record, const char *node,
                     enum act_record_state *ret_state, const char **ret_reason)
{
    const uintptr_t *index = hashmap_get(&record->by_node, span_of(node));
    *ret_state = ACT_NOTHING;
    *ret_reason = NULL;
    if (index)
        (void)act_record_at(record, *index - 1, ret_state, ret_reason);
    return index != NULL;
}

/* ---- the file ---- */

static int item_read(struct act_record *record, struct span line)
{
    char node[256], reason[ACT_REASON_BYTES_MAX + 1];
    struct span name, state;
    (void)span_cut(&line, '\t', &name);
    (void)span_cut(&line, '\t', &state);
    if (name.size == 0 || name.size >= sizeof node || line.size >= sizeof reason)
        return -EBADMSG;
    (void)snprintf(node, sizeof node, SPAN_FMT, SPAN_ARG(name));
    (void)snprintf(reason, sizeof reason, SPAN_FMT, SPAN_ARG(line));
    for (int i = ACT_BEGUN; i <= ACT_OVERRULED; i++)
        if (span_is(state, state_names[i]))
            return act_record_set(record, node, (enum act_record_state)i, reason);
    return -EBADMSG;
}

static int items_read(struct act_record *record, const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(path, RECORD_BYTES_MAX, &text, err);
    if (rc == -ENOENT)
        return 0;
    struct span rest = strbuf_span(&text), line;
    for (unsigned long number = 1; rc == 0 && rest.size > 0; number++) {
        (void)span_cut(&rest, '\n', &line);
        rc = item_read(record, line);
        if (rc == -EBADMSG)
            rc = err_set(err, EBADMSG, "%s:%lu: not NODE, STATE and REASON", path,
                         number);
    }
    return rc;
}

int act_record_save(struct act_record *record, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < record->count; i++) {
        const struct act_item *item = &record->items[i];
        if (item->state != ACT_NOTHING)
            strbuf_addf(&text, "%s\t%s\t%s\n", item->node, state_names[item->state],
                        item->reason);
    }
    if (strbuf_error(&text) < 0)
        return -ENOMEM;
    return file_replace(record->path, strbuf_text(&text), text.size, 0600, err);
}

int act_record_log(struct act_record *record, const struct act_entry *entry,
                   struct err *err)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    char when[TIMETEXT_SIZE];
    const struct {
        const char *key, *value;
    } texts[] = { { "time", when },
                  { "node", entry->node },
                  { "action", entry->action },
                  { "reason", entry->reason },
                  { "result", entry->result } };
    struct json_writer w;
    timetext_print(when, entry->t_ns);
    json_writer_init(&w, &line);
    json_object(&w);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        json_key(&w, texts[i].key);
        json_text(&w, texts[i].value ? texts[i].value : "");
    }
    json_key(&w, "jobs_running");
    json_bool(&w, entry->is_busy);
    json_key(&w, "dry_run");
    json_bool(&w, entry->is_dry);
    json_object_end(&w);
    strbuf_addc(&line, '\n');
    if (strbuf_error(&line) < 0)
        return -ENOMEM;
    if (write(record->log, line.data, line.size) != (ssize_t)line.size ||
        fdatasync(record->log) < 0)
        return err_set(err, errno ? errno : EIO, "actions.log: %s", strerror(errno));
    return 0;
}

/* ---- the door ---- */

static int path_make(const char *directory, const char *name, char **ret)
{
    if (asprintf(ret, "%s/%s", directory, name) < 0) {
        *ret = NULL;
        return -ENOMEM;
    }
    return 0;
}

static int files_open(struct act_record *record, const char *directory, struct err *err)
{
    AUTO_FREE char *lock = NULL, *log = NULL;
    int rc = path_make(directory, "drained", &record->path);
    if (rc == 0)
        rc = path_make(directory, "lock", &lock);
    if (rc == 0)
        rc = path_make(directory, "actions.log", &log);
    if (rc < 0)
        return rc;
    record->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    rc = record->lock < 0 ? -errno : file_lock(record->lock);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", lock,
                       rc == -EBUSY ? "another program acts here" : strerror(-rc));
    record->log = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return record->log < 0 ? err_set(err, errno, "%s: %s", log, strerror(errno)) : 0;
}

int act_record_open(const char *directory, struct act_record **ret, struct err *err)
{
    AUTO(act_record_close) struct act_record *record = calloc(1, sizeof *record);
    if (!record)
        return -ENOMEM;
    record->lock = record->log = -1;
    int rc = file_make_dirs(directory, 0700, err);
    if (rc == 0)
        rc = files_open(record, directory, err);
    if (rc == 0)
        rc = items_read(record, record->path, err);
    if (rc == 0)
        *ret = TAKE(record);
    return rc;
}

void act_record_close(struct act_record *record)
{
    if (!record)
        return;
    for (size_t i = 0; i < record->count; i++) {
        free(record->items[i].node);
        free(record->items[i].reason);
    }
    free(record->items);
    hashmap_done(&record->by_node);
    free(record->path);
    auto_close(&record->log);
    auto_close(&record->lock);
    free(record);
}
