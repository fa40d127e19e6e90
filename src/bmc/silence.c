/* SPDX-License-Identifier: Apache-2.0 */
/* silence - what a host that barod does not hear is: off, crashed, hung or cut. */
#include "bmc/silence.h"

#include "base/number.h"
#include "base/timetext.h"

#define SECONDS(t_ns) ((t_ns) - (t_ns) % NS_PER_S)

static void seen_add(struct strbuf *out, const char *before, int64_t t_ns)
{
    char text[TIMETEXT_SIZE];
    timetext_print(text, SECONDS(t_ns));
    strbuf_addf(out, "%s%s", before, text);
}

/* By our clock where it came while we looked, else by the BMC's, which may be wrong:
 * then it has to be of the time of the silence itself. */
static bool is_crash_of_silence(const struct silence_facts *f)
{
    int64_t from_ns = f->silent_since_ns - SILENCE_SLACK_NS;
    if (f->crash_seen_ns != 0)
        return f->crash_seen_ns >= from_ns;
    return f->crash_t_ns != 0 && f->crash_t_ns >= from_ns &&
           f->crash_t_ns <= f->seen_ns + SILENCE_SLACK_NS;
}

static enum silence silence_class(const struct silence_facts *f)
{
    if (!f->is_silent)
        return f->is_responding && f->power == BMC_POWER_OFF ? SILENCE_OFF
                                                             : SILENCE_HEARD;
    if (f->seen_ns == 0)
        return SILENCE_NOTHING;
    /* One that refuses the credentials, or is ill, is not cut. */
    if (!f->is_responding)
        return f->is_away ? SILENCE_CUT : SILENCE_NOTHING;
    if (f->power == BMC_POWER_OFF)
        return SILENCE_OFF;
    /* A reading of before the silence does not know of a crash. */
    if (f->seen_ns < f->silent_since_ns || f->power != BMC_POWER_ON)
        return SILENCE_NOTHING;
    return is_crash_of_silence(f) ? SILENCE_CRASHED : SILENCE_HUNG_OR_CUT;
}

static void crash_add(const struct silence_facts *f, struct strbuf *out)
{
    strbuf_addf(out, "crashed: its BMC's log has '%.200s'", f->crash_text);
    if (f->crash_seen_ns != 0)
        seen_add(out, ", first seen at ", f->crash_seen_ns);
    if (f->crash_t_ns != 0)
        seen_add(out, ", by the BMC's clock of ", f->crash_t_ns);
}

enum silence silence_of(const struct silence_facts *f, struct strbuf *reason)
{
    enum silence class = silence_class(f);
    switch (class) {
    case SILENCE_OFF:
        seen_add(reason, "off: power is off by its BMC, seen at ", f->seen_ns);
        break;
    case SILENCE_CRASHED:
        crash_add(f, reason);
        break;
    case SILENCE_HUNG_OR_CUT:
        seen_add(reason, "hung or cut: power is on by its BMC, seen at ", f->seen_ns);
        strbuf_adds(reason, f->has_log && f->log_from_ns <= f->silent_since_ns
                                ? ", whose log has no crash"
                                : ", whose log was not read whole");
        break;
    case SILENCE_CUT:
        seen_add(reason, "cut: its BMC does not respond either; it did at ",
                 f->seen_ns);
        if (f->power != BMC_POWER_UNKNOWN)
            strbuf_addf(reason, ", with power %s", bmc_power_name(f->power));
        break;
    default:
        return class;
    }
    if (f->is_silent && f->silent_since_ns != 0)
        seen_add(reason, "; barod does not hear it since ", f->silent_since_ns);
    return class;
}

enum resource_health silence_health(enum silence silence)
{
    return silence <= SILENCE_HEARD ? RESOURCE_UP : RESOURCE_UNKNOWN;
}

const char *silence_name(enum silence silence)
{
    static const char *const names[] = { "nothing", "heard",       "off",
                                         "crashed", "hung or cut", "cut" };
    return names[silence];
}
