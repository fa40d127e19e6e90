/* SPDX-License-Identifier: Apache-2.0 */
/* action_record - which actions were begun for which cause, and how they ended. */
#include "act/action_record.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES_MAX ((size_t)256 << 20)
/* Of an action that no rule names any more. */
#define ORPHAN_NS (INT64_C(366) * 86400 * NS_PER_S)
#define TEXT_COUNT 4

static const char *const state_names[ACTION_STATE_COUNT] = { "", "begun", "done",
                                                             "failed", "lost" };

/* The first three are its key. */
struct stored_item {
    char *texts[TEXT_COUNT]; /* action, component, check, result */
    enum action_state state;
    int64_t begun_ns, ended_ns;
    uint64_t tries;
};

struct action_record {
    char *path;
    struct stored_item *items;
    size_t count, capacity;
    struct hashmap by_key; /* "ACTION <tab> COMPONENT <tab> CHECK": index + 1 */
};

const char *action_record_path(const struct action_record *record)
{
    return record->path;
}

/* ---- items ---- */

static bool is_record_word(const char *text, size_t size_max)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] <= ' ' || (unsigned char)text[i] >= 0x7f)
            return false;
    return size > 0 && size <= size_max;
}

static bool is_result(const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 0x7f)
            return false;
    return size <= ACTION_RESULT_BYTES_MAX;
}

static bool action_item_is_valid(const struct action_item *item)
{
    return is_record_word(item->action, ACTION_NAME_BYTES_MAX) &&
           is_record_word(item->component, RESOURCE_COMPONENT_BYTES_MAX) &&
           is_record_word(item->check, RESOURCE_SOURCE_BYTES_MAX) &&
           is_result(item->result) && item->begun_ns >= 0 && item->ended_ns >= 0;
}

static int key_print(const char *action, const char *component, const char *check,
                     struct strbuf *out)
{
    strbuf_addf(out, "%s\t%s\t%s", action, component, check);
    return strbuf_error(out);
}

static int stored_grow(struct action_record *record)
{
    size_t capacity = record->capacity ? 2 * record->capacity : 64;
    if (record->count < record->capacity)
        return 0;
    if (record->count >= ACTION_ITEMS_MAX)
        return -ENOSPC;
    struct stored_item *grown = reallocarray(record->items, capacity, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    record->items = grown;
    record->capacity = capacity;
    return 0;
}

static void stored_free(struct stored_item *item)
{
    for (int i = 0; i < TEXT_COUNT; i++)
        free(item->texts[i]);
}

static int stored_make(const struct action_item *from, struct stored_item *ret)
{
    const char *const texts[TEXT_COUNT] = { from->action, from->component, from->check,
                                            from->result };
    *ret = (struct stored_item){
        .state = from->state,
        .begun_ns = from->begun_ns,
        .ended_ns = from->ended_ns,
        .tries = from->tries,
    };
    for (int i = 0; i < TEXT_COUNT; i++)
        if (!(ret->texts[i] = strdup(texts[i]))) {
            stored_free(ret);
            return -ENOMEM;
        }
    return 0;
}

int action_record_set(struct action_record *record, const struct action_item *item)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    struct stored_item made = { 0 };
    bool is_new;
    if (!action_item_is_valid(item))
        return -EINVAL;
    int rc = key_print(item->action, item->component, item->check, &key);
    if (rc == 0)
        rc = stored_grow(record);
    if (rc == 0)
        rc = stored_make(item, &made);
    if (rc < 0)
        return rc;
    uintptr_t *index = hashmap_put(&record->by_key, strbuf_span(&key), &is_new);
    if (!index) {
        stored_free(&made);
        return -ENOMEM;
    }
    if (is_new)
        *index = ++record->count;
    else
        stored_free(&record->items[*index - 1]);
    record->items[*index - 1] = made;
    return 0;
}

size_t action_record_count(const struct action_record *record)
{
    return record->count;
}

void action_record_at(const struct action_record *record, size_t index,
                      struct action_item *ret)
{
    const struct stored_item *item = &record->items[index];
    *ret = (struct action_item){
        .action = item->texts[0],
        .component = item->texts[1],
        .check = item->texts[2],
        .result = item->texts[3],
        .state = item->state,
        .begun_ns = item->begun_ns,
        .ended_ns = item->ended_ns,
        .tries = item->tries,
    };
}

void action_record_find(const struct action_record *record, const char *action,
                        const struct action_cause *cause, struct action_item *ret)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    *ret = (struct action_item){
        .action = action,
        .component = cause->component,
        .check = cause->check,
        .result = "",
    };
    if (key_print(action, cause->component, cause->check, &key) < 0)
        return;
    const uintptr_t *index = hashmap_get(&record->by_key, strbuf_span(&key));
    if (index && record->items[*index - 1].state != ACTION_NONE)
        action_record_at(record, *index - 1, ret);
}

void action_record_start_anew(struct action_record *record, int64_t now_ns)
{
    for (size_t i = 0; i < record->count; i++) {
        struct stored_item *item = &record->items[i];
        item->begun_ns = now_ns;
        item->ended_ns = item->ended_ns ? now_ns : 0;
    }
}

