/* SPDX-License-Identifier: Apache-2.0 */
/* migration - the steps that bring a database to this program's schema. */
#include "records/engine/migration.h"

#include "records/tables/tables.h"

#define SERIES_A_SECOND 300000 /* into an index, measured on a laptop's disk */

void migration_report(int64_t version, uint64_t series_count, const char *index_locks,
                      const char *locks, records_step_fn *fn, void *arg)
{
    static const char *const steps[SCHEMA_VERSION] = {
        NULL, /* nothing is of version 0 */
        "schema 1 to 2: the index of time_series_id is built again over all series",
        "schema 2 to 3: tables of hourly roll-ups are made",
        "schema 3 to 4: tables of jobs and of summaries are made",
        "schema 4 to 5: the database gets an identity, to be known again by",
        "schema 5 to 6: a table of names of users and groups is made",
        "schema 6 to 7: an index of the users' numbers of jobs is made",
        "schema 7 to 8: a table of readings of targets is made",
        "schema 8 to 9: a table of steps of jobs is made",
        "schema 9 to 10: a table of footprints of jobs is made",
        "schema 10 to 11: tables of the health of resources are made",
        "schema 11 to 12: tables of sessions of users, of files and of datasets of "
        "jobs are made",
        "schema 12 to 13: tables of parts of nodes, an index of sessions by job are "
        "made",
    };
    for (; version < SCHEMA_VERSION; version++) {
        bool is_index = version == 1;
        const struct records_step step = {
            .what = steps[version],
            .locks = is_index ? index_locks : locks,
            .seconds = is_index ? (int64_t)(series_count / SERIES_A_SECOND) : 0,
        };
        fn(arg, &step);
    }
}
