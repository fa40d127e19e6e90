/* SPDX-License-Identifier: Apache-2.0 */
/* cost - by how many seconds a run would have been shorter without something. */
#include "analysis/job/cost.h"

#include <math.h>

const struct cost cost_unknown = { NAN, NAN, COST_UNKNOWN };

static const struct {
    const char *name, *words;
} reasons[COST_REASONS] = {
    [COST_UNKNOWN] = { "unknown", "" },
    [COST_EXACT] = { "exact", "" },
    [COST_SHARED] = { "shared", "of files that processes share the log has sums only" },
    [COST_WAITS] = { "waits", "less where other processes are as slow without, and "
                              "because one open and "
                              "one stat a file are needed" },
    [COST_OTHERWISE] = { "otherwise", "all the time of such accesses: how long others "
                                      "would have lasted is not in the log" },
    [COST_MIXED] = { "mixed", "all the time of files with such accesses: how long "
                              "each lasted is not in the log" },
    [COST_EVEN] = { "even",
                    "against the slowest of the other processes, or all of them even" },
    [COST_FILES] = { "files", "against nine of ten files on other targets" },
    [COST_CLASS] = { "class", "against the middle half of its class" },
    [COST_BEST] = { "best", "that is what it lacks of the best of its class" },
    [COST_ALONE] = { "alone", "all its time there: what that would have been without "
                              "the others is not known" },
    [COST_AWAY] = { "away",
                    "at least as long as its longest access waited, at most all "
                    "of its I/O there" },
    [COST_EXCESS] = { "excess", "so much longer than its class; how much of that "
                                "has this cause is not known" },
    [COST_THREADS] = { "threads", "the times in the log add up to more than the run: "
                                  "several threads did I/O at once" },
};

struct cost cost_between(double a_s, double b_s, enum cost_reason reason)
{
    double low = fmax(0, fmin(a_s, b_s));
    double high = fmax(0, fmax(a_s, b_s));
    if (isnan(a_s) || isnan(b_s))
        return cost_unknown;
    return (struct cost){ low, high, low == high ? COST_EXACT : reason };
}

double cost_middle(const struct cost *cost)
{
    return cost_is_known(cost) ? (cost->low_s + cost->high_s) / 2 : -1;
}

const char *cost_reason_words(enum cost_reason reason)
{
    return reasons[reason].words;
}

const char *cost_reason_name(enum cost_reason reason)
{
    return reasons[reason].name;
}

/* Two digits, and all of those before the point. */
static int decimals_of(double seconds)
{
    if (seconds >= 10 || seconds < 0.0005)
        return 0;
    return seconds >= 1 ? 1 : seconds >= 0.1 ? 2 : 3;
}

void cost_print_seconds(double seconds, struct strbuf *out)
{
    strbuf_addf(out, "%.*f s", decimals_of(seconds), seconds);
}

/* Ends that look the same are said once. */
void cost_print(const struct cost *cost, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf low = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf high = STRBUF_INIT;
    int decimals = decimals_of(cost->high_s);
    strbuf_addf(&low, "%.*f", decimals, cost->low_s);
    strbuf_addf(&high, "%.*f", decimals, cost->high_s);
    if (strcmp(strbuf_text(&low), strbuf_text(&high)) == 0)
        strbuf_addf(out, "%s s", strbuf_text(&high));
    else if (cost->low_s < cost->high_s / 100)
        strbuf_addf(out, "at most %s s", strbuf_text(&high));
    else
        strbuf_addf(out, "%s to %s s", strbuf_text(&low), strbuf_text(&high));
}
