/* SPDX-License-Identifier: Apache-2.0 */
/* test_portion - parts that shrink until they fit. */
#include "base/system/portion.h"
#include "base/test/testing.h"

#include <errno.h>
#include <string.h>

static void only_what_is_not_fixed_shrinks_and_no_further_than_it_must(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct portion parts[3]; /* wanted, comfortable, least */
        uint64_t comfortable_limit, limit;
        int want;
        uint64_t fitted[3];
    } cases[] = {
        { "all fits",
          { { 100, 50, 10 }, { 200, 200, 200 }, { 0 } },
          300,
          400,
          0,
          { 100, 200, 0 } },
        { "each gives as much of what it can spare",
          { { 1000, 500, 10 }, { 3000, 2000, 10 }, { 100, 100, 100 } },
          3350,
          9000,
          0,
          { 749, 2499, 100 } },
        { "comfortable parts may fill the slack of the limit",
          { { 1000, 500, 10 }, { 1000, 1000, 1000 }, { 0 } },
          1200,
          1600,
          0,
          { 500, 1000, 0 } },
        { "the least, where nothing else helps",
          { { 1000, 500, 10 }, { 1000, 1000, 1000 }, { 0 } },
          1000,
          1100,
          0,
          { 99, 1000, 0 } },
        { "too much",
          { { 1000, 500, 10 }, { 1000, 1000, 1000 }, { 0 } },
          1000,
          1009,
          -ENOSPC,
          { 10, 1000, 0 } },
        { "a part smaller than what is comfortable stays as it is",
          { { 30, 50, 10 }, { 1000, 500, 10 }, { 0 } },
          600,
          600,
          0,
          { 30, 569, 0 } },
        { "nothing to give",
          { { 5, 5, 5 }, { 0 }, { 0 } },
          4,
          4,
          -ENOSPC,
          { 5, 0, 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct portion parts[3];
        memcpy(parts, cases[i].parts, sizeof parts);
        int rc = portion_fit(parts, 3, cases[i].comfortable_limit, cases[i].limit);
        if (rc != cases[i].want)
            fail_msg("%s: got %d", cases[i].name, rc);
        for (size_t p = 0; p < 3; p++)
            if (parts[p].bytes != cases[i].fitted[p])
                fail_msg("%s: part %zu is %llu", cases[i].name, p,
                         (unsigned long long)parts[p].bytes);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_not_fixed_shrinks_and_no_further_than_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
