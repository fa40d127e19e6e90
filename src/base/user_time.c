/* SPDX-License-Identifier: Apache-2.0 */
/* user_time - a time as a person types it, without a zone. */
#include "base/user_time.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOCALTIME "/etc/localtime"
#define ZONE_BYTES_MAX ((size_t)1 << 20)
#define DAY_NS (86400 * NS_PER_S)

static struct {
    bool is_set, is_named; /* the latter: not the machine's */
    char name[256];        /* in sentences */
    char title[256];       /* "Europe/Berlin" */
    struct zone zone;
} user;

/* ---- the zone ---- */

static int load_localtime(struct zone *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf bytes = STRBUF_INIT;
    *ret = (struct zone){ 0 };
    /* A machine without the file shows UTC, as the C library does. */
    if (file_read(LOCALTIME, ZONE_BYTES_MAX, &bytes, NULL) < 0)
        return 0;
    if (zone_parse(strbuf_span(&bytes), ret) < 0)
        return err_set(err, EINVAL,
                       LOCALTIME ": not a file of a time zone: --zone UTC");
    return 0;
}

static int load_local(struct zone *ret, struct err *err)
{
    const char *name = getenv("TZ");
    if (!name)
        return load_localtime(ret, err);
    if (*name == ':')
        name++;
    if (strcmp(name, LOCALTIME) == 0)
        return load_localtime(ret, err);
    struct err why = { 0 };
    if (zone_load(*name ? name : "UTC", ret, &why) < 0)
        return err_set(err, EINVAL, "TZ of the environment: %s", why.text);
    return 0;
}

/* What the machine's zone is called: by TZ, or by what /etc/localtime links to. */
static void name_local(char *out, size_t size)
{
    static const char marker[] = "zoneinfo/";
    char path[256];
    const char *name = getenv("TZ");
    name += name && *name == ':';
    bool is_link = !name || strcmp(name, LOCALTIME) == 0;
    ssize_t length = is_link ? readlink(LOCALTIME, path, sizeof path - 1) : -1;
    if (length > 0) {
        path[length] = '\0';
        const char *at = strstr(path, marker);
        name = at ? at + sizeof marker - 1 : NULL;
    } else if (is_link) {
        name = NULL;
    }
    (void)snprintf(out, size, "%s", name && *name ? name : "this machine's zone");
}

int user_time_set_zone(const char *name, struct err *err)
{
    struct zone zone = { 0 };
    bool is_local = !name || strcmp(name, "local") == 0;
    int rc = is_local ? load_local(&zone, err) : zone_load(name, &zone, err);
    if (rc < 0)
        return rc;
    zone_done(&user.zone);
    user.zone = zone;
    user.is_set = true;
    user.is_named = !is_local;
    (void)snprintf(user.name, sizeof user.name, "%s",
                   is_local ? "this machine's zone" : name);
    (void)snprintf(user.title, sizeof user.title, "%s", user.name);
    if (is_local)
        name_local(user.title, sizeof user.title);
    return 0;
}

const struct zone *user_time_zone(struct err *err)
{
    if (!user.is_set && user_time_set_zone(NULL, err) < 0)
        return NULL;
    return &user.zone;
}

const char *user_time_zone_name(void)
{
    return user_time_zone(NULL) ? user.title : "UTC";
}

const struct zone *user_time_shown(bool is_terminal)
{
    const struct zone *zone = NULL;
    if (is_terminal || (user.is_set && user.is_named))
        zone = user_time_zone(NULL);
    bool is_utc = zone && zone->first_ns == 0 && zone->change_count == 0;
    return is_utc ? NULL : zone;
}

void user_time_print(char out[static USER_TIME_SIZE], bool is_terminal, int64_t t_ns)
{
    char text[TIMETEXT_SIZE];
    const struct zone *zone = user_time_shown(is_terminal);
    (void)(zone ? zone_print(text, zone, t_ns) : timetext_print(text, t_ns));
    (void)snprintf(out, USER_TIME_SIZE, "%s%s%s", text, zone ? " " : "",
                   zone ? user.title : "");
}

/* ---- times ---- */

/* When the clocks showed local_ns, if they did so once. */
static int local_to_utc(const char *text, int64_t local_ns, int64_t *ret_ns,
                        struct err *err)
{
    char first[TIMETEXT_SIZE], second[TIMETEXT_SIZE];
    int64_t t_ns = zone_utc_ns(&user.zone, local_ns);
    int64_t again_ns = zone_utc_second_ns(&user.zone, local_ns);
    if (t_ns + zone_offset_ns(&user.zone, t_ns) != local_ns)
        return err_set(err, EINVAL,
                       "'%s' is a time that clocks skip in %s: write another, or one "
                       "with a zone (...Z, ...+02:00)",
                       text, user.name);
    if (t_ns != again_ns) {
        (void)timetext_print(first, t_ns);
        (void)timetext_print(second, again_ns);
        return err_set(err, EINVAL, "'%s' comes twice in %s: write %s or %s", text,
                       user.name, first, second);
    }
    *ret_ns = t_ns;
    return 0;
}

/* What the clocks show in a text without a zone, as if it were UTC.  Errors: -EINVAL:
 * it is another text. */
static int local_of(const char *text, int64_t now_ns, int64_t *ret_ns)
{
    char with_zone[TIMETEXT_SIZE];
    struct span s = span_of(text);
    int64_t day_ns = now_ns + zone_offset_ns(&user.zone, now_ns);
    int n;
    if (s.size >= 5 && s.size < 19 && s.data[2] == ':') {
        n = snprintf(with_zone, sizeof with_zone, "1970-01-01T%sZ", text);
        if (timetext_parse((struct span){ with_zone, (size_t)n }, ret_ns) < 0)
            return -EINVAL;
        *ret_ns += day_ns - day_ns % DAY_NS;
        return 0;
    }
    n = snprintf(with_zone, sizeof with_zone, "%s%sZ", text,
                 s.size == 10 ? "T00:00" : "");
    if (n >= TIMETEXT_SIZE)
        return -EINVAL;
    return timetext_parse((struct span){ with_zone, (size_t)n }, ret_ns);
}

int user_time_resolve(const char *text, int64_t now_ns, char out[static TIMETEXT_SIZE],
                      struct err *err)
{
    int64_t t_ns;
    int rc = user.is_set ? 0 : user_time_set_zone(NULL, err);
    if (rc < 0)
        return rc;
    bool is_local = local_of(text, now_ns, &t_ns) == 0;
    if (is_local)
        rc = local_to_utc(text, t_ns, &t_ns, err);
    if (rc < 0)
        return rc;
    if (is_local)
        (void)timetext_print(out, t_ns);
    else if (snprintf(out, TIMETEXT_SIZE, "%s", text) >= TIMETEXT_SIZE)
        return err_set(err, EINVAL, "'%.60s...' is not a time", text);
    return 0;
}

int user_time_parse(const char *text, int64_t now_ns, int64_t *ret_ns, struct err *err)
{
    char resolved[TIMETEXT_SIZE];
    if (user_time_resolve(text, now_ns, resolved, err) < 0)
        return -EINVAL;
    if (timetext_parse_user(span_of(resolved), now_ns, ret_ns) < 0)
        return err_set(err, EINVAL,
                       "invalid time '%s' ('2026-11-21 06:00', 2026-11-21T06:00Z, -2h, "
                       "now, @SECONDS)",
                       text);
    return 0;
}
