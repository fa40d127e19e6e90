/* SPDX-License-Identifier: Apache-2.0 */
/* results_file - what a job's session found, in a SQLite file of its owner. */
#include "jobsession/results_file.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "jobsession/results_past.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <time.h>

#define PAGE_BYTES 4096
#define OPEN_BUSY_MS 10000
#define BUSY_PAUSE_NS (20 * NS_PER_MS)
/* After it was given up, for a write that is under way. */
#define ABANDON_WAIT_NS (2 * NS_PER_S)

enum row_table {
    ROW_SESSION,
    ROW_RESULT,
    ROW_SAMPLE,
    ROW_EVENT,
    ROW_HEALTH,
    ROW_FILE,
    ROW_TABLE_COUNT
};

enum { ROW_NUMBERS = 4, ROW_TEXTS = 6 };

/* Texts are offsets in the pool of the group. */
struct result_row {
    enum row_table table;
    int64_t numbers[ROW_NUMBERS];
    double value;
    size_t texts[ROW_TEXTS], sizes[ROW_TEXTS];
};

struct row_group {
    struct row_group *next;
    struct result_row *rows;
    size_t count, capacity;
    struct strbuf pool;
    bool is_short; /* memory was out */
};

struct results_file {
    sqlite3 *db;
    sqlite3_stmt *inserts[ROW_TABLE_COUNT];
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    struct row_group *first, **last;
    size_t queued_bytes;
    bool is_stopping, has_thread, has_ended;
    size_t writing;            /* rows of the group that is being written */
    _Atomic bool is_abandoned; /* no more is written */
    pthread_cond_t idle;       /* nothing is queued, nothing is being written */
    struct results_counts counts;
};

static const char schema[] =
    "BEGIN; CREATE TABLE IF NOT EXISTS session (key TEXT PRIMARY KEY, value TEXT NOT "
    "NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS results (metric TEXT NOT NULL, t_ms INTEGER NOT NULL,"
    " value REAL NOT NULL, PRIMARY KEY (metric, t_ms)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS samples (metric TEXT NOT NULL, host TEXT NOT NULL,"
    " part TEXT NOT NULL, t_ms INTEGER NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY (metric, host, part, t_ms)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS events (incarnation INTEGER NOT NULL, sequence INTEGER "
    "NOT NULL,"
    " t_ns INTEGER NOT NULL, uid INTEGER NOT NULL, host TEXT NOT NULL,"
    " name TEXT NOT NULL, payload TEXT NOT NULL,"
    " PRIMARY KEY (incarnation, sequence)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS health (origin TEXT NOT NULL, component TEXT NOT NULL,"
    " source TEXT NOT NULL, since_ns INTEGER NOT NULL, health TEXT NOT NULL,"
    " reason TEXT NOT NULL, said_by TEXT NOT NULL,"
    " PRIMARY KEY (origin, component, source)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS files (host TEXT NOT NULL, kind TEXT NOT NULL, name "
    "TEXT NOT NULL,"
    " build_id TEXT NOT NULL, size INTEGER NOT NULL, mtime_s INTEGER NOT NULL,"
    " version TEXT NOT NULL, t_ns INTEGER NOT NULL,"
    " PRIMARY KEY (host, kind, name, build_id)) WITHOUT ROWID; COMMIT;";

