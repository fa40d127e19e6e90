/* SPDX-License-Identifier: Apache-2.0 */
/* verify_context - what the checks of a store's files share, and how they report. */
#include "store/files/verify_context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const char keep_the_rest[] =
    "barod serves the rest; bring the file back from a copy, or go on without it";

struct store_fault *verify_report(struct verify *v, const struct verify_at *at,
                                  const char *fmt, ...)
{
    struct store_verified *r = &v->result;
    va_list ap;
    r->fault_count += !at->is_note;
    if (r->item_count == STORE_FAULTS_MAX)
        return NULL;
    if (!r->items)
        r->items = calloc(STORE_FAULTS_MAX, sizeof *r->items);
    if (!r->items) {
        v->error = -ENOMEM;
        return NULL;
    }
    struct store_fault *fault = &r->items[r->item_count++];
    fault->is_note = at->is_note;
    fault->at = at->byte;
    fault->remedy = at->remedy ? at->remedy : keep_the_rest;
    (void)snprintf(fault->file, sizeof fault->file, "%s", at->file);
    va_start(ap, fmt);
    (void)vsnprintf(fault->what, sizeof fault->what, fmt, ap);
    va_end(ap);
    return fault;
}

void verify_report_open(struct verify *v, const char *file, int rc, const char *why)
{
    if (rc == -ENOMEM)
        v->error = rc;
    v->has_gone |= rc == -ENOENT;
    const struct verify_at at = { .file = file, .byte = -1 };
    (void)verify_report(v, &at, "%s", rc == -ENOENT ? "it is not there" : why);
}

bool verify_path(const struct verify *v, const char *name, char out[static PATH_MAX])
{
    int n = snprintf(out, PATH_MAX, "%s/%s", v->dir, name);
    return n > 0 && n < PATH_MAX;
}
