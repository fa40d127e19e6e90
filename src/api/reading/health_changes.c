/* SPDX-License-Identifier: Apache-2.0 */
/* health_changes - of the readings of targets those that differ. */
#include "api/reading/health_changes.h"

#include "base/span.h"
#include "source/health/health.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 256
#define MOUNT_BYTES 1025
#define SPACE_SHARE 100 /* a change is of a hundredth of the target and more */

/* A reading with texts of its own: those of target_reading_check() fit. */
struct held {
    struct target_reading reading;
    char server[TEXT_BYTES], mount[MOUNT_BYTES], source[TEXT_BYTES];
};

/* Space, or server, of the target that is followed.  Agents name a server by its host,
 * clients by its address: a change from the one to the other is none. */
struct aspect {
    bool has_last, is_last_shown, has_shown;
    struct held last, shown;
};

enum { ASPECT_SPACE, ASPECT_HOST, ASPECT_NID, ASPECT_COUNT };

struct health_changes {
    int64_t from_ns;
    bool is_all;
    struct table *table;
    char cluster[TEXT_BYTES], target[TARGET_BYTES_MAX + 1];
    struct aspect aspects[ASPECT_COUNT];
    struct held *rows; /* of the target that is followed */
    size_t count, capacity;
};

int health_changes_new(int64_t from_ns, bool is_all, struct table *table,
                       struct health_changes **ret)
{
    struct health_changes *c = calloc(1, sizeof *c);
    if (!c)
        return -ENOMEM;
    c->from_ns = from_ns;
    c->is_all = is_all;
    c->table = table;
    *ret = c;
    return 0;
}

void health_changes_free(struct health_changes *changes)
{
    if (!changes)
        return;
    free(changes->rows);
    free(changes);
}

static struct span text_hold(char *to, size_t size, struct span text)
{
    size_t n = text.size < size ? text.size : size - 1;
    if (n > 0)
        memmove(to, text.data, n);
    to[n] = 0;
    return (struct span){ to, n };
}

/* Cluster and target are those that are followed. */
static void reading_hold(const struct target_reading *reading, struct held *to)
{
    struct target_reading copy = *reading;
    copy.server = text_hold(to->server, sizeof to->server, reading->server);
    copy.mount = text_hold(to->mount, sizeof to->mount, reading->mount);
    copy.source = text_hold(to->source, sizeof to->source, reading->source);
    to->reading = copy;
}

static int row_show(struct health_changes *c, const struct target_reading *reading)
{
    if (c->count == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 16;
        struct held *rows = calloc(capacity, sizeof *rows);
        if (!rows)
            return -ENOMEM;
        for (size_t i = 0; i < c->count; i++)
            reading_hold(&c->rows[i].reading, &rows[i]);
        free(c->rows);
        c->rows = rows;
        c->capacity = capacity;
    }
    reading_hold(reading, &c->rows[c->count++]);
    return 0;
}

static bool is_new(int aspect, const struct target_reading *a,
                   const struct target_reading *b)
{
    if (a->is_inactive != b->is_inactive)
        return true;
    if (aspect != ASPECT_SPACE)
        return !span_eq(a->server, b->server);
    if (a->has_space != b->has_space || a->total_kib != b->total_kib)
        return true;
    int64_t grown = llabs(a->used_kib - b->used_kib);
    return a->has_space && grown > 0 && grown >= a->total_kib / SPACE_SHARE;
}

static int last_show(struct health_changes *c, struct aspect *a)
{
    int rc = a->has_last && !a->is_last_shown ? row_show(c, &a->last.reading) : 0;
    if (a->has_last && !a->is_last_shown)
        reading_hold(&a->last.reading, &a->shown);
    a->has_shown |= a->has_last;
    a->is_last_shown = true;
    return rc;
}

