/* SPDX-License-Identifier: Apache-2.0 */
/* edac - errors of memory modules, as the kernel's EDAC drivers count them.
 *
 *     /sys/devices/system/edac/mc/mc0/dimm3/{dimm_label,dimm_ce_count,dimm_ue_count}
 *
 * A module with an uncorrected error since the node was started is degraded, and so is
 * one whose corrected ones become more (error_trend.h): those come before the others.
 *
 * When the counted ones came before the agent's first start is not known: they may have
 * come within an hour.  Where they are enough for that nothing is stated for a day, and
 * what was stated before the start stays.  So it does where the uncorrected ones cannot
 * be read.
 */
#include "source/node/node_private.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <glob.h>
#include <stdio.h>

#define RESET_MAX_S (INT64_C(1) << 33)

/* ---- which modules there are ---- */

/* Labels have blanks ("DIMM A1"), or none at all on boards whose tables have none. */
static void dimm_name(struct node_sources *s, const char *directory,
                      char out[NODE_NAME_MAX])
{
    char path[640];
    (void)snprintf(path, sizeof path, "%s/dimm_label", directory);
    node_text_of(s, path, out);
    if (!*out) {
        const char *mc = strstr(directory, "/mc/") + strlen("/mc/");
        (void)snprintf(out, NODE_NAME_MAX, "%.60s", mc);
    }
    for (char *c = out; *c; c++)
        if (*c <= ' ' || *c > '~' || *c == '/' || *c == '\\')
            *c = *c == '/' ? '-' : '_';
}

static bool dimm_is_known(const struct node_sources *s, const char *label)
{
    for (size_t i = 0; i < s->dimm_count; i++)
        if (strcmp(s->dimms[i].label, label) == 0)
            return true;
    return false;
}

static void dimm_add(struct node_sources *s, const char *directory)
{
    char path[640];
    struct node_dimm dimm = { .corrected = { -1 },
                              .uncorrected = { -1 },
                              .trend = SIZE_MAX };
    dimm_name(s, directory, dimm.label);
    if (dimm_is_known(s, dimm.label)) { /* some boards have one label for all */
        size_t size = strnlen(dimm.label, sizeof dimm.label);
        (void)snprintf(dimm.label + (size < 52 ? size : 52), 12, "-%u",
                       (unsigned)s->dimm_count);
    }
    struct node_dimm *grown = reallocarray(s->dimms, s->dimm_count + 1, sizeof *grown);
    if (!grown)
        return;
    s->dimms = grown;
    (void)snprintf(path, sizeof path, "%s/dimm_ce_count", directory);
    node_file_open(s, &dimm.corrected, path);
    (void)snprintf(path, sizeof path, "%s/dimm_ue_count", directory);
    node_file_open(s, &dimm.uncorrected, path);
    s->dimms[s->dimm_count++] = dimm;
}

/* The first controller stands for all: it is one driver that has them. */
static void dimms_age(struct node_sources *s)
{
    char text[NODE_NAME_MAX];
    uint64_t seconds;
    node_text_of(s, "/sys/devices/system/edac/mc/mc0/seconds_since_reset", text);
    bool is_known = number_parse_u64(span_of(text), &seconds) == 0 &&
                    seconds <= (uint64_t)RESET_MAX_S;
    s->dimms_reset_s = is_known ? (int64_t)seconds : -1;
    s->dimms_boot_ns = clock_boot_ns();
}

void node_find_dimms(struct node_sources *s)
{
    static const char *const patterns[] = {
        "/sys/devices/system/edac/mc/mc*/dimm*",
        "/sys/devices/system/edac/mc/mc*/rank*",
    };
    size_t skip = strlen(s->root);
    for (size_t p = 0; p < COUNT_OF(patterns); p++) {
        char pattern[640];
        glob_t found = { 0 };
        (void)snprintf(pattern, sizeof pattern, "%s%s", s->root, patterns[p]);
        if (glob(pattern, 0, NULL, &found) == 0)
            for (size_t i = 0; i < found.gl_pathc && s->dimm_count < NODE_DIMMS_MAX;
                 i++)
                if (strnlen(found.gl_pathv[i] + skip, 512) < 512)
                    dimm_add(s, found.gl_pathv[i] + skip);
        globfree(&found);
    }
    if (s->dimm_count > 0)
        dimms_age(s);
}