void action_record_forget(struct action_record *record,
                          const struct action_rules *rules, int64_t now_ns)
{
    for (size_t i = 0; i < record->count; i++) {
        struct stored_item *item = &record->items[i];
        const struct action_rule *rule = action_rule_find(rules, item->texts[0]);
        int64_t for_ns = rule ? rule->again_after_ns : ORPHAN_NS;
        if (rule && rule->window_ns > for_ns)
            for_ns = rule->window_ns;
        bool has_ended = item->state == ACTION_DONE || item->state == ACTION_FAILED;
        if (has_ended && now_ns - item->begun_ns > for_ns &&
            now_ns - item->ended_ns > for_ns)
            item->state = ACTION_NONE;
    }
}

/* ---- the file ---- */

static int item_text_read(struct span *line, char *text, size_t size)
{
    struct span field;
    (void)span_cut(line, '\t', &field);
    if (field.size >= size || memchr(field.data, '\0', field.size))
        return -EBADMSG;
    (void)snprintf(text, size, SPAN_FMT, SPAN_ARG(field));
    return 0;
}

static int item_number_read(struct span *line, uint64_t max, uint64_t *ret)
{
    struct span field;
    (void)span_cut(line, '\t', &field);
    return number_parse_u64(field, ret) == 0 && *ret <= max ? 0 : -EBADMSG;
}

static enum action_state action_state_read(struct span *line)
{
    struct span field;
    (void)span_cut(line, '\t', &field);
    for (int i = ACTION_BEGUN; i < ACTION_STATE_COUNT; i++)
        if (span_is(field, state_names[i]))
            return (enum action_state)i;
    return ACTION_NONE;
}

static int action_item_read(struct action_record *record, struct span line)
{
    char action[ACTION_NAME_BYTES_MAX + 1], component[RESOURCE_COMPONENT_BYTES_MAX + 1],
        check[RESOURCE_SOURCE_BYTES_MAX + 1], result[ACTION_RESULT_BYTES_MAX + 1];
    struct action_item item = {
        .action = action, .component = component, .check = check, .result = result
    };
    uint64_t begun_ns, ended_ns;
    size_t tabs = 0, count = record->count;
    for (size_t i = 0; i < line.size; i++)
        tabs += line.data[i] == '\t';
    if (tabs != 7 || item_text_read(&line, action, sizeof action) < 0 ||
        item_text_read(&line, component, sizeof component) < 0 ||
        item_text_read(&line, check, sizeof check) < 0 ||
        (item.state = action_state_read(&line)) == ACTION_NONE ||
        item_number_read(&line, INT64_MAX, &begun_ns) < 0 ||
        item_number_read(&line, INT64_MAX, &ended_ns) < 0 ||
        item_number_read(&line, UINT32_MAX, &item.tries) < 0 ||
        item_text_read(&line, result, sizeof result) < 0)
        return -EBADMSG;
    item.begun_ns = (int64_t)begun_ns;
    item.ended_ns = (int64_t)ended_ns;
    int rc = action_record_set(record, &item);
    if (rc == -EINVAL || (rc == 0 && record->count == count)) /* there twice */
        return -EBADMSG;
    return rc;
}

static int actions_read(struct action_record *record, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err none = { 0 };
    int rc = file_read(record->path, RECORD_BYTES_MAX, &text, &none);
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return err_set(err, -rc, "%s", none.text[0] ? none.text : strerror(-rc));
    struct span rest = strbuf_span(&text), line;
    for (unsigned long number = 1; rc == 0 && rest.size > 0; number++) {
        bool is_whole = memchr(rest.data, '\n', rest.size);
        (void)span_cut(&rest, '\n', &line);
        rc = is_whole ? action_item_read(record, line) : -EBADMSG;
        if (rc < 0)
            rc = err_set(err, -rc,
                         "%s:%lu: damaged: not ACTION, COMPONENT, CHECK, STATE, BEGUN, "
                         "ENDED, TRIES, RESULT, of a cause once each; no action is run",
                         record->path, number);
    }
    return rc;
}

int action_record_save(struct action_record *record, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < record->count; i++) {
        const struct stored_item *item = &record->items[i];
        if (item->state != ACTION_NONE)
            strbuf_addf(&text,
                        "%s\t%s\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRIu64 "\t%s\n",
                        item->texts[0], item->texts[1], item->texts[2],
                        state_names[item->state], item->begun_ns, item->ended_ns,
                        item->tries, item->texts[3]);
    }
    if (strbuf_error(&text) < 0)
        return -ENOMEM;
    return file_replace(record->path, strbuf_text(&text), text.size, 0600, err);
}

int action_record_open(const char *directory, struct action_record **ret,
                       struct err *err)
{
    AUTO(action_record_close) struct action_record *record = calloc(1, sizeof *record);
    if (!record)
        return -ENOMEM;
    if (asprintf(&record->path, "%s/actions", directory) < 0) {
        record->path = NULL;
        return -ENOMEM;
    }
    int rc = actions_read(record, err);
    if (rc == 0)
        *ret = TAKE(record);
    return rc;
}

void action_record_close(struct action_record *record)
{
    if (!record)
        return;
    for (size_t i = 0; i < record->count; i++)
        stored_free(&record->items[i]);
    free(record->items);
    hashmap_done(&record->by_key);
    free(record->path);
    free(record);
}
