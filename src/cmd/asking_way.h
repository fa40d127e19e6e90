/* SPDX-License-Identifier: Apache-2.0 */
/* asking_way - the two ways to an answer; private to asking. */
#ifndef CMD_ASKING_WAY_H
#define CMD_ASKING_WAY_H

#include "base/number.h"
#include "cmd/asking.h"

struct asking_pair {
    const char *name;
    struct span value;
};

#define ASKING_PAIRS_MAX 32

struct asking_pairs {
    struct asking_pair items[ASKING_PAIRS_MAX];
    size_t count;
    struct strbuf lists; /* the texts of joined lists */
    char limit[NUMBER_DIGITS_MAX];
};

/* The pairs point into args and into *ret, which must not move.  Errors: -ENOMEM. */
int asking_pairs_make(const struct asking_args *args, struct asking_pairs *ret);
void asking_pairs_done(struct asking_pairs *pairs);

/* A way opens what it needs in its own state. */
struct asking_way {
    int (*open)(const struct asking_args *args, void **ret, struct err *err);
    void (*close)(void *state);
    int (*table)(void *state, enum asking_question question,
                 const struct asking_pairs *pairs, struct table *ret, struct err *err);
    int (*job)(void *state, const struct asking_pairs *pairs, struct table *parts,
               struct err *err);
};

extern const struct asking_way asking_way_records; /* a database, directly */
extern const struct asking_way asking_way_server;  /* barod, over REST */

#endif
