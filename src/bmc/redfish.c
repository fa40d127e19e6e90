/* SPDX-License-Identifier: Apache-2.0 */
/* redfish - one reading of one BMC by Redfish. */
#include "bmc/redfish.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "bmc/https.h"
#include "bmc/redfish_sensor.h"

#include <strings.h>

#define SERVICE_ROOT "/redfish/v1/"
#define MEMBERS_MAX 32

struct visit {
    const struct bmc_target *target;
    const struct log_cursor *cursor;
    struct net_client *client;
    struct net_response response;
    struct bmc_report *report;
    struct log_seen *seen;
    int64_t until_ns;
    unsigned requests, responses;
    uint64_t entries; /* of its logs */
    size_t left_over; /* new ones that the next reading has */
};

void redfish_paths_done(struct redfish_paths *paths)
{
    free(paths->system);
    free(paths->chassis);
    free(paths->logs);
    for (size_t i = 0; i < REDFISH_CHASSIS_MAX; i++) {
        free(paths->thermal[i]);
        free(paths->power[i]);
    }
    for (size_t i = 0; i < REDFISH_LOGS_MAX; i++)
        free(paths->entries[i]);
    memset(paths, 0, sizeof *paths);
}

/* ---- a document ---- */

static int document_fetch(struct visit *v, const char *path, redfish_item_fn *fn,
                          void *arg, struct redfish_document *ret, struct err *err)
{
    if (v->requests++ == REDFISH_REQUESTS_MAX)
        return err_set(err, E2BIG, "over %d requests in one reading, at %s",
                       REDFISH_REQUESTS_MAX, path);
    int64_t left_ns = v->until_ns - clock_monotonic_ns();
    if (left_ns <= 0)
        return err_set(err, ETIMEDOUT, "its time is over, at %s", path);
    net_client_set_timeout(v->client, left_ns);
    int rc = net_client_get(v->client, path, &v->response, err);
    v->report->is_away = rc < 0 && v->response.is_away && v->responses == 0;
    v->responses += rc == 0;
    if (rc == 0)
        rc = bmc_status_check(&v->response, err);
    if (rc == 0)
        rc = redfish_document_read(strbuf_span(&v->response.body), fn, arg, ret, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", path);
    if (ret->bad_items + ret->bad_links > 0)
        bmc_report_note(v->report, "%s: a link or id is passed over: %s", path,
                        ret->bad_why);
    v->report->lost += ret->bad_items + ret->bad_links + ret->has_more_items;
    return 0;
}

/* ---- collections ---- */

struct members {
    char *path[MEMBERS_MAX];
    char id[MEMBERS_MAX][64]; /* the last segment of its path */
    size_t count;
    struct bmc_report *report;
};

static void members_done(struct members *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->path[i]);
}
DEFINE_AUTO_DONE(struct members, members_done);

static int on_member(void *arg, const struct redfish_item *item)
{
    struct members *m = arg;
    if (item->kind != REDFISH_MEMBER || !item->link[0])
        return 0;
    if (m->count == MEMBERS_MAX) {
        m->report->lost++;
        return 0;
    }
    const char *segment = strrchr(item->link, '/');
    char *path = span_dup(span_of(item->link));
    if (!path)
        return -ENOMEM;
    (void)snprintf(m->id[m->count], sizeof m->id[0], "%s", segment ? segment + 1 : "");
    m->path[m->count++] = path;
    return 0;
}

/* What path lists; one page. */
static int members_fetch(struct visit *v, const char *path, struct members *ret,
                         struct err *err)
{
    struct redfish_document document = { 0 };
    ret->report = v->report;
    return document_fetch(v, path, on_member, ret, &document, err);
}

/* ---- the links, once ---- */

static int path_set(char **slot, const char *path)
{
    if (!path[0])
        return 0;
    free(*slot);
    *slot = span_dup(span_of(path));
    return *slot ? 0 : -ENOMEM;
}

