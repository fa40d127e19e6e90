/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_timetext - points in time as text: what is understood comes back the same.
 */
#include "base/timetext.h"
#include "fuzz/fuzz.h"

#define NOW_NS INT64_C(1669014000123456789)

static void check_time(int64_t t_ns)
{
    char text[TIMETEXT_SIZE];
    int64_t back_ns = 0;
    size_t size = timetext_print(text, t_ns);
    fuzz_check(size < sizeof text && strlen(text) == size);
    fuzz_check(timetext_parse((struct span){ text, size }, &back_ns) == 0);
    fuzz_check(back_ns == t_ns);
    size = timetext_print_ms(text, t_ns / 1000000);
    fuzz_check(size < sizeof text && strlen(text) == size);
    fuzz_check(timetext_parse((struct span){ text, size }, &back_ns) == 0);
    fuzz_check(back_ns == t_ns / 1000000 * 1000000);
    size = timetext_print_seconds(text, t_ns);
    fuzz_check(size < sizeof text && strlen(text) == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = { (const char *)data, size };
    int64_t t_ns = 0, user_ns = 0;
    int rc = timetext_parse(text, &t_ns);
    if (rc == 0) {
        check_time(t_ns);
        fuzz_check(timetext_parse_user(text, NOW_NS, &user_ns) == 0);
        fuzz_check(user_ns == t_ns);
    } else if (timetext_parse_user(text, NOW_NS, &user_ns) == 0) {
        check_time(user_ns);
    }
    return 0;
}
