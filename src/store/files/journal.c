/* SPDX-License-Identifier: Apache-2.0 */
/* journal - the log of one shard. */
#include "store/files/journal.h"

#include "store/files/file_name.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#define SEGMENTS_PASSED_MAX 4

struct journal {
    char *dir;
    unsigned shard;
    pthread_mutex_t lock;
    pthread_mutex_t sync_lock; /* before lock where both are held: of the thread that
                                  syncs or closes */
    struct log *log;           /* NULL: the last one failed */
    struct log *failed;        /* to be closed by the thread that syncs; NULL: none */
    uint64_t segment;          /* its number, or the failed one's */
    bool is_bare;
    struct record record;
    struct strbuf bytes;
    _Atomic uint64_t sequence;
    _Atomic uint64_t synced_sequence;
    _Atomic uint64_t unsure_sequence; /* up to here may have been in a failed segment */
    _Atomic uint64_t records;
    _Atomic uint64_t bytes_appended;
    _Atomic uint64_t bytes_rotated;
    _Atomic uint64_t syncs;
    _Atomic uint64_t failures;
};

static int begin_segment(struct journal *journal, uint64_t segment, struct log **ret,
                         struct err *err)
{
    char path[STORE_PATH_MAX];
    const struct store_file file = { STORE_FILE_LOG, segment, journal->shard };
    store_file_path(path, journal->dir, &file);
    return log_create(path, LOG_BATCHES, segment, ret, err);
}

int journal_open(const struct journal_options *options, struct journal **ret,
                 struct err *err)
{
    AUTO(journal_close) struct journal *journal = calloc(1, sizeof *journal);
    if (!journal)
        return err_set(err, ENOMEM, "out of memory");
    (void)pthread_mutex_init(&journal->lock, NULL);
    (void)pthread_mutex_init(&journal->sync_lock, NULL);
    journal->dir = strdup(options->dir);
    if (!journal->dir)
        return err_set(err, ENOMEM, "out of memory");
    journal->shard = options->shard;
    journal->segment = options->segment;
    atomic_init(&journal->sequence, options->next_sequence - 1);
    atomic_init(&journal->synced_sequence, options->next_sequence - 1);
    int rc = begin_segment(journal, journal->segment, &journal->log, err);
    if (rc == -ENOSPC)
        journal->segment--;
    else if (rc < 0)
        return rc;
    *ret = TAKE(journal);
    return 0;
}

void journal_close(struct journal *journal)
{
    if (!journal)
        return;
    if (journal->log)
        (void)journal_sync(journal);
    log_close(journal->log);
    log_close(journal->failed);
    record_done(&journal->record);
    strbuf_done(&journal->bytes);
    (void)pthread_mutex_destroy(&journal->lock);
    (void)pthread_mutex_destroy(&journal->sync_lock);
    free(journal->dir);
    free(journal);
}

void journal_lock(struct journal *journal)
{
    (void)pthread_mutex_lock(&journal->lock);
}

void journal_unlock(struct journal *journal)
{
    (void)pthread_mutex_unlock(&journal->lock);
}

/* Under the lock.  Whoever syncs may have the file in hand, so it is closed there. */
static void give_up(struct journal *journal)
{
    (void)atomic_fetch_add(&journal->failures, 1);
    atomic_store(&journal->unsure_sequence, atomic_load(&journal->sequence));
    journal->failed = TAKE(journal->log);
}

int journal_ready(struct journal *journal, bool *ret_is_bare, struct err *err)
{
    if (journal->log && log_has_failed(journal->log)) {
        if (journal->failed)
            return err_set(err, EROFS, "the log has failed twice");
        give_up(journal);
    }
    if (!journal->log) {
        struct log *log = NULL;
        int rc = begin_segment(journal, journal->segment + 1, &log, err);
        /* journal_rotate() makes the same one just now: then the one after it. */
        for (int i = 0; rc == -EEXIST && i < SEGMENTS_PASSED_MAX; i++)
            rc = begin_segment(journal, ++journal->segment + 1, &log, err);
        if (rc < 0)
            return rc;
        journal->log = log;
        journal->segment++;
        journal->is_bare = true;
    }
    *ret_is_bare = journal->is_bare;
    return 0;
}

void journal_has_names(struct journal *journal)
{
    journal->is_bare = false;
}