static bool is_id_of_host(const struct bmc_target *target, const char *id)
{
    const char *pattern = target->section->system, *mark = strstr(pattern, "%h");
    size_t before = mark ? (size_t)(mark - pattern) : strlen(pattern);
    size_t host = mark ? strlen(target->host) : 0;
    if (strncmp(id, pattern, before) != 0)
        return false;
    return mark ? strncmp(id + before, target->host, host) == 0 &&
                      strcmp(id + before + host, mark + 2) == 0
                : id[before] == '\0';
}

static int system_find(struct visit *v, const char *systems,
                       struct redfish_paths *paths, struct err *err)
{
    AUTO(members_done) struct members m = { .count = 0 };
    const char *wanted = v->target->section->system;
    int rc = members_fetch(v, systems, &m, err);
    if (rc < 0)
        return rc;
    if (m.count == 0)
        return err_set(err, ENOENT, "%s: it lists no system", systems);
    if (!wanted[0] && m.count > 1)
        return err_set(err, EINVAL,
                       "%s: it lists %zu systems (%s, %s, ...): system has to name the "
                       "host's",
                       systems, m.count, m.id[0], m.id[1]);
    for (size_t i = 0; i < m.count; i++)
        if (!wanted[0] || is_id_of_host(v->target, m.id[i]))
            return path_set(&paths->system, m.path[i]);
    return err_set(err, ENOENT, "%s: none of its systems is the one that system names",
                   systems);
}

/* Whether a document that failed ends the search; else it is noted, and wanted again
 * at the next reading, unless there is none. */
static bool is_end(struct visit *v, int rc, const struct err *why, bool *ret_again)
{
    bmc_report_note(v->report, "%s", why->text);
    *ret_again |= rc != -ENOENT;
    return rc == -ENOMEM || rc == -ETIMEDOUT || rc == -E2BIG;
}

/* A list may have another order than at the search before. */
static bool has_path(char *const *slots, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (slots[i] && strcmp(slots[i], path) == 0)
            return true;
    return false;
}

/* What is not there is left out; a BMC need not have all. */
static int chassis_find(struct visit *v, struct redfish_paths *paths, bool *ret_again,
                        struct err *err)
{
    AUTO(members_done) struct members m = { .count = 0 };
    int rc = members_fetch(v, paths->chassis, &m, err);
    size_t count = m.count < REDFISH_CHASSIS_MAX ? m.count : REDFISH_CHASSIS_MAX;
    v->report->lost += m.count - count;
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct redfish_document chassis = { 0 };
        if (paths->thermal[i] || paths->power[i])
            continue;
        int failure = document_fetch(v, m.path[i], NULL, NULL, &chassis, err);
        if (failure < 0 && is_end(v, failure, err, ret_again))
            return failure;
        if (failure < 0)
            continue;
        if (!has_path(paths->thermal, REDFISH_CHASSIS_MAX,
                      chassis.link[REDFISH_THERMAL]))
            rc = path_set(&paths->thermal[i], chassis.link[REDFISH_THERMAL]);
        if (rc == 0 &&
            !has_path(paths->power, REDFISH_CHASSIS_MAX, chassis.link[REDFISH_POWER]))
            rc = path_set(&paths->power[i], chassis.link[REDFISH_POWER]);
    }
    return rc;
}

static int logs_find(struct visit *v, struct redfish_paths *paths, bool *ret_again,
                     struct err *err)
{
    AUTO(members_done) struct members m = { .count = 0 };
    int rc = members_fetch(v, paths->logs, &m, err);
    size_t count = m.count < REDFISH_LOGS_MAX ? m.count : REDFISH_LOGS_MAX;
    if (m.count > count)
        bmc_report_note(v->report, "%s: it lists more than %d logs", paths->logs,
                        REDFISH_LOGS_MAX);
    v->report->lost += m.count - count;
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct redfish_document service = { 0 };
        if (paths->entries[i])
            continue;
        int failure = document_fetch(v, m.path[i], NULL, NULL, &service, err);
        if (failure < 0 && is_end(v, failure, err, ret_again))
            return failure;
        if (failure == 0 &&
            !has_path(paths->entries, REDFISH_LOGS_MAX, service.link[REDFISH_ENTRIES]))
            rc = path_set(&paths->entries[i], service.link[REDFISH_ENTRIES]);
    }
    return rc;
}

