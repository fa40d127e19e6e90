/* SPDX-License-Identifier: Apache-2.0 */
/* regex_node - the tree of a regular expression while it is parsed. */
#ifndef PROMQL_REGEX_NODE_H
#define PROMQL_REGEX_NODE_H

#include "promql/regex/regex_program.h"

enum regex_node_kind {
    REGEX_NODE_EMPTY,
    REGEX_NODE_SET,
    REGEX_NODE_ASSERT,
    REGEX_NODE_CAT,
    REGEX_NODE_ALTERNATE,
    REGEX_NODE_REPEAT,
    REGEX_NODE_GROUP,
};

struct regex_node {
    enum regex_node_kind kind;
    struct regex_node *first, *second; /* operands */
    uint32_t range_begin, range_end;   /* REGEX_NODE_SET */
    enum regex_opcode opcode;          /* REGEX_NODE_ASSERT */
    uint32_t least, most;              /* REGEX_NODE_REPEAT; most UINT32_MAX: no end */
    bool is_lazy;
    uint32_t group; /* REGEX_NODE_GROUP; 0: it has no number */
};

struct regex_syntax {
    struct arena *arena;
    struct err *err;
    struct span text;
    size_t at;
    unsigned depth;
    uint32_t flags;
    uint32_t group_count;
    struct span names[REGEX_GROUPS_MAX];
    struct regex_range *ranges;
    uint32_t range_count, range_capacity;
};

enum { REGEX_FOLD = 1, REGEX_DOT_ALL = 2, REGEX_LINES = 4, REGEX_LAZY = 8 };

/* An error with the part of the text that it is about; returns -EINVAL. */
int regex_refuse(struct regex_syntax *syntax, size_t begin, const char *reason);

/* The next character; *ret_size is how many bytes it has. */
uint32_t regex_character(const struct regex_syntax *syntax, size_t *ret_size);

struct regex_node *regex_node_new(struct regex_syntax *syntax,
                                  enum regex_node_kind kind);

#endif
