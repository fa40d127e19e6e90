/* SPDX-License-Identifier: Apache-2.0 */
/* session_ledger - sessions that users started, and their events, as rows of a ledger.
 */
#include "records/tables/session_ledger.h"

#include "base/span.h"

#include <errno.h>

enum column {
    COLUMN_UID,
    COLUMN_SESSION,
    COLUMN_SEQUENCE,
    COLUMN_NAME,
    COLUMN_START,
    COLUMN_END, /* missing: it goes on, or is lost */
    COLUMN_HEARD,
    COLUMN_PARENT,
    COLUMN_CLUSTER,
    COLUMN_HOST,
    COLUMN_JOB,
    COLUMN_HOSTS,
    COLUMN_RANKS,
    COLUMN_ADDRESS,
    COLUMN_BEAT,
    COLUMN_EVENTS,
    COLUMN_REASON,
    COLUMN_PAYLOAD,
    COLUMN_STORED,
    COLUMN_COUNT,
};

static const struct scalar_column columns[COLUMN_COUNT] = {
    [COLUMN_UID] = { "uid", SCALAR_TEXT },
    [COLUMN_SESSION] = { "session", SCALAR_TEXT },
    [COLUMN_SEQUENCE] = { "sequence", SCALAR_I64 },
    [COLUMN_NAME] = { "name", SCALAR_TEXT },
    [COLUMN_START] = { "start_ns", SCALAR_I64 },
    [COLUMN_END] = { "end_ns", SCALAR_I64 },
    [COLUMN_HEARD] = { "heard_ns", SCALAR_I64 },
    [COLUMN_PARENT] = { "parent", SCALAR_TEXT },
    [COLUMN_CLUSTER] = { "cluster", SCALAR_TEXT },
    [COLUMN_HOST] = { "host", SCALAR_TEXT },
    [COLUMN_JOB] = { "job", SCALAR_TEXT },
    [COLUMN_HOSTS] = { "hosts", SCALAR_TEXT },
    [COLUMN_RANKS] = { "ranks", SCALAR_I64 },
    [COLUMN_ADDRESS] = { "address", SCALAR_TEXT },
    [COLUMN_BEAT] = { "beat_ms", SCALAR_I64 },
    [COLUMN_EVENTS] = { "events", SCALAR_I64 },
    [COLUMN_REASON] = { "reason", SCALAR_TEXT },
    [COLUMN_PAYLOAD] = { "payload", SCALAR_TEXT },
    [COLUMN_STORED] = { "told_ms", SCALAR_I64 },
};

/* What is stored and cannot be read gives way. */
static const struct scalar *report_unite(const struct scalar *stored,
                                         const struct scalar *submitted,
                                         struct arena *arena)
{
    struct session_report old, new;
    (void)arena;
    if (session_ledger_report(stored, &old) < 0 ||
        session_ledger_report(submitted, &new) < 0)
        return submitted;
    bool holds =
        old.sequence > 0 || old.has_ended || (new.t_ns <= old.t_ns && !new.has_ended);
    return holds ? stored : submitted;
}

const struct ledger ledger_session_reports = {
    .table = "session_reports",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .key_count = 3,
    .unite = report_unite,
    .indices =
        "CREATE INDEX session_reports_time ON session_reports (sequence, heard_ns);"
        "CREATE INDEX session_reports_end ON session_reports (" LEDGER_END ");",
};

static struct scalar session_text(struct span text)
{
    return text.size > 0 ? scalar_text(text) : (struct scalar){ 0 };
}

const struct scalar *session_ledger_row(const struct session_report *r, int64_t now_ms,
                                        struct arena *arena)
{
    struct scalar *row = arena_alloc(arena, COLUMN_COUNT * sizeof *row);
    if (!row)
        return NULL;
    memset(row, 0, COLUMN_COUNT * sizeof *row);
    row[COLUMN_UID] = scalar_text(r->uid);
    row[COLUMN_SESSION] = scalar_text(r->session);
    row[COLUMN_SEQUENCE] = scalar_i64((int64_t)r->sequence);
    row[COLUMN_NAME] = scalar_text(r->name);
    row[COLUMN_START] = scalar_i64(r->start_ns);
    if (r->sequence > 0)
        row[COLUMN_END] = scalar_i64(r->start_ns);
    else if (r->has_ended)
        row[COLUMN_END] = scalar_i64(r->t_ns);
    row[COLUMN_HEARD] = scalar_i64(r->t_ns);
    row[COLUMN_PARENT] = session_text(r->parent);
    row[COLUMN_CLUSTER] = session_text(r->cluster);
    row[COLUMN_HOST] = session_text(r->host);
    row[COLUMN_JOB] = session_text(r->job);
    row[COLUMN_HOSTS] = session_text(r->hosts);
    row[COLUMN_RANKS] = scalar_i64((int64_t)r->ranks);
    row[COLUMN_ADDRESS] = session_text(r->address);
    row[COLUMN_BEAT] = scalar_i64((int64_t)r->beat_ms);
    row[COLUMN_EVENTS] = scalar_i64((int64_t)r->events);
    row[COLUMN_REASON] = session_text(r->reason);
    row[COLUMN_PAYLOAD] = session_text(r->payload);
    row[COLUMN_STORED] = scalar_i64(now_ms);
    return row;
}

static struct span text_or_empty(const struct scalar *cell)
{
    return cell->is_present ? cell->text : SPAN("");
}

static int64_t number_or_zero(const struct scalar *cell)
{
    return cell->is_present ? cell->i64 : 0;
}

int session_ledger_report(const struct scalar *row, struct session_report *ret)
{
    const struct session_report report = {
        .uid = row[COLUMN_UID].text,
        .session = row[COLUMN_SESSION].text,
        .sequence = (uint64_t)row[COLUMN_SEQUENCE].i64,
        .name = text_or_empty(&row[COLUMN_NAME]),
        .start_ns = number_or_zero(&row[COLUMN_START]),
        .has_ended = row[COLUMN_END].is_present,
        .t_ns = number_or_zero(&row[COLUMN_HEARD]),
        .parent = text_or_empty(&row[COLUMN_PARENT]),
        .cluster = text_or_empty(&row[COLUMN_CLUSTER]),
        .host = text_or_empty(&row[COLUMN_HOST]),
        .job = text_or_empty(&row[COLUMN_JOB]),
        .hosts = text_or_empty(&row[COLUMN_HOSTS]),
        .ranks = (uint64_t)number_or_zero(&row[COLUMN_RANKS]),
        .address = text_or_empty(&row[COLUMN_ADDRESS]),
        .beat_ms = (uint64_t)number_or_zero(&row[COLUMN_BEAT]),
        .events = (uint64_t)number_or_zero(&row[COLUMN_EVENTS]),
        .reason = text_or_empty(&row[COLUMN_REASON]),
        .payload = text_or_empty(&row[COLUMN_PAYLOAD]),
    };
    if (session_report_check(&report) || session_report_check_sender(&report))
        return -EINVAL;
    *ret = report;
    return 0;
}
