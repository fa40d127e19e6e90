/* SPDX-License-Identifier: Apache-2.0 */
/* application - which program a job ran, and what that was recognised by.
 *
 *     [application Membrane]          title = GROMACS membrane pipeline
 *     executable = gmx*, library ...  every kind of pattern that is given has to match,
 *     executable = gmx_mpi            of several of one kind one
 *
 * Sections of the site come before the programs that are built in, which are known by
 * their executable alone: the name of a job is what its owner called it, and is
 * evidence only where the site writes so.  Patterns have * and ?, and match the last
 * part of a path, or all of it where they have a '/'.
 *
 * Threads  none: no state.
 */
#ifndef ANALYSIS_RULES_APPLICATION_H
#define ANALYSIS_RULES_APPLICATION_H

#include "analysis/rules/job_values.h"
#include "base/config.h"

enum application_evidence {
    APPLICATION_EXECUTABLE,
    APPLICATION_COMMAND, /* the whole of it */
    APPLICATION_SCRIPT,  /* that an interpreter ran */
    APPLICATION_LIBRARY, /* I/O library of which the log has records: "HDF5" */
    APPLICATION_JOB_NAME,
    APPLICATION_EVIDENCE_COUNT,
};

/* [application NAME] */
struct application_rule {
    const char *name;
    const char *title; /* NULL: the name */
    struct config_list patterns[APPLICATION_EVIDENCE_COUNT];
};

extern const struct config_section application_config_section;

/* Read a section; the texts are config's.  Errors: -EINVAL (no pattern, a pattern of *
 * alone), with file and line. */
int application_rule_read(const struct config *config, const char *name,
                          struct application_rule *ret, struct err *err);

struct application_match {
    const char *name; /* NULL: not recognised */
    struct {
        const char *value, *pattern; /* value NULL: not by this */
    } by[APPLICATION_EVIDENCE_COUNT];
};

/* "executable" */
const char *application_evidence_name(enum application_evidence evidence);

/* Values that are made lie in arena; others are the evidence's. */
void application_recognise(const struct application_rule *rules, size_t count,
                           const struct job_evidence_of *of, struct arena *arena,
                           struct application_match *ret);

/* The whole of text: *, ?, and every other byte as it is; in time of their product. */
bool application_pattern_matches(struct span text, const char *pattern);

#endif