/* What was found stays: after a time-out the search goes on from there. */
static int system_path_find(struct visit *v, struct redfish_paths *paths,
                            struct err *err)
{
    struct redfish_document root = { 0 };
    if (paths->system)
        return 0;
    redfish_paths_done(paths);
    int rc = document_fetch(v, SERVICE_ROOT, NULL, NULL, &root, err);
    if (rc == 0 && !root.link[REDFISH_SYSTEMS][0])
        rc = err_set(err, EPROTO, SERVICE_ROOT ": it has no Systems");
    if (rc == 0)
        rc = path_set(&paths->chassis, root.link[REDFISH_CHASSIS]);
    return rc < 0 ? rc : system_find(v, root.link[REDFISH_SYSTEMS], paths, err);
}

/* ---- what they have ---- */

static int sensors_fetch(struct visit *v, const char *path, struct err *err)
{
    struct redfish_document document = { 0 };
    int rc = document_fetch(v, path, NULL, NULL, &document, err);
    return rc < 0 ? rc
                  : redfish_sensors_add(strbuf_span(&v->response.body), v->report, err);
}

static void sensors_read(struct visit *v, struct redfish_paths *paths)
{
    bool is_again = false;
    struct err why_not = { 0 };
    if (paths->chassis && !paths->has_sensors) {
        int rc = chassis_find(v, paths, &is_again, &why_not);
        if (rc < 0)
            bmc_report_note(v->report, "%s", why_not.text);
        paths->has_sensors = (rc == 0 || rc == -ENOENT) && !is_again;
    }
    for (size_t i = 0; i < REDFISH_CHASSIS_MAX; i++) {
        const char *const both[] = { paths->thermal[i], paths->power[i] };
        for (size_t k = 0; k < COUNT_OF(both); k++) {
            struct err why = { 0 };
            if (both[k] && sensors_fetch(v, both[k], &why) < 0)
                bmc_report_note(v->report, "%s", why.text);
        }
    }
}

static enum bmc_severity severity_of(const char *name)
{
    return strcasecmp(name, "Critical") == 0  ? BMC_CRITICAL
           : strcasecmp(name, "Warning") == 0 ? BMC_WARNING
                                              : BMC_INFO;
}

static int on_entry(void *arg, const struct redfish_item *item)
{
    struct visit *v = arg;
    struct bmc_entry entry = { .severity = severity_of(item->severity) };
    if (item->kind == REDFISH_MEMBER && !item->id[0] && item->link[0]) {
        bmc_report_note(v->report, "%s: its log lists links alone, which are not read",
                        item->link);
        v->report->lost++;
    }
    (void)snprintf(entry.id, sizeof entry.id, "%s", item->id);
    (void)snprintf(entry.text, sizeof entry.text, "%s",
                   item->message[0] ? item->message : item->message_id);
    if (item->kind != REDFISH_MEMBER || !entry.id[0])
        return 0;
    if (timetext_parse(span_of(item->created), &entry.t_ns) < 0)
        entry.t_ns = 0;
    entry.is_crash =
        entry.severity != BMC_INFO &&
        (bmc_text_is_crash(entry.text) || bmc_text_is_crash(item->sensor_type));
    uint64_t hash = log_entry_hash(&entry);
    bool is_new = v->cursor->is_set && !log_cursor_has(v->cursor, hash);
    bool is_over = is_new && v->report->entry_count == BMC_ENTRIES_MAX;
    v->entries++;
    v->left_over += is_over;
    bmc_report_entry(v->report, &entry, is_new && !is_over);
    if (!is_over)
        log_seen_add(v->seen, hash);
    return 0;
}

/* A page's next that was read already is a loop, which the limit of requests ends. */
static int log_pages_read(struct visit *v, const char *entries, struct err *err)
{
    struct redfish_document page = { 0 };
    char path[REDFISH_LINK_BYTES];
    int rc;
    (void)snprintf(path, sizeof path, "%s", entries);
    do {
        rc = document_fetch(v, path, on_entry, v, &page, err);
        if (rc == 0)
            (void)snprintf(path, sizeof path, "%s", page.link[REDFISH_NEXT]);
    } while (rc == 0 && path[0]);
    return rc;
}

