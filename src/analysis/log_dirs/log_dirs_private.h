/* SPDX-License-Identifier: Apache-2.0 */
/* log_dirs_private - what the files of the room share. */
#ifndef ANALYSIS_LOG_DIRS_LOG_DIRS_PRIVATE_H
#define ANALYSIS_LOG_DIRS_LOG_DIRS_PRIVATE_H

#include "analysis/log_dirs/log_dirs.h"

#include <stdatomic.h>

struct log_dirs {
    _Atomic unsigned owners; /* the program, and each thread that looks */
    _Atomic unsigned threads;
    char *patterns[LOG_DIRS_MAX];
    size_t count;
    uint64_t files_max, bytes_max;
    int64_t time_max_ns;
};

struct log_dirs *log_dirs_hold(struct log_dirs *dirs);

#endif