/* Numbers, then the value, then texts, as many as each has. */
static const struct {
    const char *sql;
    int numbers, texts;
    bool has_value;
} tables[ROW_TABLE_COUNT] = {
    [ROW_SESSION] = { "INSERT OR REPLACE INTO session (key, value) VALUES (?, ?)", 0, 2,
                      false },
    [ROW_RESULT] = { "INSERT OR REPLACE INTO results (t_ms, value, metric) "
                     "VALUES (?, ?, ?)",
                     1, 1, true },
    [ROW_SAMPLE] = { "INSERT OR REPLACE INTO samples (t_ms, value, metric, host, part) "
                     "VALUES (?, ?, ?, ?, ?)",
                     1, 3, true },
    [ROW_EVENT] = { "INSERT OR REPLACE INTO events (incarnation, sequence, t_ns, uid, "
                    "host, name, payload) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    4, 3, false },
    [ROW_HEALTH] = { "INSERT OR REPLACE INTO health (since_ns, origin, component, "
                     "source, health, reason, said_by) VALUES (?, ?, ?, ?, ?, ?, ?)",
                     1, 6, false },
    [ROW_FILE] = { "INSERT OR REPLACE INTO files (size, mtime_s, t_ns, host, "
                   "kind, name, build_id, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                   3, 5, false },
};

/* ---- groups of rows ---- */

static void group_free(struct row_group *group)
{
    if (!group)
        return;
    strbuf_done(&group->pool);
    free(group->rows);
    free(group);
}

static size_t group_bytes(const struct row_group *group)
{
    return sizeof *group + group->capacity * sizeof *group->rows + group->pool.capacity;
}

/* NULL: memory is out, which the group remembers. */
static struct result_row *group_add(struct row_group *group, enum row_table table)
{
    if (group->count == group->capacity) {
        size_t capacity = group->capacity ? 2 * group->capacity : 16;
        struct result_row *rows = realloc(group->rows, capacity * sizeof *rows);
        if (!rows) {
            group->is_short = true;
            return NULL;
        }
        group->rows = rows;
        group->capacity = capacity;
    }
    struct result_row *row = &group->rows[group->count++];
    *row = (struct result_row){ .table = table };
    return row;
}

static void row_text(struct row_group *group, struct result_row *row, int index,
                     struct span text)
{
    row->texts[index] = group->pool.size;
    row->sizes[index] = text.size;
    strbuf_add_span(&group->pool, text);
}

static void count_lost_locked(struct results_file *file, size_t rows, const char *why)
{
    file->counts.lost += rows;
    (void)snprintf(file->counts.error, sizeof file->counts.error, "%s", why);
}

static void count_lost(struct results_file *file, size_t rows, const char *why)
{
    LOCKED(&file->lock);
    count_lost_locked(file, rows, why);
}

static void group_queue(struct results_file *file, struct row_group *group)
{
    size_t bytes = group_bytes(group);
    bool is_short = group->is_short || strbuf_error(&group->pool) < 0;
    {
        LOCKED(&file->lock);
        if (!is_short && !file->is_abandoned &&
            file->queued_bytes + bytes <= RESULTS_QUEUE_BYTES_MAX) {
            file->queued_bytes += bytes;
            *file->last = group;
            file->last = &group->next;
            (void)pthread_cond_signal(&file->wake);
            return;
        }
    }
    count_lost(file, group->count ? group->count : 1,
               is_short ? "memory is out" : "the file system is too slow");
    group_free(group);
}

/* ---- what is put ---- */

void results_file_note(struct results_file *file, const char *key, const char *value)
{
    struct row_group *group = calloc(1, sizeof *group);
    struct result_row *row = group ? group_add(group, ROW_SESSION) : NULL;
    if (row) {
        row_text(group, row, 0, span_of(key));
        row_text(group, row, 1, span_of(value));
    }
    if (group)
        group_queue(file, group);
}

struct result_filler {
    struct row_group *group;
    int64_t t_ms;
};

static void add_result(void *arg, const char *name, double value)
{
    struct result_filler *f = arg;
    struct result_row *row = group_add(f->group, ROW_RESULT);
    if (!row)
        return;
    row->numbers[0] = f->t_ms;
    row->value = value;
    row_text(f->group, row, 0, span_of(name));
}

/* The label of a sample is "HOST" or "HOST/PART". */
static void add_samples(struct result_filler *f, const struct bundle_item *item)
{
    for (size_t i = 0; i < item->reduction.top.count; i++) {
        const struct reduce_top_entry *entry = &item->reduction.top.entries[i];
        struct span part = { entry->label.text, entry->label.size }, host;
        struct result_row *row = group_add(f->group, ROW_SAMPLE);
        if (!row)
            return;
        row->numbers[0] = f->t_ms;
        row->value = entry->value;
        (void)span_cut(&part, '/', &host);
        row_text(f->group, row, 0, bundle_name(item));
        row_text(f->group, row, 1, host);
        row_text(f->group, row, 2, part);
    }
}

void results_file_result(struct results_file *file, const struct session_result *result)
{
    const struct bundle *bundle = result->bundle;
    struct row_group *group = calloc(1, sizeof *group);
    if (!group) {
        count_lost(file, 1, "memory is out");
        return;
    }
    struct result_filler filler = { group, result->at.instant_ns / NS_PER_MS };
    add_result(&filler, "session_expected", result->expected);
    add_result(&filler, "session_contributed", rank_set_size(&bundle->ranks));
    add_result(&filler, "session_late", (double)result->late);
    bundle_numbers(bundle, (struct span){ "", 0 }, add_result, &filler);
    for (size_t i = 0; i < bundle->count; i++)
        if (bundle->items[i].reduction.kind == REDUCE_TOP)
            add_samples(&filler, &bundle->items[i]);
    group_queue(file, group);
}

void results_file_event(struct results_file *file, const struct session_event *event,
                        const char *host)
{
    struct row_group *group = calloc(1, sizeof *group);
    struct result_row *row = group ? group_add(group, ROW_EVENT) : NULL;
    if (row) {
        row->numbers[0] = (int64_t)event->incarnation;
        row->numbers[1] = (int64_t)event->sequence;
        row->numbers[2] = event->t_ns;
        row->numbers[3] = event->uid;
        row_text(group, row, 0, span_of(host));
        row_text(group, row, 1, event->name);
        row_text(group, row, 2, event->payload);
    }
    if (group)
        group_queue(file, group);
}

void results_file_health(struct results_file *file, const char *origin,
                         const struct resource_statement *s)
{
    struct row_group *group = calloc(1, sizeof *group);
    struct result_row *row = group ? group_add(group, ROW_HEALTH) : NULL;
    if (row) {
        row->numbers[0] = s->t_ns;
        row_text(group, row, 0, span_of(origin));
        row_text(group, row, 1, s->component);
        row_text(group, row, 2, s->source);
        row_text(group, row, 3, span_of(resource_health_name(s->health)));
        row_text(group, row, 4, s->reason);
        row_text(group, row, 5, s->by);
    }
    if (group)
        group_queue(file, group);
}

static void add_file_row(struct row_group *group, const struct job_file *file,
                         int64_t t_ns, const char *host)
{
    struct result_row *row = group_add(group, ROW_FILE);
    if (!row)
        return;
    row->numbers[0] = file->size;
    row->numbers[1] = file->mtime_s;
    row->numbers[2] = t_ns;
    row_text(group, row, 0, span_of(host));
    row_text(group, row, 1, span_of(job_file_kind_name(file->kind)));
    row_text(group, row, 2, file->name);
    row_text(group, row, 3, file->build_id);
    row_text(group, row, 4, file->version);
}

void results_file_files(struct results_file *file, const struct session_event *event,
                        const char *host)
{
    struct row_group *group = calloc(1, sizeof *group);
    struct span rest = event->payload, text;
    struct job_file one;
    while (group && rest.size > 0) {
        (void)span_cut(&rest, '\t', &text);
        if (job_file_parse(text, &one) == 0)
            add_file_row(group, &one, event->t_ns, host);
    }
    if (group)
        group_queue(file, group);
}

/* ---- the writer's thread ---- */

static int row_insert(struct results_file *file, const struct row_group *group,
                      const struct result_row *row)
{
    sqlite3_stmt *stmt = file->inserts[row->table];
    int index = 1;
    for (int i = 0; i < tables[row->table].numbers; i++)
        (void)sqlite3_bind_int64(stmt, index++, row->numbers[i]);
    if (tables[row->table].has_value)
        (void)sqlite3_bind_double(stmt, index++, row->value);
    for (int i = 0; i < tables[row->table].texts; i++)
        (void)sqlite3_bind_text(stmt, index++,
                                strbuf_text(&group->pool) + row->texts[i],
                                (int)row->sizes[i], SQLITE_STATIC);
    int code = sqlite3_step(stmt);
    (void)sqlite3_reset(stmt);
    (void)sqlite3_clear_bindings(stmt);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int group_insert(struct results_file *file, const struct row_group *group)
{
    int code = sqlite3_exec(file->db, "BEGIN", NULL, NULL, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < group->count; i++)
        code = row_insert(file, group, &group->rows[i]);
    if (code == SQLITE_OK)
        code = sqlite3_exec(file->db, "COMMIT", NULL, NULL, NULL);
    return code;
}

/* Home directories are on network file systems, and she may read the file meanwhile: a
 * lock may come late, and no row is given up for that before the end. */
static int wait_for_lock(void *arg, int tries)
{
    struct results_file *file = arg;
    const struct timespec pause = { .tv_nsec = BUSY_PAUSE_NS };
    (void)tries;
    if (file->is_abandoned)
        return 0;
    (void)nanosleep(&pause, NULL);
    return 1;
}

static void group_write(struct results_file *file, struct row_group *group)
{
    int code;
    do {
        code = group_insert(file, group);
        if (code != SQLITE_OK && !sqlite3_get_autocommit(file->db))
            (void)sqlite3_exec(file->db, "ROLLBACK", NULL, NULL, NULL);
    } while (code == SQLITE_BUSY && wait_for_lock(file, 0));
    LOCKED(&file->lock);
    if (file->writing == 0) /* counted as lost already */
        return;
    if (code == SQLITE_OK)
        file->counts.written += group->count;
    else if (code == SQLITE_FULL)
        count_lost_locked(file, group->count,
                          "the file has its largest size, or the disk is full");
    else
        count_lost_locked(file, group->count, sqlite3_errstr(code));
    file->writing = 0;
}

/* NULL: all is written, and nothing more comes. */
static struct row_group *group_next(struct results_file *file)
{
    LOCKED(&file->lock);
    if (!file->first)
        (void)pthread_cond_broadcast(&file->idle);
    while (!file->first && !file->is_stopping)
        (void)pthread_cond_wait(&file->wake, &file->lock);
    struct row_group *group = file->first;
    if (!group) {
        file->has_ended = true;
        (void)pthread_cond_broadcast(&file->idle);
        return NULL;
    }
    file->writing = group->count;
    file->queued_bytes -= group_bytes(group);
    file->first = group->next;
    if (!file->first)
        file->last = &file->first;
    return group;
}

static void *write_rows(void *arg)
{
    struct results_file *file = arg;
    struct row_group *group;
    while ((group = group_next(file)) != NULL) {
        group_write(file, group);
        group_free(group);
    }
    return NULL;
}

/* ---- the door ---- */

/* A rollback journal, not a log beside it: that needs memory shared by all who read,
 * which a network file system has not. */
static int create_tables(struct results_file *file, uint64_t bytes_max)
{
    char pragmas[256];
    (void)snprintf(pragmas, sizeof pragmas,
                   "PRAGMA page_size = %d; PRAGMA journal_mode = TRUNCATE;"
                   "PRAGMA synchronous = NORMAL; PRAGMA max_page_count = %llu;",
                   PAGE_BYTES, (unsigned long long)(bytes_max / PAGE_BYTES));
    (void)sqlite3_busy_timeout(file->db, OPEN_BUSY_MS);
    int code = sqlite3_exec(file->db, pragmas, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(file->db, schema, NULL, NULL, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < ROW_TABLE_COUNT; i++)
        code = sqlite3_prepare_v2(file->db, tables[i].sql, -1, &file->inserts[i], NULL);
    (void)sqlite3_busy_handler(file->db, wait_for_lock, file);
    return code;
}

/* past: NULL: the file is new, and nothing must be there yet. */
static int open_database(struct results_file *file, const char *path,
                         uint64_t bytes_max, struct results_past *past, struct err *err)
{
    AUTO_CLOSE int fd =
        past ? -1 : open(path, O_CREAT | O_EXCL | O_CLOEXEC | O_RDWR, 0600);
    if (!past && fd < 0)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    int code = sqlite3_open_v2(path, &file->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);
    int rc = 0;
    if (code == SQLITE_OK && past)
        rc = results_past_read(file->db, path, past, err);
    if (rc < 0)
        return rc;
    if (code == SQLITE_OK)
        code = create_tables(file, bytes_max);
    return code == SQLITE_OK
               ? 0
               : err_set(err, EIO, "'%s': %s", path,
                         file->db ? sqlite3_errmsg(file->db) : "out of memory");
}

static int open_file(const char *path, uint64_t bytes_max, struct results_past *past,
                     struct results_file **ret, struct err *err)
{
    AUTO(results_file_close) struct results_file *file = calloc(1, sizeof *file);
    pthread_condattr_t steady; /* a step of the clock prolongs no wait */
    if (!file)
        return -ENOMEM;
    (void)pthread_condattr_init(&steady);
    (void)pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&file->lock, NULL);
    (void)pthread_cond_init(&file->wake, NULL);
    (void)pthread_cond_init(&file->idle, &steady);
    (void)pthread_condattr_destroy(&steady);
    file->last = &file->first;
    int rc = open_database(file, path, bytes_max, past, err);
    if (rc == 0)
        rc = -pthread_create(&file->thread, NULL, write_rows, file);
    if (rc < 0)
        return rc;
    file->has_thread = true;
    *ret = TAKE(file);
    return 0;
}

int results_file_open(const char *path, uint64_t bytes_max, struct results_file **ret,
                      struct err *err)
{
    return open_file(path, bytes_max, NULL, ret, err);
}

int results_file_resume(const char *path, uint64_t bytes_max, struct results_past *past,
                        struct results_file **ret, struct err *err)
{
    return open_file(path, bytes_max, past, ret, err);
}

/* Until nothing is queued or being written; where the thread is to end, until it has.
 */
static bool wait_idle(struct results_file *file, int64_t wait_ns)
{
    int64_t end_ns = clock_monotonic_ns() + wait_ns;
    const struct timespec until = { end_ns / NS_PER_S, end_ns % NS_PER_S };
    int rc = 0;
    while (rc == 0 && (file->first || file->writing > 0 ||
                       (file->is_stopping && !file->has_ended)))
        rc = pthread_cond_timedwait(&file->idle, &file->lock, &until);
    return rc == 0;
}

/* What is queued is lost; so is what a file system that does not respond has. */
static void abandon_locked(struct results_file *file)
{
    static const char why[] = "the file was locked, or its file system did not respond";
    struct row_group *group;
    file->is_abandoned = true;
    while ((group = file->first) != NULL) {
        file->first = group->next;
        count_lost_locked(file, group->count, why);
        group_free(group);
    }
    file->last = &file->first;
    file->queued_bytes = 0;
    sqlite3_interrupt(file->db);
    if (wait_idle(file, ABANDON_WAIT_NS) || file->writing == 0)
        return;
    count_lost_locked(file, file->writing, why);
    file->writing = 0;
}

void results_file_flush(struct results_file *file, int64_t wait_ns)
{
    LOCKED(&file->lock);
    if (!file->is_abandoned && !wait_idle(file, wait_ns))
        abandon_locked(file);
}

/* False: its thread is in a call of a file system that does not return. */
static bool end_writer(struct results_file *file, int64_t wait_ns)
{
    {
        LOCKED(&file->lock);
        file->is_stopping = true;
        (void)pthread_cond_signal(&file->wake);
        if (!wait_idle(file, file->is_abandoned ? ABANDON_WAIT_NS : wait_ns))
            abandon_locked(file);
        if (!file->has_ended)
            return false;
    }
    (void)pthread_join(file->thread, NULL);
    return true;
}

bool results_file_end(struct results_file *file, int64_t wait_ns)
{
    /* It is in use for as long as the program runs. */
    static struct results_file *volatile left;
    if (!file)
        return true;
    if (file->has_thread && !end_writer(file, wait_ns)) {
        left = file;
        (void)pthread_detach(left->thread);
        return false;
    }
    for (size_t i = 0; i < ROW_TABLE_COUNT; i++)
        (void)sqlite3_finalize(file->inserts[i]);
    (void)sqlite3_close(file->db);
    (void)pthread_cond_destroy(&file->wake);
    (void)pthread_cond_destroy(&file->idle);
    (void)pthread_mutex_destroy(&file->lock);
    free(file);
    return true;
}

void results_file_close(struct results_file *file)
{
    (void)results_file_end(file, RESULTS_WAIT_NS);
}

void results_file_count(struct results_file *file, struct results_counts *ret)
{
    LOCKED(&file->lock);
    *ret = file->counts;
}
