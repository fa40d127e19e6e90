/* SPDX-License-Identifier: Apache-2.0 */
/* stress - puts batches as fast as they are acknowledged, so that a test can kill it or
 * its database at any moment.
 *
 *     records_stress sqlite PATH | postgres CONNECTION   BATCHES ROWS
 *
 * Batches are the same in every run: agent, sequence and rows.  Each acknowledgement is
 * one line "ack SEQUENCE taken=N known=N replayed=N", written before the next put; a
 * refusal with -EAGAIN or -ENOSPC is "again REASON" and tried until it works.
 */
#include "base/number.h"
#include "base/span.h"
#include "records/records.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#define BEGIN_MS INT64_C(1795219200000)
#define TRIES_MAX 1200

static void pause_a_moment(void)
{
    (void)nanosleep(&(struct timespec){ .tv_nsec = 50 * NS_PER_MS }, NULL);
}

static bool is_passing(int rc)
{
    return rc == -EAGAIN || rc == -ENOSPC;
}

static int batch_fill(struct jobbatch *batch, uint64_t sequence, uint64_t rows)
{
    batch->has_id = true;
    memset(batch->agent.bytes, 7, sizeof batch->agent.bytes);
    batch->sequence = sequence;
    for (uint64_t i = 0; i < rows; i++) {
        struct jobrow *row = jobbatch_add_row(batch);
        char text[64];
        if (!row)
            return -ENOMEM;
        (void)snprintf(text, sizeof text, "scratch-OST%04x", (unsigned)(i % 8));
        row->target = (struct span){ arena_dup(&batch->arena, span_of(text)), 15 };
        /* Every batch brings a new series, and adds to old ones. */
        (void)snprintf(text, sizeof text, "%" PRIu64 ":1000:n1",
                       i == 0 ? 100000 + sequence : i);
        row->entry_id =
            (struct span){ arena_dup(&batch->arena, span_of(text)), strlen(text) };
        row->fs = SPAN("scratch");
        row->kind = TARGET_OST;
        row->server = SPAN("oss01");
        row->t_ms = BEGIN_MS + (int64_t)sequence * 1000;
        row->has_samples = UINT64_C(1) << OP_WRITE;
        row->samples[OP_WRITE] = sequence;
    }
    return 0;
}

static int put_until_taken(struct records *records, uint64_t sequence, uint64_t rows)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    jobbatch_init(&batch, 0);
    int rc = batch_fill(&batch, sequence, rows);
    for (int i = 0; rc == 0 && i < TRIES_MAX; i++) {
        struct records_response answer;
        struct err err = { 0 };
        rc =
            records_put(records, &batch, BEGIN_MS + 3600000, &answer, NULL, NULL, &err);
        if (rc == 0) {
            printf("ack %" PRIu64 " taken=%" PRIu64 " known=%" PRIu64 " replayed=%d\n",
                   sequence, answer.accepted, answer.duplicate, answer.replayed);
            return fflush(stdout) == 0 ? 0 : -EIO;
        }
        printf("again %s\n", err.text);
        (void)fflush(stdout);
        if (!is_passing(rc))
            return rc;
        rc = 0;
        pause_a_moment();
    }
    return rc < 0 ? rc : -ETIMEDOUT;
}

int main(int argc, char **argv)
{
    uint64_t batches = 0, rows = 0, compress_after_s = 0;
    if (argc < 5 || argc > 6 || number_parse_u64(span_of(argv[3]), &batches) < 0 ||
        number_parse_u64(span_of(argv[4]), &rows) < 0 ||
        (argc > 5 && number_parse_u64(span_of(argv[5]), &compress_after_s) < 0)) {
        fprintf(stderr, "usage: records_stress sqlite|postgres WHERE BATCHES ROWS "
                        "[COMPRESS_AFTER_S]\n");
        return EXIT_USAGE;
    }
    (void)signal(SIGXFSZ, SIG_IGN); /* a file at its limit is an error like another */
    struct records_opts opts = { .engine = argv[1],
                                 .path = argv[2],
                                 .connection = argv[2],
                                 .retention_ns = 10 * INT64_C(86400) * NS_PER_S,
                                 .compress_after_ns =
                                     (int64_t)compress_after_s * NS_PER_S,
                                 .timeout_ns = 2 * NS_PER_S };
    AUTO(site_free) struct site *site = NULL;
    AUTO(records_close) struct records *records = NULL;
    struct err err = { 0 };
    int rc = site_new(NULL, &site, &err);
    for (int i = 0; rc == 0 && !records && i < TRIES_MAX; i++) {
        rc = records_open(&opts, site, &records, &err);
        if (!is_passing(rc))
            break;
        rc = 0;
        pause_a_moment();
    }
    if (rc < 0 || !records) {
        fprintf(stderr, "records_stress: open: %s\n", err.text);
        return EXIT_FAILED;
    }
    printf("open %s\n", records_describe(records));
    for (uint64_t sequence = 1; sequence <= batches && rc == 0; sequence++)
        rc = put_until_taken(records, sequence, rows);
    if (rc == 0)
        rc = records_maintain(records, BEGIN_MS + 3600000, NULL);
    /* What is done in the background is begun by an upkeep, and goes on at each
     * transaction. */
    struct records_background background;
    records_get_background(records, &background);
    for (int i = 0; i < TRIES_MAX && background.is_compressing; i++) {
        pause_a_moment();
        rc = put_until_taken(records, 1, rows);
        records_get_background(records, &background);
    }
    if (background.failed)
        printf("background failed=%" PRIu64 " failures=%" PRIu64 " compressed=%" PRIu64
               " %s\nchunks failed=%" PRIu64 " %s\n",
               background.failed, background.failures, background.compressed,
               background.why, background.chunk_failures, background.chunk_why);
    printf("end %d\n", rc);
    return rc == 0 ? EXIT_OK : EXIT_FAILED;
}
