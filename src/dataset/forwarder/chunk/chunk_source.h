/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_source - a server, or the directory of a repository, out of which a dataset is
 * pulled. */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_SOURCE_H
#define DATASET_FORWARDER_CHUNK_CHUNK_SOURCE_H

#include "dataset/repository/repository.h"

/* in->path is a dataset's tag or name there.  from: HOST:PORT, unix:PATH, or a
 * directory with a '/' in its path.  munge: as credential_opts_parse() has it; NULL:
 * automatic.  Errors: as repository_pull(), those of connect. */
int chunk_source_pull(struct repository *r, const char *from, const char *munge,
                      const struct dataset_admission *in, struct dataset_added *ret,
                      struct err *err);

#endif
