/* SPDX-License-Identifier: Apache-2.0 */
/* fill - baro-fill DATABASE: a batch of jobstats JSON on standard input becomes rows in
 * an SQLite file, without a daemon.  For tests of what asks; never installed.
 */
#include "base/clock.h"
#include "base/file.h"
#include "records/records.h"
#include "wire/wire.h"

#include <stdio.h>

#define INPUT_MAX ((size_t)256 << 20)
#define RETENTION_NS (INT64_C(36500) * 86400 * 1000000000)

/* What ingest does: the instance of each row's file system. */
static void place(const struct site *site, struct jobbatch *batch)
{
    for (size_t i = 0; i < batch->row_count; i++)
        batch->rows[i].fs = site_fs(site, batch->rows[i].server, batch->rows[i].target);
}

static int decode(struct jobbatch *batch, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(jobstats_decoder_free) struct jobstats_decoder *decoder = NULL;
    int rc = file_read_fd(STDIN_FILENO, INPUT_MAX, &text);
    if (rc == 0)
        rc = jobstats_decoder_new(batch, &decoder);
    if (rc == 0)
        rc = jobstats_decoder_feed(decoder, strbuf_text(&text), text.size, err);
    if (rc == 0)
        rc = jobstats_decoder_finish(decoder, err);
    if (rc == 0 && jobstats_decoder_bad_count(decoder))
        return err_set(err, EBADMSG, "an entry was not understood: %s",
                       jobstats_decoder_bad(decoder, 0)->reason);
    return rc;
}

static int fill(const char *path, struct err *err)
{
    const struct records_opts opts = { .engine = "sqlite",
                                       .path = path,
                                       .retention_ns = RETENTION_NS };
    AUTO(site_free) struct site *site = NULL;
    AUTO(records_close) struct records *records = NULL;
    AUTO(jobbatch_done) struct jobbatch batch;
    struct records_response answer = { 0 };
    jobbatch_init(&batch, 0);
    int rc = decode(&batch, err);
    if (rc == 0)
        rc = site_new(NULL, &site, err);
    if (rc == 0)
        rc = records_open(&opts, site, &records, err);
    if (rc < 0)
        return rc;
    place(site, &batch);
    rc = records_put(records, &batch, clock_now_ms(), &answer, NULL, NULL, err);
    if (rc == 0)
        printf("taken %llu, known %llu, refused %llu\n",
               (unsigned long long)answer.accepted,
               (unsigned long long)answer.duplicate,
               (unsigned long long)answer.refused);
    return rc;
}

int main(int argc, char **argv)
{
    struct err err = { 0 };
    if (argc != 2) {
        fprintf(stderr, "usage: baro-fill DATABASE <BATCH\n");
        return EXIT_USAGE;
    }
    if (clock_start(&err) < 0 || fill(argv[1], &err) < 0) {
        fprintf(stderr, "baro-fill: %s\n", err.text);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}
