/* SPDX-License-Identifier: Apache-2.0 */
/* resource - what a source states about the health of a component.
 *
 *     {"component":"alex/a0903/dimm:3","health":"degraded",
 *      "reason":"edac: 14 uncorrected errors at 2026-11-21T06:00Z","source":"edac",
 *      "t":1669014000}
 *
 * Several sources may state something about one component, and each statement holds
 * until its own source makes another.  A source is one of
 *     admin           the administrators: one statement of all of them
 *     system:NAME     a plugin, a rule or a program of the site
 *     user:NAME       a person: an opinion
 */
#ifndef MODEL_RESOURCE_H
#define MODEL_RESOURCE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

/* From well to bad: of several sources the worst counts.  Unknown is no reason for
 * anything, and drained is what an administrator alone states. */
enum resource_health {
    RESOURCE_UP,
    RESOURCE_UNKNOWN,
    RESOURCE_DEGRADED,
    RESOURCE_DOWN,
    RESOURCE_DRAINED,
    RESOURCE_HEALTH_COUNT,
};

const char *resource_health_name(enum resource_health health);
/* Errors: -EINVAL. */
int resource_health_parse(struct span name, enum resource_health *ret);

#define RESOURCE_COMPONENT_BYTES_MAX ((size_t)512)
#define RESOURCE_SOURCE_BYTES_MAX ((size_t)128)
#define RESOURCE_REASON_BYTES_MAX ((size_t)512)
#define RESOURCE_LINE_BYTES_MAX ((size_t)4096)

struct resource_statement {
    struct span component; /* a path: alex/a0903/dimm:3 */
    struct span source;
    struct span by;     /* the person or token that sent it; empty: not known */
    struct span reason; /* empty only where it is up */
    enum resource_health health;
    int64_t t_ns;      /* since when; 0: it names no time */
    int64_t sent_ns;   /* as its sender's clock had it; 0: not known */
    int64_t stored_ns; /* since when it is known here, by the own clock; 0: it is new */
    bool is_of_agent;  /* of a node's token: it has fewer places */
};

enum resource_source_kind {
    RESOURCE_SOURCE_NONE, /* it is not one */
    RESOURCE_SOURCE_ADMIN,
    RESOURCE_SOURCE_SYSTEM,
    RESOURCE_SOURCE_USER,
};

/* ret_name, which may be NULL: what follows the colon. */
enum resource_source_kind resource_source_kind(struct span source,
                                               struct span *ret_name);

/* Is it the path of a host or another component inside of a cluster, in its one form?
 */
bool resource_component_is_valid(struct span path);

/* Why it cannot be stored, or NULL: component, source or reason are none, or too long;
 * drained by another than an administrator; a reason is missing.  Static text. */
const char *resource_statement_check(const struct resource_statement *statement);

/* Does stored hold on, though another of the same component and source was submitted?
 * One that is not later, or the same again; a later time alone is no change. */
bool resource_statement_holds(const struct resource_statement *stored,
                              const struct resource_statement *submitted);
/* Is the change from stored to submitted one of the history?  Of health always, of the
 * reason alone where a person gave it: a check whose reason has a count would else make
 * a row a trigger. */
bool resource_statement_is_change(const struct resource_statement *stored,
                                  const struct resource_statement *submitted);

void resource_statement_print_line(const struct resource_statement *statement,
                                   struct strbuf *out);
/* Read a line; its keys may come in any order, source, reason and t may be missing: so
 * the source is not checked.  A source without a kind is one word.  Texts of *ret lie
 * in arena.  Errors: -EBADMSG (err has the reason), -ENOMEM. */
int resource_statement_read_line(struct span line, struct arena *arena,
                                 struct resource_statement *ret, struct err *err);

#endif
