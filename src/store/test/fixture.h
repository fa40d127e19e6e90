/* SPDX-License-Identifier: Apache-2.0 */
/* fixture - a store in a directory of a test's own, filled with values that say their
 * slot; a clock that is played.
 */
#ifndef STORE_TEST_FIXTURE_H
#define STORE_TEST_FIXTURE_H

#include "base/number.h"
#include "base/test/directory.h"
#include "store/store.h"

#include <pthread.h>

#define STEP (10 * NS_PER_S)
#define BEGIN (INT64_C(1700000003) * NS_PER_S)
#define HOSTS 6

/* What a store has reported. */
struct heard {
    _Atomic int warnings, failures;
    pthread_mutex_t lock;
    char last[1024];
};
void hear(void *arg, enum metric_store_notice notice, const char *text);

/* First of all, in main(). */
void begin_clock(void);
void play_clock(int64_t t_ns);

extern char dir[DIRECTORY_PATH_MAX];
int make_dir(void **state);
int remove_dir(void **state);
#define in_a_directory(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

struct metric_store *open_store(struct metric_store_options options);
struct level_series *series_of(struct metric_store *store, int host);
/* Returns how many samples were accepted, or -errno. */
int put(struct metric_store *store, int host, int64_t slot, double value);
/* Slots from .. to - 1 of every host. */
void fill(struct metric_store *store, int64_t from, int64_t to);

/* Samples whose values are, or are not, those of their slots. */
struct count {
    uint64_t good, wrong;
};
struct count count_all(struct metric_store *store, int host, struct metric_read *read);
/* Of all hosts; none may be wrong. */
uint64_t count_good(struct metric_store *store);

struct metric_store_status status_of(struct metric_store *store);

/* Change a bit at a third of the newest file of a kind ("blocks-"). */
void flip(const char *kind);

#endif
