/* SPDX-License-Identifier: Apache-2.0 */
/* test_status - what HTTP statuses mean, in words. */
#include "net/status.h"

#include "base/err.h"
#include "base/test/testing.h"

#include <errno.h>

static void every_status_that_an_errno_becomes_has_its_words(void **state)
{
    static const struct {
        int errnum;
        const char *reason, *title;
    } cases[] = {
        { EINVAL, "Bad Request", "Bad request" },
        { EPERM, "Unauthorized", "Not authenticated" },
        { EACCES, "Forbidden", "Not allowed" },
        { ENOENT, "Not Found", "Not found" },
        { EEXIST, "Conflict", "Conflict" },
        { EMSGSIZE, "Request Entity Too Large", "Too large" },
        { EPROTONOSUPPORT, "Unsupported Media Type", "Not in this form" },
        { ERANGE, "Unprocessable Entity", "Out of range" },
        { EDQUOT, "Too Many Requests", "Too often" },
        { EAGAIN, "Service Unavailable", "Not now" },
        { ETIMEDOUT, "Gateway Timeout", "Time limit exceeded" },
        { EIO, "Internal Server Error", "Failed" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned status = (unsigned)err_http_status(-cases[i].errnum);
        assert_string_equal(status_reason(status), cases[i].reason);
        assert_string_equal(status_title(status), cases[i].title);
    }
}

static void a_status_that_is_not_listed_has_the_words_of_its_class(void **state)
{
    (void)state;
    assert_string_equal(status_title(499), "Refused");
    assert_string_equal(status_title(599), "Failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_that_an_errno_becomes_has_its_words),
        cmocka_unit_test(a_status_that_is_not_listed_has_the_words_of_its_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
