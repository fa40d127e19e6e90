/* SPDX-License-Identifier: Apache-2.0 */
/* record - what was drained by us, in a directory, and a log of every action. */
#include "act/record.h"

#include "base/file.h"
#include "base/hashmap.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_BYTES_MAX ((size_t)64 << 20)

static const char *const state_names[ACT_STATE_COUNT] = { "",         "seen",
                                                          "begun",    "drained",
                                                          "resuming", "overruled" };

/* No node has that name: of the last run.  SINCE is the time since the machine's start,
 * REASON "run", which start, and when a clock was set last. */
#define RUN_NODE "*"
#define RUN_REASON "run"

#define CLUSTER_BYTES_MAX 255

struct record_item {
    char *cluster, *node, *reason;
    enum act_record_state state;
    int64_t changed_ns, since_ns;
};

struct act_record {
    char *path, *cluster; /* path: of "drained" */
    int lock, log;        /* descriptors; -1: not open */
    struct record_item *items;
    size_t count, capacity;
    struct hashmap by_node; /* "CLUSTER <tab> NODE": index + 1 */
};

/* ---- items ---- */

static int items_grow(struct act_record *record)
{
    size_t capacity = record->capacity ? 2 * record->capacity : 64;
    if (record->count < record->capacity)
        return 0;
    struct record_item *grown = reallocarray(record->items, capacity, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    record->items = grown;
    record->capacity = capacity;
    return 0;
}

static int item_key(const char *cluster, const char *node, struct strbuf *out)
{
    strbuf_addf(out, "%s\t%s", cluster, node);
    return strbuf_error(out);
}

static int item_get(struct act_record *record, const char *cluster, const char *node,
                    struct record_item **ret)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    bool is_new;
    if (item_key(cluster, node, &key) < 0 || items_grow(record) < 0)
        return -ENOMEM;
    uintptr_t *index = hashmap_put(&record->by_node, strbuf_span(&key), &is_new);
    if (!index)
        return -ENOMEM;
    if (is_new) {
        record->items[record->count] = (struct record_item){
            .cluster = strdup(cluster),
            .node = strdup(node),
        };
        *index = ++record->count;
    }
    *ret = &record->items[*index - 1];
    return (*ret)->node && (*ret)->cluster ? 0 : -ENOMEM;
}

static int item_set(struct act_record *record, const char *cluster,
                    const struct act_item *from)
{
    struct record_item *item = NULL;
    char *copy = strdup(from->reason ? from->reason : "");
    int rc = copy ? item_get(record, cluster, from->node, &item) : -ENOMEM;
    if (rc < 0) {
        free(copy);
        return rc;
    }
    free(item->reason);
    item->reason = copy;
    item->state = from->state;
    item->changed_ns = from->changed_ns;
    item->since_ns = from->since_ns;
    return 0;
}

/* ---- what can be written, and read again ---- */

static bool is_one_line(const char *text, size_t size_max)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    return size <= size_max;
}

bool act_cluster_is_valid(const char *name)
{
    return is_one_line(name, CLUSTER_BYTES_MAX) && *name && *name != '.' &&
           !strpbrk(name, "/ ");
}

static bool item_is_valid(const char *cluster, const struct act_item *item)
{
    const char *reason = item->reason ? item->reason : "";
    bool is_run = strcmp(item->node, RUN_NODE) == 0;
    if (!is_one_line(cluster, CLUSTER_BYTES_MAX) ||
        !is_one_line(reason, ACT_REASON_BYTES_MAX) || item->changed_ns < 0 ||
        item->since_ns < 0)
        return false;
    if (is_run ? item->state != ACT_SEEN : !node_name_is_valid(span_of(item->node)))
        return false;
    return item->state <= ACT_SEEN || act_reason_is_marked(reason);
}

int act_record_set(struct act_record *record, const struct act_item *item)
{
    return item_is_valid(record->cluster, item)
               ? item_set(record, record->cluster, item)
               : -EINVAL;
}

int act_record_adopt(struct act_record *record, size_t index)
{
    struct act_item item;
    act_record_at(record, index, &item);
    int rc = act_record_set(record, &item);
    if (rc == 0)
        record->items[index].state = ACT_NOTHING;
    return rc;
}

size_t act_record_count(const struct act_record *record)
{
    return record->count;
}

void act_record_at(const struct act_record *record, size_t index, struct act_item *ret)
{
    const struct record_item *item = &record->items[index];
    *ret = (struct act_item){
        .cluster = item->cluster,
        .node = item->node,
        .reason = item->reason,
        .state = item->state,
        .changed_ns = item->changed_ns,
        .since_ns = item->since_ns,
    };
}

