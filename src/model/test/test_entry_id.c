/* SPDX-License-Identifier: Apache-2.0 */
/* test_entry_id - identifiers: text form and split. */
#include "base/cleanup.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "model/entry_id.h"

static void the_text_form_goes_there_and_back(void **state)
{
    (void)state;
    static const struct {
        struct span bytes;
        const char *text;
    } cases[] = {
        { SPAN("11317854:17627127:r01c01"), "11317854:17627127:r01c01" },
        { SPAN("a\nb.0"), "a\\x0Ab.0" },
        { SPAN("a\\b"), "a\\x5Cb" },
        { SPAN("q\"uote \t"), "q\"uote \\x09" },
        { SPAN("\0\x7f"), "\\x00\\x7F" },
        { SPAN("gr\xc3\xbc\xc3"), "gr\xc3\xbc\\xC3" },
        { SPAN("\xed\xa0\x80\xc0\x80"), "\\xED\\xA0\\x80\\xC0\\x80" },
        { SPAN(""), "" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        char back[64];
        size_t size = 99;
        entry_id_print(&out, cases[i].bytes);
        assert_string_equal(strbuf_text(&out), cases[i].text);
        assert_int_equal(entry_id_parse(strbuf_span(&out), back, &size), 0);
        assert_true(span_eq((struct span){ back, size }, cases[i].bytes));
    }
}

static void a_text_form_with_other_escapes_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "\\", "\\x", "\\x1", "\\xg0", "\\x0g", "\\n" };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        char out[16];
        size_t size = 99;
        if (entry_id_parse(span_of(bad[i]), out, &size) != -EINVAL || size != 99)
            fail_msg("'%s' is taken", bad[i]);
    }
}

#define SITE "%j:%u:%H", "%e.%u"

/* What became of an identifier: "format flags job|user|group|host|executable|pid", with
 * - for a field that the identifier does not have. */
