/* SPDX-License-Identifier: Apache-2.0 */
/* study_svg - the pictures of a study.
 *
 *     quantiles      a box a set: quartiles, 5 % and 95 %        (figure 2 of SC18)
 *     timeline       a group's runs with both averages, and the regions in which they
 *                    part                                        (figures 6 and 7)
 *     contributors   how often each measure was at its worst when a run was, against
 *                    chance                                      (figure 10)
 *     correlations   each measure with the fraction, by group
 *
 * Of many groups those with the most runs are shown; a text beside the picture says so.
 * Nothing is said by colour alone: what lies below the long average is hatched, what is
 * no more than chance is hollow, signs stand beside numbers.
 */
#ifndef DRAW_STUDY_SVG_H
#define DRAW_STUDY_SVG_H

#include "analysis/climate/climate.h"
#include "base/strbuf.h"

void study_quantiles_svg(const struct study *study, struct strbuf *out);
void study_contributors_svg(const struct study *study, struct strbuf *out);
void study_correlations_svg(const struct study *study, struct strbuf *out);

/* What pictures show, so that they stay pictures: groups with the most runs, in the
 * order of their names. */
#define STUDY_GROUPS_SHOWN 24
#define STUDY_SETS_SHOWN 120 /* in the quantiles */

struct study_groups {
    const char *names[STUDY_GROUPS_SHOWN];
    size_t places[STUDY_GROUPS_SHOWN]; /* of each among all groups */
    size_t count;                      /* of those shown */
    size_t total;
};

void study_groups_shown(const struct study *study, struct study_groups *ret);

#endif
