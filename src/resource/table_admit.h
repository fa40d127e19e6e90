/* SPDX-License-Identifier: Apache-2.0 */
/* table_admit - which statements of a batch have a slot, before they are stored.
 *
 *     batch ─▶ of(line) ─▶ refused, with why
 *                 └▶ find: what its source states before this line ─▶ note(line)
 *
 * Threads  that of apply, between two of its calls.
 */
#ifndef RESOURCE_TABLE_ADMIT_H
#define RESOURCE_TABLE_ADMIT_H

#include "base/hashmap.h"
#include "resource/table.h"

struct source_slots;

struct resource_admission {
    struct resource_table *table;
    size_t component_count;    /* of the table, with those of the batch; 0: not yet */
    struct hashmap components; /* path -> index + 1 */
    struct source_slots *slots;
    size_t slots_count, slots_capacity;
    struct hashmap sources;           /* "path source" -> index + 1 of its last */
    struct resource_statement *noted; /* their texts are the batch's */
    size_t noted_count, noted_capacity;
};

void resource_admission_begin(struct resource_admission *admission,
                              struct resource_table *table);
void resource_admission_done(struct resource_admission *admission);
DEFINE_AUTO_DONE(struct resource_admission, resource_admission_done);

/* *ret_reason: why it is not to be stored, static text, or NULL: then it has its
 * slot.  Errors: -ENOMEM. */
int resource_admission_of(struct resource_admission *admission,
                          const struct resource_statement *statement,
                          const char **ret_reason);
/* What its source states about its component until then: by this batch, or before it.
 * False: nothing. */
bool resource_admission_find(struct resource_admission *admission,
                             const struct resource_statement *statement,
                             struct resource_statement *ret);
/* It is what its source states from now on.  Errors: -ENOMEM. */
int resource_admission_note(struct resource_admission *admission,
                            const struct resource_statement *statement);

#endif
