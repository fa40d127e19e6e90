/* SPDX-License-Identifier: Apache-2.0 */
/* config - the one file an administrator edits.
 *
 *     # a comment stands at the start of a line
 *     [agent]
 *     interval = 2m
 *     [filesystem scratch]
 *     jobid_name = %j:%u:%H
 *     jobid_name = %e.%u          a repeated key is a list
 *
 * A room describes its keys in a table; from it come the checks, --help and the man
 * page. Everything that is not in a table is an error with file, line, key and reason.
 */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include "base/err.h"
#include "base/span_type.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum config_type {
    CONFIG_TEXT,     /* const char *, the config's own memory */
    CONFIG_BOOL,     /* bool: yes no true false on off */
    CONFIG_COUNT,    /* uint64_t, no unit */
    CONFIG_DURATION, /* int64_t ns, unit required */
    CONFIG_SIZE,     /* uint64_t bytes, unit required */
    CONFIG_LIST,     /* struct config_list: the key may be repeated */
};

struct config_list {
    const char **items;
    size_t count;
};

struct config_key {
    const char *name;
    enum config_type type;
    size_t offset;     /* of the field in the room's options */
    const char *value; /* the default, as text; NULL: zero / none */
    int64_t min, max;  /* counts, ns, bytes; both 0: no limits */
    const char *help;  /* one sentence */
};

struct config_section {
    const char *kind; /* "agent", "filesystem" */
    bool is_named;    /* [kind NAME], any number of them */
    const struct config_key *keys;
    size_t key_count;
    const char *help;
};

struct config; /* the text of one file, understood */

/* Read and check path against the sections a program knows.
 * Errors: -EINVAL with "file:line: key: reason and remedy", what open says, -ENOMEM. */
int config_load(const char *path, const struct config_section *sections, size_t count,
                struct config **ret, struct err *err);
/* The same from text; name stands for the file in errors.  NULL text: all defaults. */
int config_parse(const char *name, struct span text,
                 const struct config_section *sections, size_t count,
                 struct config **ret, struct err *err);
void config_free(struct config *config);
DEFINE_AUTO(struct config, config_free);

/* Fill a room's options: every key of the section, defaults where the file is silent.
 * name is NULL for a section without one.  The texts belong to config.
 * Errors: -ENOENT (no such named section). */
int config_fill(const struct config *config, const char *kind, const char *name,
                void *opts, struct err *err);

/* The names of all [kind NAME], in the file's order. */
size_t config_name_count(const struct config *config, const char *kind);
const char *config_name(const struct config *config, const char *kind, size_t index);
/* Append where [kind NAME] stands, "barod.conf:12"; nothing when it does not. */
void config_print_place(const struct config *config, const char *kind, const char *name,
                        struct strbuf *out);
/* Where this key of [kind NAME] stands first; else as config_print_place(). */
void config_print_key_line(const struct config *config, const char *kind,
                           const char *name, const char *key, struct strbuf *out);
/* Whether anything was said of it: a heading in the file, or a key by config_set(). */
bool config_has(const struct config *config, const char *kind);

/* Whether this key has a value of the file or of config_set(). */
bool config_has_key(const struct config *config, const char *kind, const char *key);

/* "section.key = value" over what the file says (option --set); same checks. */
int config_set(struct config *config, struct span assignment, struct err *err);

/* The tables as text: a commented sample file. */
void config_describe(const struct config_section *sections, size_t count,
                     struct strbuf *out);

#endif
