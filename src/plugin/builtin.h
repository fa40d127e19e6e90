/* SPDX-License-Identifier: Apache-2.0 */
/* builtin - a plugin in C: a manifest and a table of callbacks.
 *
 *     static const struct plugin_builtin load = { .manifest = &manifest,
 *                                                 .open = load_open,
 *                                                 .source = load_source,
 *                                                 .close = load_close };
 *
 * source() is called at the trigger, on the thread of its caller: it does not block,
 * and allocates no memory.  Any of source, reduce and sink may be NULL, as the manifest
 * states.
 */
#ifndef PLUGIN_BUILTIN_H
#define PLUGIN_BUILTIN_H

#include "plugin/yield.h"

struct plugin_builtin {
    const struct plugin_manifest *manifest;
    /* root: the prefix of all paths, "" for this machine. */
    int (*open)(const char *root, void **ret, struct err *err);
    void (*source)(void *self, const struct plugin_when *when,
                   const struct plugin_yields *yields);
    void (*reduce)(void *self, const struct plugin_when *when,
                   const struct plugin_input *inputs, size_t count,
                   const struct plugin_yields *yields);
    void (*sink)(void *self, const struct plugin_when *when,
                 const struct plugin_input *inputs, size_t count,
                 const struct plugin_yields *yields);
    void (*close)(void *self);
};

/* Is a source due at this epoch, on a node of this role ("": any)? */
bool plugin_is_due(const struct plugin_manifest *manifest, uint64_t epoch,
                   const char *role);

#endif