/* Of a log that is longer than a cursor what is new is not known. */
static void entries_drop(struct visit *v)
{
    bmc_report_note(v->report,
                    "its logs have %llu entries, over %d: none is published until they "
                    "are cleared",
                    (unsigned long long)v->entries, LOG_CURSOR_MAX);
    v->report->lost += v->report->entry_count + v->left_over;
    v->report->entry_count = 0;
}

/* Entries of a log that failed stay seen; false: there are too many. */
static bool seen_stays(struct visit *v)
{
    const struct log_cursor *cursor = v->cursor;
    if (!cursor->is_set || v->seen->count + cursor->count > LOG_CURSOR_MAX)
        return false;
    for (size_t i = 0; i < cursor->count; i++)
        log_seen_add(v->seen, cursor->seen[i]);
    return true;
}

static void logs_read(struct visit *v, struct redfish_paths *paths)
{
    bool is_whole = true, is_again = false;
    size_t count = 0;
    struct err why = { 0 };
    if (paths->logs && !paths->has_logs) {
        int rc = logs_find(v, paths, &is_again, &why);
        if (rc < 0)
            bmc_report_note(v->report, "%s", why.text);
        is_whole = paths->has_logs = (rc == 0 || rc == -ENOENT) && !is_again;
    }
    for (size_t i = 0; i < REDFISH_LOGS_MAX; i++) {
        if (!paths->entries[i])
            continue;
        count++;
        if (log_pages_read(v, paths->entries[i], &why) == 0)
            continue;
        bmc_report_note(v->report, "%s", why.text);
        is_whole = false;
    }
    bool is_long = v->entries > LOG_CURSOR_MAX;
    if (is_long)
        entries_drop(v);
    v->report->can_move = count > 0 && !is_long && (is_whole || seen_stays(v));
    /* Of the rest the next reading finds which are new. */
    v->report->has_log = v->report->can_move && is_whole && v->left_over == 0;
}

static int system_read(struct visit *v, struct redfish_paths *paths, struct err *err)
{
    struct redfish_document system = { 0 };
    enum resource_health health;
    int rc = system_path_find(v, paths, err);
    if (rc == 0)
        rc = document_fetch(v, paths->system, NULL, NULL, &system, err);
    if (rc == 0 && !paths->logs)
        rc = path_set(&paths->logs, system.link[REDFISH_LOG_SERVICES]);
    if (rc < 0)
        return rc;
    if (strcasecmp(system.self.power, "On") == 0)
        v->report->power = BMC_POWER_ON;
    else if (strcasecmp(system.self.power, "Off") == 0)
        v->report->power = BMC_POWER_OFF;
    if (!redfish_health_of(&system.self, &health))
        return 0;
    char reason[BMC_TEXT_BYTES] = "";
    if (health != RESOURCE_UP)
        (void)snprintf(reason, sizeof reason, "health %s of the system by its BMC",
                       system.self.health);
    bmc_report_part(v->report, "system", "health", health, reason);
    return 0;
}

int redfish_read(const struct bmc_target *target, struct redfish_paths *paths,
                 const struct log_cursor *cursor, struct bmc_report *report,
                 struct log_seen *seen, struct err *err)
{
    AUTO(net_client_free) struct net_client *client = NULL;
    struct visit v = { .target = target,
                       .cursor = cursor,
                       .report = report,
                       .seen = seen,
                       .until_ns = clock_monotonic_ns() + target->section->timeout_ns };
    bool was_found = paths->system != NULL;
    int rc = bmc_client_open(target, REDFISH_BODY_BYTES_MAX, &client, err);
    v.client = client;
    if (rc == 0)
        rc = system_read(&v, paths, err);
    /* Another firmware has other links. */
    if (rc == -ENOENT && was_found) {
        redfish_paths_done(paths);
        rc = system_read(&v, paths, err);
    }
    if (rc == 0 && target->section->reads_sensors)
        sensors_read(&v, paths);
    if (rc == 0 && target->section->reads_log)
        logs_read(&v, paths);
    net_response_done(&v.response);
    return err_prefix(err, rc, "%s (BMC %s)", target->host, target->address);
}
