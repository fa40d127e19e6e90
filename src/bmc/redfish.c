/* SPDX-License-Identifier: Apache-2.0 */
/* redfish - one reading of one BMC by Redfish. */
#include "bmc/redfish.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "net/net.h"

#include <strings.h>

#define SERVICE_ROOT "/redfish/v1/"
#define MEMBERS_MAX 32
#define CONNECT_NS (5 * NS_PER_S) /* one that is away holds a thread no longer */

struct visit {
    const struct bmc_target *target;
    const struct log_cursor *cursor;
    struct net_client *client;
    struct net_response response;
    struct bmc_report *report;
    struct log_seen *seen;
    int64_t until_ns;
    unsigned requests;
};

void redfish_paths_done(struct redfish_paths *paths)
{
    free(paths->system);
    for (size_t i = 0; i < REDFISH_CHASSIS_MAX; i++) {
        free(paths->thermal[i]);
        free(paths->power[i]);
    }
    for (size_t i = 0; i < REDFISH_LOGS_MAX; i++)
        free(paths->entries[i]);
    memset(paths, 0, sizeof *paths);
}

/* ---- a document ---- */

static int status_check(const struct net_response *response, struct err *err)
{
    if (response->status == 200)
        return 0;
    if (response->status == 401 || response->status == 403)
        return err_set(err, EACCES,
                       "it refuses the credentials (status %u): see credentials",
                       response->status);
    if (response->status >= 300 && response->status < 400)
        return err_set(err, EPROTO,
                       "it responds with a redirect (%u), which is not "
                       "followed",
                       response->status);
    return err_set(err, response->status == 404 ? ENOENT : EIO,
                   "it responds with status %u", response->status);
}

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
    if (rc == 0)
        rc = status_check(&v->response, err);
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
    struct redfish_document document;
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

/* What is not there is left out; a BMC need not have all. */
static int chassis_find(struct visit *v, const char *list, struct redfish_paths *paths,
                        struct err *err)
{
    AUTO(members_done) struct members m = { .count = 0 };
    int rc = list[0] ? members_fetch(v, list, &m, err) : 0;
    for (size_t i = 0; i < m.count && rc == 0; i++) {
        struct redfish_document chassis;
        if (i == REDFISH_CHASSIS_MAX) {
            v->report->lost += m.count - i;
            break;
        }
        rc = document_fetch(v, m.path[i], NULL, NULL, &chassis, err);
        if (rc == 0)
            rc = path_set(&paths->thermal[i], chassis.link[REDFISH_THERMAL]);
        if (rc == 0)
            rc = path_set(&paths->power[i], chassis.link[REDFISH_POWER]);
    }
    return rc;
}

static int logs_find(struct visit *v, const char *list, struct redfish_paths *paths,
                     struct err *err)
{
    AUTO(members_done) struct members m = { .count = 0 };
    size_t count = 0;
    int rc = list[0] ? members_fetch(v, list, &m, err) : 0;
    for (size_t i = 0; i < m.count && rc == 0; i++) {
        struct redfish_document service;
        if (count == REDFISH_LOGS_MAX) {
            v->report->lost += m.count - i;
            break;
        }
        rc = document_fetch(v, m.path[i], NULL, NULL, &service, err);
        if (rc == 0 && service.link[REDFISH_ENTRIES][0])
            rc = path_set(&paths->entries[count++], service.link[REDFISH_ENTRIES]);
    }
    return rc;
}

static int paths_find(struct visit *v, struct redfish_paths *paths, struct err *err)
{
    struct redfish_document root, system;
    const struct bmc_section *section = v->target->section;
    redfish_paths_done(paths);
    int rc = document_fetch(v, SERVICE_ROOT, NULL, NULL, &root, err);
    if (rc == 0 && !root.link[REDFISH_SYSTEMS][0])
        rc = err_set(err, EPROTO, SERVICE_ROOT ": it has no Systems");
    if (rc == 0)
        rc = system_find(v, root.link[REDFISH_SYSTEMS], paths, err);
    if (rc == 0)
        rc = document_fetch(v, paths->system, NULL, NULL, &system, err);
    if (rc == 0 && section->reads_sensors)
        rc = chassis_find(v, root.link[REDFISH_CHASSIS], paths, err);
    if (rc == 0 && section->reads_log)
        rc = logs_find(v, system.link[REDFISH_LOG_SERVICES], paths, err);
    paths->is_found = rc == 0;
    return rc;
}

/* ---- what they have ---- */

/* false: it gives none, or one that is unknown. */
static bool health_of(const struct redfish_item *item, enum resource_health *ret)
{
    static const struct {
        const char *name;
        enum resource_health health;
    } names[] = { { "OK", RESOURCE_UP },
                  { "Warning", RESOURCE_DEGRADED },
                  { "Critical", RESOURCE_DOWN } };
    if (strcmp(item->state, "Absent") == 0 || strcmp(item->state, "Disabled") == 0)
        return false;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcasecmp(item->health, names[i].name) == 0) {
            *ret = names[i].health;
            return true;
        }
    return false;
}