void node_free_dimms(struct node_sources *s)
{
    for (size_t i = 0; i < s->dimm_count; i++) {
        node_file_close(&s->dimms[i].corrected);
        node_file_close(&s->dimms[i].uncorrected);
    }
    free(s->dimms);
    error_trends_done(&s->trends);
}

/* ---- a round ---- */

/* NULL: there are more parts than can be followed. */
static struct error_trend *dimm_trend(struct node_sources *s, struct node_dimm *dimm)
{
    int64_t t_s = s->now_ns / NS_PER_S;
    if (dimm->trend == SIZE_MAX) {
        char name[ERROR_TRENDS_NAME_BYTES];
        (void)snprintf(name, sizeof name, "dimm:%s", dimm->label);
        if (error_trends_find(&s->trends, span_of(name), t_s, &dimm->trend) < 0)
            return NULL;
    }
    return &s->trends.parts[dimm->trend].trend;
}

/* By the clock as it is now: it may have been set since.  0: not known. */
static int64_t dimms_since_s(const struct node_sources *s)
{
    int64_t passed_s = (clock_boot_ns() - s->dimms_boot_ns) / NS_PER_S;
    if (s->dimms_reset_s < 0 || passed_s < 0)
        return 0;
    return s->now_ns / NS_PER_S - s->dimms_reset_s - passed_s;
}

/* While the agent runs its modules do not begin anew: a beginning is for the first
 * observation alone, which it compares with what an agent before this one stored. */
static void dimm_observe(struct node_sources *s, struct node_dimm *dimm,
                         struct error_trend *trend, uint64_t count)
{
    const struct error_trend_observation observation = {
        .t_s = s->now_ns / NS_PER_S,
        .counter = count,
        .since_s = dimm->is_observed ? 0 : dimms_since_s(s)
    };
    const struct error_trend before = *trend;
    dimm->is_observed = true;
    error_trend_observe(trend, &s->trend_rule, &observation);
    if (trend->counter != before.counter || trend->warning != before.warning ||
        before.t_s == 0)
        s->has_news = true;
}

static void dimm_health(const struct node_sources *s, const struct node_dimm *dimm,
                        const struct error_trend *trend, bool has_uncorrected,
                        uint64_t uncorrected)
{
    char part[NODE_NAME_MAX + 8], reason[ERROR_TREND_REASON_BYTES] = "";
    bool is_warning = trend && trend->warning != ERROR_TREND_NONE;
    bool is_unsure = !has_uncorrected || (trend && trend->unsure_s > 0);
    if (uncorrected == 0 && !is_warning && is_unsure)
        return;
    (void)snprintf(part, sizeof part, "dimm:%s", dimm->label);
    if (uncorrected > 0)
        (void)snprintf(reason, sizeof reason,
                       "%llu uncorrected errors of %s since the start",
                       (unsigned long long)uncorrected, dimm->label);
    else if (is_warning)
        error_trend_reason(trend, &s->trend_rule, dimm->label, reason);
    const struct node_health health = {
        .check = "edac",
        .part = span_of(part),
        .state = uncorrected > 0 || is_warning ? NODE_DEGRADED : NODE_UP,
        .reason = span_of(reason),
        .t_ns = s->now_ns,
    };
    if (s->health_fn)
        s->health_fn(s->arg, &health);
}

void node_read_dimms(struct node_sources *s)
{
    for (size_t i = 0; i < s->dimm_count; i++) {
        struct node_dimm *dimm = &s->dimms[i];
        struct span label = span_of(dimm->label);
        struct error_trend *trend = dimm_trend(s, dimm);
        uint64_t corrected = 0, uncorrected = 0;
        bool has_corrected =
            number_parse_u64(span_trim(node_file_read(s, &dimm->corrected)),
                             &corrected) == 0;
        bool has_uncorrected =
            number_parse_u64(span_trim(node_file_read(s, &dimm->uncorrected)),
                             &uncorrected) == 0;
        if (!has_corrected && !has_uncorrected)
            continue; /* nothing is known of it */
        if (has_corrected) {
            node_emit_of(s, "edac_corrected", "errors", (double)corrected, "dimm",
                         label);
            if (trend)
                dimm_observe(s, dimm, trend, corrected);
        }
        if (has_uncorrected)
            node_emit_of(s, "edac_uncorrected", "errors", (double)uncorrected, "dimm",
                         label);
        dimm_health(s, dimm, trend, has_uncorrected, uncorrected);
    }
}