static int aspect_follow(struct health_changes *c, int aspect,
                         const struct target_reading *reading)
{
    struct aspect *a = &c->aspects[aspect];
    int rc = 0;
    bool is_after = reading->t_ns > c->from_ns;
    if (is_after && a->has_last && !a->has_shown)
        rc = last_show(c, a); /* how it was at the beginning */
    bool is_shown = is_after && (c->is_all || !a->has_shown ||
                                 is_new(aspect, &a->shown.reading, reading));
    if (rc == 0 && is_shown)
        rc = last_show(c, a); /* the last before the change */
    reading_hold(reading, &a->last);
    a->has_last = true;
    a->is_last_shown = false;
    return rc == 0 && is_shown ? last_show(c, a) : rc;
}

static int by_row_time(const void *a, const void *b)
{
    const struct target_reading *const *x = a, *const *y = b;
    if ((*x)->t_ns != (*y)->t_ns)
        return (*x)->t_ns < (*y)->t_ns ? -1 : 1;
    return ((*x)->server.size > 0) - ((*y)->server.size > 0);
}

/* One row where both aspects were read at once. */
static void rows_print(struct health_changes *c, const struct target_reading **sorted)
{
    for (size_t i = 0; i < c->count; i++) {
        struct target_reading row = *sorted[i];
        for (; i + 1 < c->count && sorted[i + 1]->t_ns == row.t_ns; i++) {
            const struct target_reading *next = sorted[i + 1];
            if (next->has_space && !row.has_space) {
                row.has_space = true;
                row.total_kib = next->total_kib;
                row.used_kib = next->used_kib;
                row.available_kib = next->available_kib;
            }
            if (next->server.size > 0)
                row.server = next->server;
            if (row.mount.size == 0)
                row.mount = next->mount;
            row.is_inactive |= next->is_inactive;
        }
        row.cluster = span_of(c->cluster);
        row.target = span_of(c->target);
        health_readings_row_add(c->table, &row);
    }
}

static bool is_address(struct span server)
{
    return memchr(server.data, '@', server.size) != NULL;
}

/* Where its servers are named by their hosts, addresses repeat that. */
static void addresses_drop(struct health_changes *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct span server = c->rows[i].reading.server;
        if (server.size > 0 && is_address(server))
            continue;
        if (count < i)
            reading_hold(&c->rows[i].reading, &c->rows[count]);
        count++;
    }
    c->count = count;
}

static int target_end(struct health_changes *c)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < ASPECT_COUNT; i++)
        rc = last_show(c, &c->aspects[i]);
    if (c->aspects[ASPECT_HOST].has_shown && !c->is_all)
        addresses_drop(c);
    AUTO_FREE const struct target_reading **sorted =
        calloc(c->count + 1, sizeof *sorted);
    if (rc < 0 || !sorted)
        return rc < 0 ? rc : -ENOMEM;
    for (size_t i = 0; i < c->count; i++)
        sorted[i] = &c->rows[i].reading;
    if (c->count > 1)
        qsort(sorted, c->count, sizeof *sorted, by_row_time);
    rows_print(c, sorted);
    c->count = 0;
    for (int i = 0; i < ASPECT_COUNT; i++)
        c->aspects[i].has_last = c->aspects[i].has_shown = false;
    return table_error(c->table);
}

int health_changes_add(struct health_changes *changes,
                       const struct target_reading *reading)
{
    struct health_changes *c = changes;
    int rc = 0;
    if (!span_is(reading->cluster, c->cluster) || !span_is(reading->target, c->target))
        rc = target_end(c);
    (void)text_hold(c->cluster, sizeof c->cluster, reading->cluster);
    (void)text_hold(c->target, sizeof c->target, reading->target);
    bool is_of_server = reading->server.size > 0;
    if (rc == 0 && (reading->has_space || !is_of_server)) {
        struct target_reading space = *reading;
        space.server = SPAN("");
        space.is_inactive = reading->is_inactive && !is_of_server;
        rc = aspect_follow(c, ASPECT_SPACE, &space);
    }
    if (rc == 0 && is_of_server) {
        struct target_reading server = *reading;
        server.has_space = false;
        rc = aspect_follow(c, is_address(server.server) ? ASPECT_NID : ASPECT_HOST,
                           &server);
    }
    return rc;
}

int health_changes_end(struct health_changes *changes)
{
    return target_end(changes);
}
