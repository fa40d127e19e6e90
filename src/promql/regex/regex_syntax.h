/* SPDX-License-Identifier: Apache-2.0 */
/* regex_syntax - the text of a regular expression as a tree. */
#ifndef PROMQL_REGEX_SYNTAX_H
#define PROMQL_REGEX_SYNTAX_H

#include "promql/regex/regex_node.h"

/* Errors: -EINVAL (err of the syntax: which part), -ENOMEM. */
int regex_syntax_parse(struct regex_syntax *syntax, struct regex_node **ret);

#endif