static const struct {
    const char *id;
    const char *formats[4];
    const char *want;
} splits[] = {
    /* The thirteen seen on one machine whose clients were configured with %j:%u:%H or
       %e.%u. */
    { "wget.11317854", { SITE }, "%e.%u 0 -|11317854|-|-|wget|-" },
    { "11317854:17627127:r01c01",
      { SITE },
      "%j:%u:%H 0 11317854|17627127|-|r01c01|-|-" },
    { ":17627127:r01c01", { SITE }, "%j:%u:%H 2 |17627127|-|r01c01|-|-" },
    { "wget", { SITE }, "none 1 -|-|-|-|-|-" },
    { "wget.", { SITE }, "none 1 -|-|-|-|-|-" },
    { "11317854", { SITE }, "none 1 -|-|-|-|-|-" },
    { "11317854:", { SITE }, "none 1 -|-|-|-|-|-" },
    { "113178544", { SITE }, "none 1 -|-|-|-|-|-" },
    { "11317854:17627127", { SITE }, "none 1 -|-|-|-|-|-" },
    { "11317854:17627127:", { SITE }, "none 1 -|-|-|-|-|-" },
    { "11317854:17627127:r01c01.bullx", { SITE }, "none 1 -|-|-|-|-|-" },
    { ":17627127:r01c01.bullx", { SITE }, "none 1 -|-|-|-|-|-" },
    { ":1317854:17627127:r01c01", { SITE }, "none 1 -|-|-|-|-|-" },
    /* A whole host name is another name than the short one. */
    { "11317854:17627127:r01c01.bullx",
      { "%j:%u:%H", "%j:%u:%h" },
      "%j:%u:%h 0 11317854|17627127|-|r01c01.bullx|-|-" },
    { "1:2:r01", { "%j:%u:%h", "%j:%u:%H" }, "%j:%u:%h 0 1|2|-|r01|-|-" },
    /* Identifiers of the other recorded texts. */
    { "wget.1000", { SITE }, "%e.%u 0 -|1000|-|-|wget|-" },
    { "kworker/86:1.0", { SITE }, "%e.%u 0 -|0|-|-|kworker/86:1|-" },
    { "abc def .0123 .-_+ AB.1000",
      { SITE },
      "%e.%u 0 -|1000|-|-|abc def .0123 .-_+ AB|-" },
    { "(ostnamed.0)", { SITE }, "none 1 -|-|-|-|-|-" },
    { "@start.0", { SITE }, "%e.%u 0 -|0|-|-|@start|-" },
    { "a?b.0", { SITE }, "%e.%u 8 -|0|-|-|a?b|-" },
    { "a\nb.0", { SITE }, "%e.%u 0 -|0|-|-|a\nb|-" },
    { "q\"uote.5", { SITE }, "%e.%u 0 -|5|-|-|q\"uote|-" },
    { "SLURM_JOB_machine184_74186:0:ma",
      { SITE },
      "%j:%u:%H 4 SLURM_JOB_machine184_74186|0|-|ma|-|-" },
    { "node_exporter:989:es-2-virt3-co",
      { "%e:%u:%H" },
      "%e:%u:%H 4 -|989|-|es-2-virt3-co|node_exporter|-" },
    { "mount.lustre@0@co-es-pm-149.co-",
      { "%e@%u@%h" },
      "%e@%u@%h 4 -|0|-|co-es-pm-149.co-|mount.lustre|-" },
    { "bladejb:689.prometheus-node",
      { "%e.%h" },
      "%e.%h 0 -|-|-|prometheus-node|bladejb:689|-" },
    { "testjob1", { "%j" }, "%j 0 testjob1|-|-|-|-|-" },
    { "cluster-testjob1", { "%j" }, "%j 0 cluster-testjob1|-|-|-|-|-" },
    { "loop36", { "%j" }, "%j 0 loop36|-|-|-|-|-" },
    { "28", { SITE, "%j" }, "%j 0 28|-|-|-|-|-" },
    { "815871", { "%j" }, "%j 0 815871|-|-|-|-|-" },
    /* The executable is greedy, and gives back what the rest needs. */
    { "a.b.c.5.6", { "%e.%u" }, "%e.%u 0 -|6|-|-|a.b.c.5|-" },
    { "a.5.6", { "%e.%u.%g" }, "%e.%u.%g 0 -|5|6|-|a|-" },
    { "7-a-8-9", { "%u-%e-%g-%p" }, "%u-%e-%g-%p 0 -|7|8|-|a|9" },
    { "99abc", { "%u%e" }, "%u%e 0 -|99|-|-|abc|-" },
    { "99", { "%u%e" }, "%u%e 0 -|9|-|-|9|-" },
    /* Literal text, blanks of the format, widths, fallbacks. */
    { "job=5/u=6", { "job=%j /u=%u" }, "job=%j /u=%u 0 5|6|-|-|-|-" },
    { "jobb5", { "job%j" }, "job%j 0 b5|-|-|-|-|-" },
    { "r01c01.5", { "%.6h.%u" }, "%.6h.%u 0 -|5|-|r01c01|-|-" },
    { "r01c012.5", { "%.6h.%u" }, "none 1 -|-|-|-|-|-" },
    { "5:6", { "%j?%H:%u" }, "%j?%H:%u 0 5|6|-|-|-|-" },
    { ":6", { "%j?%H:%u" }, "none 1 -|-|-|-|-|-" },
    { "r01:6", { "%p?%H:%u" }, "%p?%H:%u 0 -|6|-|r01|-|-" },
    { "77:6", { "%p?%H:%u" }, "%p?%H:%u 0 -|6|-|-|-|77" },
    { ":6", { "%H?%j:%u" }, "%H?%j:%u 2 |6|-|-|-|-" },
    { "a b:6", { "%j:%u" }, "none 1 -|-|-|-|-|-" },
    { "what?5", { "what?%u" }, "what?%u 8 -|5|-|-|-|-" },
    /* Words. */
    { "cp.5", { "procname_uid" }, "procname_uid 0 -|5|-|-|cp|-" },
    { "cp.5", { "nodelocal" }, "nodelocal 0 -|5|-|-|cp|-" },
    { "any thing", { "session" }, "session 0 any thing|-|-|-|-|-" },
    { "cp.5", { "disable" }, "none 1 -|-|-|-|-|-" },
    /* The order of the formats decides. */
    { "1.2", { "%j.%u", "%e.%u" }, "%j.%u 0 1|2|-|-|-|-" },
    { "1.2", { "%e.%u", "%j.%u" }, "%e.%u 0 -|2|-|-|1|-" },
    { "", { SITE }, "none 1 -|-|-|-|-|-" },
    { "x", { NULL }, "none 1 -|-|-|-|-|-" },
};

