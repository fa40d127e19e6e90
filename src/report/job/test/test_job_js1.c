/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_js1 - a comment in Princeton's form comes back as what it was made of. */
#include "base/span.h"
#include "base/test/testing.h"
#include "report/job/job_js1.h"

#include <math.h>
#include <stdio.h>
#include <zlib.h>

static int base64_value(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* The JSON of a comment: what a reader of these comments does. */
static void text_of(struct span comment, char *ret, size_t size)
{
    unsigned char packed[4096];
    size_t count = 0;
    unsigned bits = 0, group = 0;
    assert_true(span_starts(comment, "JS1:H4s"));
    comment = span_skip(comment, 4);
    assert_int_equal(comment.size % 4, 0);
    for (size_t i = 0; i < comment.size && comment.data[i] != '='; i++) {
        assert_true(base64_value(comment.data[i]) >= 0);
        group = group << 6 | (unsigned)base64_value(comment.data[i]);
        bits += 6;
        if (bits < 8)
            continue;
        bits -= 8;
        assert_true(count < sizeof packed);
        packed[count++] = (unsigned char)(group >> bits);
    }
    z_stream z = { .next_in = packed,
                   .avail_in = (uInt)count,
                   .next_out = (Bytef *)ret,
                   .avail_out = (uInt)size - 1 };
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    ret[z.total_out] = '\0';
    (void)inflateEnd(&z);
}

static void a_comment_has_what_was_used(void **state)
{
    (void)state;
    static const struct gpu_use gpus[] = { { "0", 98.64, 85899345920, 83314868224 },
                                           { "1", 0, NAN, NAN } };
    static const struct node_use nodes[] = {
        { "c1", 12, 137438953472, 84683702272, 57620.84, gpus, 2 },
        { "c2", 4, 1000.9, 0, 0, NULL, 0 },
    };
    const struct job_use use = { 50944, nodes, 2, 1 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    char text[1024];
    assert_int_equal(job_js1_print(&use, &out, NULL), 0);
    text_of(strbuf_span(&out), text, sizeof text);
    assert_string_equal(
        text, "{\"nodes\":{\"c1\":{\"total_memory\":137438953472,"
              "\"used_memory\":84683702272,\"total_time\":57620.8,\"cpus\":12,"
              "\"gpu_total_memory\":{\"0\":85899345920},"
              "\"gpu_used_memory\":{\"0\":83314868224},"
              "\"gpu_utilization\":{\"0\":98.6,\"1\":0}},"
              "\"c2\":{\"total_memory\":1000,\"used_memory\":0,\"total_time\":0,"
              "\"cpus\":4}},\"total_time\":50944,\"gpus\":1}");
}

/* Whatever is left over at the end of the bytes. */
static void each_length_is_padded(void **state)
{
    (void)state;
    char name[12] = "n", text[256];
    for (size_t i = 1; i < 10; i++) {
        name[i] = 'x';
        const struct node_use node = { .host = name, .cpus = 1, .memory_bytes = 1 };
        const struct job_use use = { 60, &node, 1, 0 };
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        assert_int_equal(job_js1_print(&use, &out, NULL), 0);
        text_of(strbuf_span(&out), text, sizeof text);
        assert_non_null(strstr(text, name));
    }
}

static void without_figures_there_is_a_word(void **state)
{
    (void)state;
    static const struct node_use node = { .host = "a", .cpus = 1, .memory_bytes = 1 };
    const struct {
        struct job_use use;
        const char *text;
    } cases[] = { { { 59, &node, 1, 0 }, "JS1:Short" },
                  { { 0, NULL, 0, 0 }, "JS1:Short" },
                  { { 60, NULL, 0, 0 }, "JS1:None" } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        assert_int_equal(job_js1_print(&cases[i].use, &out, NULL), 0);
        assert_string_equal(strbuf_text(&out), cases[i].text);
    }
}

static void what_slurm_cannot_store_is_refused(void **state)
{
    (void)state;
    enum { NODES = 40000 };
    struct node_use *nodes = calloc(NODES, sizeof *nodes);
    char(*names)[16] = calloc(NODES, sizeof *names);
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct err err = { 0 };
    assert_true(nodes && names);
    for (unsigned i = 0; i < NODES; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%u", i * 2654435761U);
        nodes[i] = (struct node_use){ names[i], 1, 1e9, i * 7919.0, i, NULL, 0 };
    }
    const struct job_use use = { 60, nodes, NODES, 0 };
    assert_int_equal(job_js1_print(&use, &out, &err), -E2BIG);
    assert_non_null(strstr(err.text, "40000 nodes"));
    free(nodes);
    free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comment_has_what_was_used),
        cmocka_unit_test(each_length_is_padded),
        cmocka_unit_test(without_figures_there_is_a_word),
        cmocka_unit_test(what_slurm_cannot_store_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
