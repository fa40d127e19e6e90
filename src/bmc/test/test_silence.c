/* SPDX-License-Identifier: Apache-2.0 */
/* test_silence - what a silent host is, by what its BMC showed. */
#include "base/number.h"
#include "base/test/testing.h"
#include "bmc/silence.h"

#define T0 (INT64_C(1764374400) * NS_PER_S) /* 2025-11-29T00:00:00Z */
#define AT(seconds) (T0 + (seconds)*NS_PER_S)

static const struct {
    const char *name;
    struct silence_facts facts;
    enum silence want;
    const char *has; /* in the reason */
} cases[] = {
    { "heard, power on",
      { .seen_ns = AT(60), .is_responding = true, .power = BMC_POWER_ON },
      SILENCE_HEARD,
      "" },
    { "heard, its BMC silent",
      { .seen_ns = AT(60), .power = BMC_POWER_OFF },
      SILENCE_HEARD,
      "" },
    { "heard still, power off",
      { .seen_ns = AT(60), .is_responding = true, .power = BMC_POWER_OFF },
      SILENCE_OFF,
      "off: power is off by its BMC, seen at 2025-11-29T00:01:00Z" },
    { "heard, with an old crash",
      { .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_ON,
        .crash_seen_ns = AT(50),
        .crash_text = "panic" },
      SILENCE_HEARD,
      "" },
    { "silent, the BMC never responded",
      { .is_silent = true, .silent_since_ns = T0 },
      SILENCE_NOTHING,
      "" },
    { "silent, power off",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_OFF },
      SILENCE_OFF,
      "barod does not hear it since 2025-11-29T00:00:00Z" },
    { "silent, power on, its log has none",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_ON,
        .has_log = true },
      SILENCE_HUNG_OR_CUT,
      "whose log has no crash" },
    { "silent, power on, its log was not read",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_ON },
      SILENCE_HUNG_OR_CUT,
      "whose log was not read" },
    { "silent, a crash that came then",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_ON,
        .has_log = true,
        .crash_seen_ns = AT(50),
        .crash_text = "panic" },
      SILENCE_CRASHED,
      "crashed: its BMC's log has 'panic', first seen at" },
    { "silent, a crash of an hour before",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_ON,
        .has_log = true,
        .crash_seen_ns = AT(-3600),
        .crash_text = "panic" },
      SILENCE_HUNG_OR_CUT,
      "no crash" },
    { "silent, a crash that was there from the beginning, of this time",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_ON,
        .has_log = true,
        .crash_t_ns = AT(5),
        .crash_text = "panic" },
      SILENCE_CRASHED,
      "by the BMC's clock of 2025-11-29T00:00:05Z" },
    { "silent, such a crash of a clock that is years ahead",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_ON,
        .has_log = true,
        .crash_t_ns = AT(86400 * 365),
        .crash_text = "panic" },
      SILENCE_HUNG_OR_CUT,
      "no crash" },
    { "silent, read before the silence began",
      { .is_silent = true,
        .silent_since_ns = AT(120),
        .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_ON },
      SILENCE_NOTHING,
      "" },
    { "silent, its BMC silent since",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(-60),
        .is_away = true,
        .power = BMC_POWER_ON },
      SILENCE_CUT,
      "it did at 2025-11-28T23:59:00Z, with power on" },
    { "silent, its BMC responds with an error",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(-60),
        .power = BMC_POWER_ON },
      SILENCE_NOTHING,
      "" },
    { "silent, power on, its log is known from later on",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(60),
        .is_responding = true,
        .power = BMC_POWER_ON,
        .has_log = true,
        .log_from_ns = AT(30) },
      SILENCE_HUNG_OR_CUT,
      "whose log was not read" },
    { "silent, a power that is not known",
      { .is_silent = true,
        .silent_since_ns = T0,
        .seen_ns = AT(60),
        .is_responding = true },
      SILENCE_NOTHING,
      "" },
};

static void only_what_was_seen_is_stated(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
        enum silence got = silence_of(&cases[i].facts, &reason);
        if (got != cases[i].want || !strstr(strbuf_text(&reason), cases[i].has))
            fail_msg("%s: %s, '%s'", cases[i].name, silence_name(got),
                     strbuf_text(&reason));
        if (silence_health(got) > RESOURCE_UNKNOWN)
            fail_msg("%s: is a reason to drain", cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_was_seen_is_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