bool act_record_find(const struct act_record *record, const char *node,
                     struct act_item *ret)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    *ret = (struct act_item){ .node = node };
    if (item_key(record->cluster, node, &key) < 0)
        return false;
    const uintptr_t *index = hashmap_get(&record->by_node, strbuf_span(&key));
    if (!index)
        return false;
    act_record_at(record, *index - 1, ret);
    return ret->state != ACT_NOTHING;
}

/* "START" or "START SET" */
static void run_reason_read(struct span text, struct run_clock *ret)
{
    struct span boot;
    uint64_t set_ns;
    (void)span_cut(&text, ' ', &boot);
    (void)snprintf(ret->boot, sizeof ret->boot, SPAN_FMT, SPAN_ARG(boot));
    if (number_parse_u64(text, &set_ns) == 0 && set_ns <= INT64_MAX)
        ret->set_ns = (int64_t)set_ns;
}

void act_record_last_run(const struct act_record *record, struct run_clock *ret)
{
    struct act_item item;
    *ret = (struct run_clock){ 0 };
    if (!act_record_find(record, RUN_NODE, &item))
        return;
    ret->t_ns = item.changed_ns;
    ret->boot_ns = item.since_ns;
    if (strncmp(item.reason, RUN_REASON " ", sizeof RUN_REASON) == 0)
        run_reason_read(span_of(item.reason + sizeof RUN_REASON), ret);
}

int act_record_set_last_run(struct act_record *record, const struct run_clock *now)
{
    char reason[sizeof RUN_REASON + RUN_CLOCK_BOOT_SIZE + 24];
    if (now->set_ns > 0)
        (void)snprintf(reason, sizeof reason, RUN_REASON " %s %lld", now->boot,
                       (long long)now->set_ns);
    else
        (void)snprintf(reason, sizeof reason, RUN_REASON " %s", now->boot);
    const struct act_item item = { .node = RUN_NODE,
                                   .state = ACT_SEEN,
                                   .changed_ns = now->t_ns,
                                   .since_ns = now->boot_ns,
                                   .reason = reason };
    return act_record_set(record, &item);
}

int act_record_start_anew(struct act_record *record, const struct run_clock *now)
{
    for (size_t i = 0; i < record->count; i++) {
        struct record_item *item = &record->items[i];
        if (strcmp(item->cluster, record->cluster) == 0)
            item->changed_ns = item->since_ns = now->t_ns;
    }
    return act_record_set_last_run(record, now);
}

/* ---- the file ---- */

static int record_state_read(struct span text, enum act_record_state *ret)
{
    for (int i = ACT_SEEN; i < ACT_STATE_COUNT; i++)
        if (span_is(text, state_names[i])) {
            *ret = (enum act_record_state)i;
            return 0;
        }
    return -EBADMSG;
}

static int text_cut(struct span *line, char *text, size_t size)
{
    struct span field;
    (void)span_cut(line, '\t', &field);
    if (field.size >= size || memchr(field.data, '\0', field.size))
        return -EBADMSG;
    (void)snprintf(text, size, SPAN_FMT, SPAN_ARG(field));
    return 0;
}

static int time_cut(struct span *line, int64_t *ret)
{
    struct span field;
    uint64_t ns;
    (void)span_cut(line, '\t', &field);
    if (number_parse_u64(field, &ns) < 0 || ns > INT64_MAX)
        return -EBADMSG;
    *ret = (int64_t)ns;
    return 0;
}

static bool item_is_there(const struct act_record *record, const char *cluster,
                          const char *node)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    return item_key(cluster, node, &key) < 0 ||
           hashmap_get(&record->by_node, strbuf_span(&key));
}

static int item_read(struct act_record *record, struct span line)
{
    char cluster[CLUSTER_BYTES_MAX + 1] = "", node[NODE_NAME_BYTES_MAX + 1],
                                     reason[ACT_REASON_BYTES_MAX + 1];
    struct act_item item = { .node = node, .reason = reason };
    struct span state;
    size_t tabs = 0;
    for (size_t i = 0; i < line.size; i++)
        tabs += line.data[i] == '\t';
    bool is_old = tabs == 2;
    if (!is_old && tabs != 5)
        return -EBADMSG;
    if ((!is_old && text_cut(&line, cluster, sizeof cluster) < 0) ||
        text_cut(&line, node, sizeof node) < 0 || !node[0])
        return -EBADMSG;
    (void)span_cut(&line, '\t', &state);
    if (record_state_read(state, &item.state) < 0 ||
        (!is_old && (time_cut(&line, &item.changed_ns) < 0 ||
                     time_cut(&line, &item.since_ns) < 0)) ||
        text_cut(&line, reason, sizeof reason) < 0)
        return -EBADMSG;
    if (!item_is_valid(cluster, &item) || item_is_there(record, cluster, node))
        return -EBADMSG;
    return item_set(record, cluster, &item);
}

