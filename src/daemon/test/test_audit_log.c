/* SPDX-License-Identifier: Apache-2.0 */
/* test_audit_log - what is written of many requests that end the same way. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"
#include "daemon/audit_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct net_audit outage = { .method = "POST",
                                         .route = "/v1/login",
                                         .status = 503,
                                         .role = "none",
                                         .token = "",
                                         .origin = "192.0.2.1",
                                         .is_outage = true };

/* count times; what the log has of them. */
static void write_many(struct audit_log *log, const struct net_audit *audit,
                       size_t count, struct strbuf *out)
{
    const char *path = scratch_path("log");
    strbuf_clear(out);
    (void)fflush(stderr);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int own = dup(STDERR_FILENO);
    assert_true(fd >= 0 && own >= 0 && dup2(fd, STDERR_FILENO) == STDERR_FILENO);
    for (size_t i = 0; i < count; i++)
        audit_log_write(log, audit);
    (void)fflush(stderr);
    (void)dup2(own, STDERR_FILENO);
    (void)close(own);
    (void)close(fd);
    assert_int_equal(file_read(path, 1 << 20, out, NULL), 0);
}

static size_t count_lines(const struct strbuf *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->size; i++)
        count += text->data[i] == '\n';
    return count;
}

static void an_outage_is_a_line_a_minute_with_the_number_of_the_others(void **state)
{
    struct audit_log log = AUDIT_LOG_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)state;
    write_many(&log, &outage, 1000, &text);
    assert_int_equal(count_lines(&text), 1);
    assert_non_null(
        strstr(strbuf_text(&text), "audit: POST /v1/login: 503; role=none"));
    assert_non_null(strstr(strbuf_text(&text), "from=\"192.0.2.1\""));
    log.outage.window_start_ns -= 61 * NS_PER_S;
    write_many(&log, &outage, 5, &text);
    assert_int_equal(count_lines(&text), 1);
    assert_non_null(strstr(strbuf_text(&text), "(999 more like this were not logged)"));
}

static void what_is_limited_hides_nothing_else(void **state)
{
    static const struct {
        unsigned status;
        bool is_bounded;
        size_t want;
    } cases[] = {
        { 429, false, 5 },  { 403, false, 5 },   { 401, true, 100 },
        { 303, true, 100 }, { 200, false, 100 },
    };
    struct audit_log log = AUDIT_LOG_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct net_audit audit = outage;
        write_many(&log, &outage, 3, &text);
        assert_int_equal(count_lines(&text), i == 0);
        audit.is_outage = false;
        audit.status = cases[i].status;
        audit.is_bounded = cases[i].is_bounded;
        write_many(&log, &audit, 100, &text);
        assert_int_equal(count_lines(&text), cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_outage_is_a_line_a_minute_with_the_number_of_the_others),
        cmocka_unit_test(what_is_limited_hides_nothing_else),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
