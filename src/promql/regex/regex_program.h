/* SPDX-License-Identifier: Apache-2.0 */
/* regex_program - a compiled regular expression: instructions of a thread machine. */
#ifndef PROMQL_REGEX_PROGRAM_H
#define PROMQL_REGEX_PROGRAM_H

#include "promql/regex/regex.h"

#include <stdint.h>

enum regex_opcode {
    REGEX_SET,   /* a character of the ranges [first_range, range_end) */
    REGEX_SPLIT, /* goes on at next, then, with less weight, at other */
    REGEX_JUMP,
    REGEX_SAVE,  /* stores the position in slot */
    REGEX_BEGIN, /* the text begins here */
    REGEX_END,   /* the text ends here */
    REGEX_LINE_BEGIN,
    REGEX_LINE_END,
    REGEX_WORD_EDGE, /* between a word of ASCII letters and something else */
    REGEX_NO_WORD_EDGE,
    REGEX_MATCH,
    REGEX_FAIL,
};

struct regex_range {
    uint32_t low, high;
};

struct regex_instruction {
    enum regex_opcode opcode;
    uint32_t next, other; /* of REGEX_SET other is the end of its ranges */
    uint32_t argument;    /* REGEX_SAVE: slot; REGEX_SET: the first of its ranges */
};

struct regex {
    struct span literal; /* where is_literal: the only text that fits */
    bool is_literal;
    uint32_t count;
    const struct regex_instruction *program;
    const struct regex_range *ranges;
    uint32_t group_count; /* with number 0 */
    struct span names[REGEX_GROUPS_MAX];
};

#endif