static void describe(struct strbuf *out, const struct entry_split *split)
{
    static const enum entry_field order[] = { ENTRY_JOB,  ENTRY_USER,       ENTRY_GROUP,
                                              ENTRY_HOST, ENTRY_EXECUTABLE, ENTRY_PID };
    strbuf_addf(out, "%s %x ",
                split->format ? entry_format_text(split->format) : "none",
                split->flags);
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        struct span field = split->fields[order[i]];
        strbuf_addf(out, "%s", i ? "|" : "");
        if (field.data)
            strbuf_add_span(out, field);
        else
            strbuf_addc(out, '-');
    }
}

static void each_identifier_is_split_as_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(splits); i++) {
        struct entry_format *formats[4] = { NULL };
        size_t count = 0;
        for (; count < 4 && splits[i].formats[count]; count++) {
            struct err err = { 0 };
            if (entry_format_new(splits[i].formats[count], &formats[count], &err) < 0)
                fail_msg("%s: %s", splits[i].formats[count], err.text);
        }
        struct entry_split split;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        entry_id_split(span_of(splits[i].id), false,
                       (const struct entry_format *const *)formats, count, &split);
        describe(&out, &split);
        if (strcmp(strbuf_text(&out), splits[i].want) != 0)
            fail_msg("'%s': got %s, want %s", splits[i].id, strbuf_text(&out),
                     splits[i].want);
        for (size_t k = 0; k < count; k++)
            entry_format_free(formats[k]);
    }
}

static void an_exact_identifier_keeps_its_question_mark(void **state)
{
    (void)state;
    struct entry_split split;
    entry_id_split(SPAN("a?b"), true, NULL, 0, &split);
    assert_int_equal(split.flags, SPLIT_MALFORMED);
}

static void formats_that_cannot_be_undone_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "%",
        "%x",
        "%%",
        "%e.%e",
        "%e?%e",
        "%.0h",
        "%.999h",
        "%.h",
        "%.6",
        "%j?%u?%g?%p?%h",
        "%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct entry_format *format = NULL;
        struct err err = { 0 };
        if (entry_format_new(bad[i], &format, &err) != -EINVAL || format ||
            !err.text[0])
            fail_msg("'%s' is taken, or nothing is said", bad[i]);
    }
}

static void a_hostile_identifier_costs_little(void **state)
{
    (void)state;
    /* Without a memory of what failed this would take longer than anyone can wait. */
    char id[ENTRY_ID_BYTES_MAX];
    memset(id, '1', sizeof id);
    struct entry_format *format = NULL;
    const char *text = "%u%g%p%u%g%p%u%g%p%u%g%p%u%g%px";
    assert_int_equal(entry_format_new(text, &format, NULL), 0);
    struct entry_split split;
    entry_id_split((struct span){ id, sizeof id }, true,
                   (const struct entry_format *const[]){ format }, 1, &split);
    assert_int_equal(split.flags, SPLIT_MALFORMED | SPLIT_MAYBE_CUT);
    entry_format_free(format);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_form_goes_there_and_back),
        cmocka_unit_test(a_text_form_with_other_escapes_is_refused),
        cmocka_unit_test(each_identifier_is_split_as_the_table_says),
        cmocka_unit_test(an_exact_identifier_keeps_its_question_mark),
        cmocka_unit_test(formats_that_cannot_be_undone_are_refused),
        cmocka_unit_test(a_hostile_identifier_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