struct record *journal_record(struct journal *journal)
{
    return &journal->record;
}

int journal_append(struct journal *journal)
{
    struct record *record = &journal->record;
    record->sequence = atomic_load(&journal->sequence) + 1;
    strbuf_clear(&journal->bytes);
    int rc = record_encode(record, &journal->bytes);
    if (rc < 0)
        return rc;
    if (!journal->log)
        return -EROFS;
    uint64_t before = log_size(journal->log);
    rc = log_append(journal->log, strbuf_span(&journal->bytes));
    if (rc < 0) {
        (void)atomic_fetch_add(&journal->failures, 1);
        return rc;
    }
    (void)atomic_fetch_add(&journal->bytes_appended, log_size(journal->log) - before);
    (void)atomic_fetch_add(&journal->records, 1);
    atomic_store(&journal->sequence, record->sequence);
    return 0;
}

uint64_t journal_sequence(const struct journal *journal)
{
    return atomic_load(&journal->sequence);
}

int journal_rotate(struct journal *journal, struct journal_rotation *ret,
                   struct err *err)
{
    struct log *log = NULL;
    LOCKED(&journal->sync_lock);
    journal_lock(journal);
    uint64_t segment = journal->segment + 1;
    journal_unlock(journal);
    /* Made without the lock, because its header is synced. */
    int rc = begin_segment(journal, segment, &log, err);
    journal_lock(journal);
    struct log *old = NULL;
    if (rc == 0 && journal->segment + 1 != segment) {
        /* A failure has begun another one meanwhile: that is new enough. */
        old = log;
        segment = journal->segment;
    } else if (rc == 0) {
        old = journal->log;
        journal->is_bare |= !old || log_has_failed(old);
        journal->log = log;
        journal->segment = segment;
        atomic_store(&journal->bytes_rotated, atomic_load(&journal->bytes_appended));
    }
    journal_unlock(journal);
    int sync_rc = old ? log_sync(old) : 0;
    if (sync_rc < 0) {
        /* Its names may be lost.  The checkpoint that rotates saves the samples.
         */
        journal_lock(journal);
        (void)atomic_fetch_add(&journal->failures, 1);
        atomic_store(&journal->unsure_sequence, atomic_load(&journal->sequence));
        journal->is_bare = true;
        journal_unlock(journal);
    }
    log_close(old);
    if (rc == 0)
        *ret = (struct journal_rotation){ segment, sync_rc };
    return rc;
}

int journal_sync(struct journal *journal)
{
    LOCKED(&journal->sync_lock);
    journal_lock(journal);
    struct log *log = journal->log;
    struct log *failed = TAKE(journal->failed);
    uint64_t sequence = atomic_load(&journal->sequence);
    journal_unlock(journal);
    log_close(failed);
    if (failed)
        return -EROFS;
    bool is_synced = sequence == atomic_load(&journal->synced_sequence);
    if (!log)
        return is_synced ? 0 : -EROFS;
    if (!log_has_failed(log) && is_synced)
        return 0;
    int rc = log_sync(log);
    (void)atomic_fetch_add(&journal->syncs, 1);
    if (rc == 0) {
        atomic_store(&journal->synced_sequence, sequence);
        return 0;
    }
    journal_lock(journal);
    if (journal->log == log)
        give_up(journal);
    failed = TAKE(journal->failed);
    journal_unlock(journal);
    log_close(failed);
    return rc;
}

int journal_sync_to(struct journal *journal, uint64_t sequence)
{
    uint64_t synced = atomic_load(&journal->synced_sequence);
    int rc = sequence <= synced ? 0 : journal_sync(journal);
    bool is_unsure =
        sequence > synced && sequence <= atomic_load(&journal->unsure_sequence);
    return rc == 0 && is_unsure ? -EIO : rc;
}

void journal_status(struct journal *journal, struct journal_status *ret)
{
    journal_lock(journal);
    uint64_t segment = journal->segment;
    journal_unlock(journal);
    *ret = (struct journal_status){
        .segment = segment,
        .records = atomic_load(&journal->records),
        .bytes = atomic_load(&journal->bytes_appended),
        .bytes_rotated = atomic_load(&journal->bytes_rotated),
        .syncs = atomic_load(&journal->syncs),
        .failures = atomic_load(&journal->failures),
    };
}
