/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_job_text - lists of jobs in any form, whole and in pieces: both give the same
 * jobs, and each job, printed as a line, is read as the same job again.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "source/scheduler/scheduler.h"

static int read_pieces(const uint8_t *data, size_t size, size_t piece,
                       const struct job_text_opts *opts, struct job_list *list)
{
    AUTO(job_text_free) struct job_text *text = NULL;
    struct err err = { 0 };
    fuzz_check(job_text_new(opts, list, &text) == 0);
    int rc = 0;
    for (size_t at = 0; at < size && rc == 0; at += piece)
        rc =
            job_text_feed(text, data + at, size - at < piece ? size - at : piece, &err);
    if (rc == 0)
        rc = job_text_finish(text, &err);
    fuzz_check((rc < 0) == (err.text[0] != '\0'));
    return rc;
}

/* Read what list prints; *ret_lines is what that prints then. */
static size_t print_again(const struct job_list *list, struct strbuf *ret_lines,
                          struct job_list *ret)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    const struct job_text_opts opts = { .form = JOB_FORM_JSON_LINES };
    for (size_t i = 0; i < list->count; i++)
        job_line_print(&list->jobs[i], &lines);
    fuzz_check(job_text_read(strbuf_span(&lines), &opts, ret, NULL) == 0);
    fuzz_check(ret->fault_count == 0 && ret->count <= list->count);
    for (size_t i = 0; i < ret->count; i++)
        job_line_print(&ret->jobs[i], ret_lines);
    return ret->count;
}

/* The strict reader takes each line of a job that may be kept, and tells the same. */
static void check_strict(const struct job *job)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    struct job read;
    arena_init(&arena, 0);
    job_line_print(job, &line);
    int rc = job_line_read(strbuf_span(&line), &arena, &read, NULL);
    if (rc < 0) {
        fuzz_check(job_check(job) != NULL || line.size > JOB_WORD_BYTES_MAX);
        return;
    }
    job_line_print(&read, &again);
    fuzz_check(span_eq(strbuf_span(&line), strbuf_span(&again)));
}

/* What is not told may be found the first time: how many nodes there are. */
static void check_again(const struct job_list *list)
{
    AUTO(job_list_done) struct job_list once;
    AUTO(job_list_done) struct job_list twice;
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf second = STRBUF_INIT;
    job_list_init(&once);
    job_list_init(&twice);
    if (print_again(list, &first, &once) < list->count)
        return; /* U+FFFD made two ids one */
    fuzz_check(print_again(&once, &second, &twice) == once.count);
    fuzz_check(span_eq(strbuf_span(&first), strbuf_span(&second)));
}

/* An hour that clocks show twice at 1,000 s. */
static struct zone_change changes[] = { { INT64_C(1000000000000), 0 } };
static const struct zone berlin = { INT64_C(3600000000000), changes, 1 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(job_list_done) struct job_list whole;
    AUTO(job_list_done) struct job_list pieces;
    struct job_names names = { 0 };
    job_list_init(&whole);
    job_list_init(&pieces);
    if (size == 0)
        return 0;
    const struct job_text_opts opts = { .form = data[0] % 8 < JOB_FORM_COUNT
                                                    ? data[0] % 8
                                                    : JOB_FORM_ANY,
                                        .clock = { data[0] & 8 ? &berlin : NULL, NULL },
                                        .names = data[0] & 16 ? &names : NULL };
    fuzz_check(job_names_add(&names, SPAN("start=begin")) == 0);
    int rc = read_pieces(data + 1, size - 1, size, &opts, &whole);
    int other = read_pieces(data + 1, size - 1, 1 + (data[0] >> 5), &opts, &pieces);
    fuzz_check(rc == other && whole.count == pieces.count &&
               whole.fault_count == pieces.fault_count);
    for (size_t i = 0; i < whole.count && i < 64; i++)
        fuzz_check(job_list_find(&whole, whole.jobs[i].cluster, whole.jobs[i].id) !=
                   NULL);
    for (size_t i = 0; i < whole.count && i < 64; i++)
        check_strict(&whole.jobs[i]);
    check_again(&whole);
    return 0;
}
