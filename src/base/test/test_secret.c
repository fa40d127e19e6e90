/* SPDX-License-Identifier: Apache-2.0 */
/* test_secret - files that only their owner may read, and texts with passwords. */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path; /* of the secret */

static void a_file_that_others_may_read_is_refused(void **state)
{
    static const struct {
        mode_t mode;
        uid_t owner;
        int rc;
    } cases[] = {
        { 0600, 0, 0 },       { 0400, 0, 0 },       { 0640, 0, 0 },
        { 0440, 0, 0 },       { 0644, 0, -EACCES }, { 0660, 0, -EACCES },
        { 0604, 0, -EACCES }, { 0602, 0, -EACCES }, { 0601, 0, -EACCES },
        { 0600, 1, 0 },       { 0400, 1, 0 },       { 0640, 1, -EACCES },
        { 0604, 1, -EACCES }, { 0620, 1, -EACCES }, { 0600, 2, -EACCES },
        { 0640, 2, -EACCES },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
        struct err err = { 0 };
        bool is_root = getuid() == 0;
        /* An ordinary user can make its own files only, and stands for user 1. */
        if (!is_root && cases[i].owner != 1)
            continue;
        (void)unlink(path);
        assert_int_equal(secret_create(path, SPAN("open sesame"), &err), 0);
        assert_int_equal(chmod(path, cases[i].mode), 0);
        assert_true(!is_root || chown(path, cases[i].owner, 0) == 0);
        assert_true(!is_root || seteuid(1) == 0);
        int rc = secret_check(path, &err);
        /* Another's file with mode 0600 cannot even be opened. */
        if (rc != cases[i].rc && !(is_root && cases[i].owner == 0 && rc == -EACCES &&
                                   strstr(err.text, "open") &&
                                   strstr(err.text, "has to be able to read it")))
            fail_msg("mode %o, owner %u: %d (%s)", cases[i].mode, cases[i].owner, rc,
                     err.text);
        assert_true(!is_root || seteuid(0) == 0);
        if (cases[i].owner == 0) {
            rc = secret_read(path, 100, &text, &err);
            assert_int_equal(rc, cases[i].rc);
        }
        if (rc < 0)
            assert_non_null(strstr(err.text, path));
        else if (cases[i].owner == 0)
            assert_string_equal(strbuf_text(&text), "open sesame\n");
    }
}

static void a_new_secret_is_its_owners_alone_and_replaces_nothing(void **state)
{
    struct err err = { 0 };
    struct stat st;
    (void)state;
    (void)unlink(path);
    mode_t before = umask(0);
    assert_int_equal(secret_create(path, SPAN("x"), &err), 0);
    (void)umask(before);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(secret_create(path, SPAN("y"), &err), -EEXIST);
    assert_non_null(strstr(err.text, path));
}

static void passwords_are_not_printed(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "host=db user=u password=geheim dbname=x",
          "host=db user=u password=*** dbname=x" },
        { "password='two \\' words' host=db", "password=*** host=db" },
        { "password = geheim", "password = ***" },
        { "PASSWORD=geheim", "PASSWORD=***" },
        { "postgres://u:geheim@db:5432/x", "postgres://u:***@db:5432/x" },
        { "postgresql://u:ge:he@im@db/x", "postgresql://u:***@db/x" },
        { "postgres://db/x?user=u&password=geheim&sslmode=require",
          "postgres://db/x?user=u&password=***&sslmode=require" },
        { "nats://u:geheim@a:4222, nats://u:geheim@b",
          "nats://u:***@a:4222, nats://u:***@b" },
        { "nats://token@a:4222", "nats://***@a:4222" },
        { "cannot connect to \"http://u:geheim@h/\": no",
          "cannot connect to \"http://u:***@h/\": no" },
        { "http://h:9100/metrics?at=a@b", "http://h:9100/metrics?at=a@b" },
        { "http://[::1]:9100/", "http://[::1]:9100/" },
        /* In pairs a value goes on to the blank, in the query of a URL to "&". */
        { "host=db password=a&b\"c dbname=x", "host=db password=*** dbname=x" },
        { "options=a&password=b&c dbname=x", "options=a&password=*** dbname=x" },
        { "\"postgres://db/x?password=a\": no",
          "\"postgres://db/x?password=***\": no" },
        { "postgres://db password=a&b", "postgres://db password=***" },
        { "postgres://u:a&b@db/x", "postgres://u:***@db/x" },
        { "postgres://u:a\"b@db/x", "postgres://u:***@db/x" },
        { "no password supplied", "no password supplied" },
        { "password=", "password=" },
        { "", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        secret_print(&out, span_of(cases[i].text));
        assert_string_equal(strbuf_text(&out), cases[i].want);
        assert_int_equal(secret_is_in(span_of(cases[i].text)),
                         strcmp(cases[i].text, cases[i].want) != 0);
    }
}

static int setup(void **state)
{
    int rc = scratch_make(state);
    path = strdup(scratch_path("secret"));
    return path ? rc : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_others_may_read_is_refused),
        cmocka_unit_test(a_new_secret_is_its_owners_alone_and_replaces_nothing),
        cmocka_unit_test(passwords_are_not_printed),
    };
    return cmocka_run_group_tests(tests, setup, scratch_remove);
}