static int on_sensor(void *arg, const struct redfish_item *item)
{
    static const struct {
        enum redfish_kind kind;
        const char *metric, *type;
    } kinds[] = { { REDFISH_TEMPERATURE, "bmc_temperature", "temperature" },
                  { REDFISH_FAN, "bmc_fan", "fan" },
                  { REDFISH_POWER_CONTROL, "bmc_power", "power" },
                  { REDFISH_POWER_SUPPLY, "bmc_power_input", "psu" } };
    struct visit *v = arg;
    const char *name = item->name[0] ? item->name : item->id;
    enum resource_health health;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        char reason[BMC_TEXT_BYTES] = "";
        if (kinds[i].kind != item->kind)
            continue;
        if (item->has_value && strcmp(item->state, "Absent") != 0)
            bmc_report_value(v->report,
                             item->kind == REDFISH_FAN &&
                                     strcmp(item->units, "Percent") == 0
                                 ? "bmc_fan_percent"
                                 : kinds[i].metric,
                             name, item->value);
        if (!health_of(item, &health))
            continue;
        if (health != RESOURCE_UP)
            (void)snprintf(reason, sizeof reason, "health %s of %s by its BMC",
                           item->health, name);
        bmc_report_part(v->report, kinds[i].type, name, health, reason);
    }
    return 0;
}

static void sensors_read(struct visit *v, const struct redfish_paths *paths)
{
    for (size_t i = 0; i < REDFISH_CHASSIS_MAX; i++) {
        const char *const both[] = { paths->thermal[i], paths->power[i] };
        for (size_t k = 0; k < COUNT_OF(both); k++) {
            struct redfish_document document;
            struct err why = { 0 };
            if (both[k] &&
                document_fetch(v, both[k], on_sensor, v, &document, &why) < 0)
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
    bmc_report_entry(v->report, &entry,
                     v->cursor->is_set && !log_cursor_has(v->cursor, hash));
    log_seen_add(v->seen, hash);
    return 0;
}

/* A page's next that was read already is a loop, which the limit of requests ends. */
static int log_pages_read(struct visit *v, const char *entries, struct err *err)
{
    struct redfish_document page;
    char path[REDFISH_LINK_BYTES];
    int rc;
    (void)snprintf(path, sizeof path, "%s", entries);
    do {
        rc = document_fetch(v, path, on_entry, v, &page, err);
        (void)snprintf(path, sizeof path, "%s", page.link[REDFISH_NEXT]);
    } while (rc == 0 && path[0]);
    return rc;
}

static void logs_read(struct visit *v, const struct redfish_paths *paths)
{
    bool is_whole = paths->entries[0] != NULL;
    for (size_t i = 0; i < REDFISH_LOGS_MAX && paths->entries[i]; i++) {
        struct err why = { 0 };
        if (log_pages_read(v, paths->entries[i], &why) == 0)
            continue;
        bmc_report_note(v->report, "%s", why.text);
        is_whole = false;
    }
    v->report->has_log = is_whole;
}

static int system_read(struct visit *v, const char *path, struct err *err)
{
    struct redfish_document system;
    enum resource_health health;
    int rc = document_fetch(v, path, NULL, NULL, &system, err);
    if (rc < 0)
        return rc;
    if (strcasecmp(system.self.power, "On") == 0)
        v->report->power = BMC_POWER_ON;
    else if (strcasecmp(system.self.power, "Off") == 0)
        v->report->power = BMC_POWER_OFF;
    if (!health_of(&system.self, &health))
        return 0;
    char reason[BMC_TEXT_BYTES] = "";
    if (health != RESOURCE_UP)
        (void)snprintf(reason, sizeof reason, "health %s of the system by its BMC",
                       system.self.health);
    bmc_report_part(v->report, "system", "health", health, reason);
    return 0;
}

static int client_open(const struct bmc_target *target, struct net_client **ret,
                       struct err *err)
{
    const struct bmc_section *section = target->section;
    AUTO(strbuf_done) struct strbuf url = STRBUF_INIT;
    strbuf_addf(&url, "https://%s", target->address);
    const struct net_client_opts opts = { .url = strbuf_text(&url),
                                          .user = section->user,
                                          .password = section->password,
                                          .ca_file = section->ca_file,
                                          .is_unverified = !section->is_verified,
                                          .connect_timeout_ns =
                                              section->timeout_ns < CONNECT_NS
                                                  ? section->timeout_ns
                                                  : CONNECT_NS,
                                          .timeout_ns = section->timeout_ns,
                                          .reply_bytes_max = REDFISH_BODY_BYTES_MAX };
    return strbuf_error(&url) < 0 ? -ENOMEM : net_client_new(&opts, ret, err);
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
    bool was_found = paths->is_found;
    int rc = client_open(target, &client, err);
    v.client = client;
    if (rc == 0 && !was_found)
        rc = paths_find(&v, paths, err);
    if (rc == 0)
        rc = system_read(&v, paths->system, err);
    /* Another firmware has other links. */
    if (rc == -ENOENT && was_found) {
        rc = paths_find(&v, paths, err);
        if (rc == 0)
            rc = system_read(&v, paths->system, err);
    }
    if (rc == 0) {
        logs_read(&v, paths);
        sensors_read(&v, paths);
    }
    net_response_done(&v.response);
    return err_prefix(err, rc, "%s (BMC %s)", target->host, target->address);
}
