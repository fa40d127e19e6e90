/* SPDX-License-Identifier: Apache-2.0 */
/* table - every resource in memory: what is stated about it, and its health.
 *
 *     records, at the start ─▶ load ─┐                     ┌─▶ list, check, show
 *     statements, stored ────▶ apply ┴▶ components ─ effect ┤
 *                                       parts, enclosures   └─▶ changes: the last 4096
 *
 * What is in it is what records has (resource_statement_holds decides here and there),
 * and what is configured.  So nothing of it is saved.
 *
 * Bounds   RESOURCES_MAX components, RESOURCE_PARTS_MAX of them parts of one host,
 *          RESOURCE_SOURCES_MAX sources of each; a statement over them is refused
 *          before it is stored (table_admit).  What is stored is read, whatever the
 *          bounds are now: nothing that is down is lost by a restart.
 * Threads  any number of readers; load and apply: one thread at a time, before readers
 *          that come later.  Views are valid during the call that they are given to,
 *          which must not call the table.
 */
#ifndef RESOURCE_TABLE_H
#define RESOURCE_TABLE_H

#include "resource/rules.h"

#define RESOURCES_MAX ((size_t)1000000)
/* Of these, until which nodes may state more: one token that is every node's leaves
 * some for the site's programs and administrators. */
#define RESOURCES_OF_AGENTS_MAX ((size_t)800000)
#define RESOURCE_PARTS_MAX 1024
/* One is the administrators' and one that of presence, always. */
#define RESOURCE_SOURCES_MAX 64
#define RESOURCE_OPINIONS_MAX 16  /* of these, users */
#define RESOURCE_OF_AGENTS_MAX 32 /* of these, until which nodes may state more */
#define RESOURCE_CHANGES_MAX 4096

struct resource_table;

/* rules outlive it.  Errors: -ENOMEM, -E2BIG. */
int resource_table_new(const struct resource_rules *rules, struct resource_table **ret,
                       struct err *err);
void resource_table_free(struct resource_table *table);
DEFINE_AUTO(struct resource_table, resource_table_free);

/* ---- what is stated ---- */

/* All that holds, in place of what was loaded before.  Until the first time nothing is
 * known, and every reading is refused.  Errors: -ENOMEM. */
int resource_table_load(struct resource_table *table,
                        const struct resource_statement *statements, size_t count,
                        int64_t now_ns);
/* Why statement alone is not to be stored, or NULL: there are as many components or
 * sources as can be; an opinion on what is not known.  Static text. */
const char *resource_table_admits(struct resource_table *table,
                                  const struct resource_statement *statement);
/* What source states now about component; false: nothing.  ret has no texts. */
bool resource_table_find(struct resource_table *table, struct span component,
                         struct span source, struct resource_statement *ret);
/* Once they are stored.  Errors: -ENOMEM: load anew. */
int resource_table_apply(struct resource_table *table,
                         const struct resource_statement *statements, size_t count,
                         int64_t now_ns);

/* ---- what is so ---- */

struct resource_view {
    struct span component;
    enum resource_health health;
    int64_t since_ns;   /* 0: nothing is stated */
    struct span reason; /* of the statement that decides */
    struct span source, by;
    struct span
        cause; /* the component that it is about: itself, a part, an enclosure */
    size_t part_count;
    bool is_of_several; /* of a check: other clusters have a host of its name */
};

/* A negative return ends the reading and is returned; 1 ends it well. */
typedef int resource_view_fn(void *arg, const struct resource_view *view);

struct resource_filter {
    struct span pattern; /* component_path_matches(); empty: any */
    struct span below;   /* it and its parts; empty: any */
    unsigned healths;    /* bit RESOURCE_*; 0: any */
    bool only_hosts;     /* no parts */
};

/* By path.  Errors: -EAGAIN (nothing is loaded yet), -ENOMEM, fn's. */
int resource_table_each(struct resource_table *table,
                        const struct resource_filter *filter, resource_view_fn *fn,
                        void *arg);

/* Of each host of the set that is not to be used, in the set's order: host and view;
 * view NULL: no host of that name is known.  cluster empty: of any. */
typedef int resource_check_fn(void *arg, const char *host,
                              const struct resource_view *view);
int resource_table_check(struct resource_table *table, struct span cluster,
                         const struct hostset *hosts, resource_check_fn *fn, void *arg);
/* The component of every host of that name; an unknown name is no component, and *fn is
 * given NULL. */
int resource_table_hosts(struct resource_table *table, struct span cluster,
                         const struct hostset *hosts, resource_check_fn *fn, void *arg);

/* "alex/a1": the one host of that name.  Errors: -ENOENT, -EEXIST (several clusters
 * have one), -ENOMEM. */
int resource_table_host(struct resource_table *table, struct span name,
                        struct strbuf *out);

/* All that is stated about a component.  Errors: -ENOENT, as above. */
typedef int resource_source_fn(void *arg, const struct resource_statement *statement,
                               bool is_confirmed);
int resource_table_sources(struct resource_table *table, struct span component,
                           resource_source_fn *fn, void *arg);

/* Hosts that presence states as unknown, in no order: since when nothing was heard, and
 * its reason.  cluster empty: of any.  Errors: as of resource_table_each(). */
int resource_table_silent(struct resource_table *table, struct span cluster,
                          resource_view_fn *fn, void *arg);

/* ---- what changed ---- */

/* "1669014000123456.17": of which run of barod, and how many before it. */
struct resource_change_id {
    uint64_t run, sequence;
};

struct resource_change {
    struct resource_change_id id;
    int64_t t_ns;
    struct span component, reason, source, by;
    enum resource_health from, to;
};

typedef int resource_change_fn(void *arg, const struct resource_change *change);

/* Errors: -EINVAL. */
int resource_change_id_parse(struct span text, struct resource_change_id *ret);
/* Is there one after it, or was it of an earlier run of barod? */
bool resource_table_has_changes(struct resource_table *table,
                                struct resource_change_id after);
/* The oldest after it, at most limit; zeros: the newest.  after: the id to go on from,
 * set once they are read.  is_lost: some between are not there any more.
 * Errors: -EAGAIN, fn's. */
struct resource_changes_query {
    struct resource_change_id after;
    size_t limit;
    bool is_lost; /* set */
};
int resource_table_changes(struct resource_table *table,
                           struct resource_changes_query *query, resource_change_fn *fn,
                           void *arg);

struct resource_counts {
    size_t components, statements;
    size_t of[RESOURCE_HEALTH_COUNT];
    uint64_t changes, refused;
    bool is_loaded;
};
void resource_table_count(struct resource_table *table, struct resource_counts *ret);
/* Without a walk over all of them. */
size_t resource_table_size(struct resource_table *table);
bool resource_table_is_loaded(struct resource_table *table);

#endif
