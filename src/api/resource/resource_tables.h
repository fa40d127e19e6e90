/* SPDX-License-Identifier: Apache-2.0 */
/* resource_tables - what a client sees of resources, as tables.
 *
 * Health, reasons and what states them are everybody's who may read; the names of
 * persons are for those whom access_decide() permits them, and for the person.
 */
#ifndef API_RESOURCE_RESOURCE_TABLES_H
#define API_RESOURCE_RESOURCE_TABLES_H

#include "access/access.h"
#include "base/table/table.h"
#include "resource/resource.h"

#define RESOURCE_ROWS_DEFAULT 1000
#define RESOURCE_ROWS_MAX 1000000

/* Errors, of all: as the table's (-EAGAIN, -ENOENT), -ENOMEM. */
int resource_table_of_list(struct resource_table *table,
                           const struct resource_filter *filter, uint64_t limit,
                           const struct access_client *client, struct table *ret);
/* Of hosts that are not known there is a note.  is_of_all: a row of each that is, also
 * where it may be used. */
int resource_table_of_check(struct resource_table *table, struct span cluster,
                            const struct hostset *hosts, bool is_of_all,
                            struct table *ret);
/* Hosts that are not heard; cluster empty: of any. */
int resource_table_of_silent(struct resource_table *table, struct span cluster,
                             struct table *ret);
int resource_table_of_sources(struct resource_table *table, struct span component,
                              const struct access_client *client, struct table *ret);
/* Where there is none to show one row has only the id to go on from. */
int resource_table_of_changes(struct resource_table *table,
                              struct resource_change_id after, uint64_t limit,
                              const struct access_client *client, struct table *ret);

#endif
