/* SPDX-License-Identifier: Apache-2.0 */
/* test_invitation - what is printed is read, and nothing else is. */
#include "base/span.h"
#include "base/test/testing.h"
#include "jobsession/invitation.h"

static struct invitation full(void)
{
    struct invitation in = {
        .session = { .name = "step0.job-7.alex",
                     .hosts = "control,n[1-3]",
                     .address = "%h:%p",
                     .port = 12345,
                     .fanout = 3,
                     .heartbeat_ns = 2000000000,
                     .period_ns = 10000000000,
                     .lead_ns = 500000000,
                     .deadline_ns = 2000000000 },
        .plugins = { .directory = "/home/eva/s/plugins" },
        .control_address = "login1:12345",
    };
    memset(in.key.bytes, 0xa5, sizeof in.key.bytes);
    return in;
}

static void what_is_printed_is_read(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(invitation_done) struct invitation got = { .config = NULL };
    const struct invitation in = full();
    struct err err = { 0 };
    (void)state;
    assert_int_equal(invitation_print(&in, 2, &text), 0);
    assert_true(invitation_is_whole(strbuf_span(&text)));
    assert_int_equal(invitation_parse(strbuf_span(&text), &got, &err), 0);
    assert_memory_equal(got.key.bytes, in.key.bytes, sizeof in.key.bytes);
    assert_string_equal(got.session.name, in.session.name);
    assert_string_equal(got.session.hosts, in.session.hosts);
    assert_string_equal(got.session.rank, "2");
    assert_int_equal(got.session.port, 12345);
    assert_int_equal(got.session.deadline_ns, in.session.deadline_ns);
    assert_string_equal(got.session.control_address, "login1:12345");
    assert_ptr_equal(got.session.key, &got.key);
    assert_string_equal(got.plugins.directory, "/home/eva/s/plugins");
}

/* Nodes of versions before spares read the first form alone. */
static void that_there_are_spares_is_another_form(void **state)
{
    struct invitation in = full();
    struct err err = { 0 };
    (void)state;
    for (int has_spares = 0; has_spares < 2; has_spares++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        AUTO(invitation_done) struct invitation got = { .config = NULL };
        in.has_spares = has_spares;
        assert_int_equal(invitation_print(&in, 2, &text), 0);
        assert_true(span_starts(strbuf_span(&text), has_spares
                                                        ? "barograph session 2 a5"
                                                        : "barograph session 1 a5"));
        assert_int_equal(invitation_parse(strbuf_span(&text), &got, &err), 0);
        assert_int_equal(got.has_spares, has_spares);
    }
}

static void a_text_with_a_line_end_is_refused(void **state)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct invitation in = full();
    (void)state;
    in.plugins.directory = "/home/eva\nread = /etc/*";
    assert_int_equal(invitation_print(&in, UINT32_MAX, &text), -EINVAL);
}

static void what_is_no_invitation_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "\nend\n",
        "barograph session 1 abc\n[session]\nend\n",
        "barograph session 1\n[session]\nend\n",
        "barograph session \n[session]\nend\n",
        "barograph session 3 "
        "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5\n[session]"
        "\nend"
        "\n",
        "barograph session 1 "
        "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5\n[other]"
        "\nend\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        AUTO(invitation_done) struct invitation got = { .config = NULL };
        struct err err = { 0 };
        if (invitation_parse(span_of(texts[i]), &got, &err) != -EINVAL || !err.text[0])
            fail_msg("text %zu is read", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read),
        cmocka_unit_test(that_there_are_spares_is_another_form),
        cmocka_unit_test(a_text_with_a_line_end_is_refused),
        cmocka_unit_test(what_is_no_invitation_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