static int items_read(struct act_record *record, const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = file_read(path, RECORD_BYTES_MAX, &text, err);
    struct span rest = strbuf_span(&text), line;
    for (unsigned long number = 1; rc == 0 && rest.size > 0; number++) {
        bool is_whole = memchr(rest.data, '\n', rest.size);
        (void)span_cut(&rest, '\n', &line);
        rc = is_whole ? item_read(record, line) : -EBADMSG;
        if (rc == -EBADMSG)
            rc = err_set(err, EBADMSG,
                         "%s:%lu: damaged: not CLUSTER, NODE, STATE, CHANGED, SINCE, "
                         "REASON, of a node once each; nothing is done",
                         path, number);
    }
    return rc;
}

int act_record_save(struct act_record *record, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    for (size_t i = 0; i < record->count; i++) {
        const struct record_item *item = &record->items[i];
        if (item->state != ACT_NOTHING)
            strbuf_addf(&text, "%s\t%s\t%s\t%lld\t%lld\t%s\n", item->cluster,
                        item->node, state_names[item->state],
                        (long long)item->changed_ns, (long long)item->since_ns,
                        item->reason);
    }
    if (strbuf_error(&text) < 0)
        return -ENOMEM;
    return file_replace(record->path, strbuf_text(&text), text.size, 0600, err);
}

static void entry_time(struct json_writer *w, const char *key, int64_t t_ns)
{
    char text[TIMETEXT_SIZE];
    timetext_print(text, t_ns);
    json_key(w, key);
    json_text(w, t_ns ? text : NULL);
}

static void entry_action(struct json_writer *w, const struct act_entry_action *run)
{
    const struct {
        const char *key, *value;
    } texts[] = { { "name", run->name },
                  { "component", run->component },
                  { "check", run->check },
                  { "state", run->state },
                  { "output", run->output } };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        json_key(w, texts[i].key);
        json_text(w, texts[i].value);
    }
    entry_time(w, "begun", run->begun_ns);
    entry_time(w, "ended", run->ended_ns);
    json_key(w, "cut_bytes");
    json_u64(w, run->cut_bytes);
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
                  { "reason_before", entry->reason_before },
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
    if (entry->run)
        entry_action(&w, entry->run);
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

/* A line that was torn by a kill swallows none. */
static int log_mend(int log)
{
    char last = '\n';
    off_t size = lseek(log, 0, SEEK_END);
    if (size < 0 || (size > 0 && pread(log, &last, 1, size - 1) != 1))
        return -EIO;
    return last == '\n' || write(log, "\n", 1) == 1 ? 0 : -EIO;
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
    record->log = open(log, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (record->log < 0 || log_mend(record->log) < 0)
        return err_set(err, errno ? errno : EIO, "%s: %s", log, strerror(errno));
    return 0;
}

static int drained_read(struct act_record *record, const char *old_directory,
                        struct err *err)
{
    AUTO_FREE char *old = NULL;
    struct err none = { 0 };
    int rc = items_read(record, record->path, &none);
    if (rc == -ENOENT && old_directory) {
        rc = path_make(old_directory, "drained", &old);
        none = (struct err){ 0 };
        rc = rc < 0 ? rc : items_read(record, old, &none);
    }
    if (rc < 0 && rc != -ENOENT)
        return err_set(err, -rc, "%s", none.text[0] ? none.text : strerror(-rc));
    return 0;
}

int act_record_open(const struct act_record_opts *opts, struct act_record **ret,
                    struct err *err)
{
    AUTO(act_record_close) struct act_record *record = calloc(1, sizeof *record);
    if (!record)
        return -ENOMEM;
    record->lock = record->log = -1;
    record->cluster = strdup(opts->cluster);
    int rc = record->cluster ? file_make_dirs(opts->directory, 0700, err) : -ENOMEM;
    if (rc == 0)
        rc = files_open(record, opts->directory, err);
    if (rc == 0)
        rc = drained_read(record, opts->old_directory, err);
    if (rc == 0)
        *ret = TAKE(record);
    return rc;
}

void act_record_close(struct act_record *record)
{
    if (!record)
        return;
    for (size_t i = 0; i < record->count; i++) {
        free(record->items[i].cluster);
        free(record->items[i].node);
        free(record->items[i].reason);
    }
    free(record->items);
    hashmap_done(&record->by_node);
    free(record->path);
    free(record->cluster);
    auto_close(&record->log);
    auto_close(&record->lock);
    free(record);
}
