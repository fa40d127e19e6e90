/* SPDX-License-Identifier: Apache-2.0 */
/* image - the door of dataset/image: images of datasets made, walked and checked. */
#ifndef DATASET_IMAGE_IMAGE_H
#define DATASET_IMAGE_IMAGE_H

#include "dataset/image/build.h"
#include "dataset/image/digest.h"
#include "dataset/image/inspect.h"
#include "dataset/image/manifest.h"
#include "dataset/image/metadata.h"
#include "dataset/image/source.h"
#include "dataset/image/tree_remove.h"
#include "dataset/image/walk.h"

#endif
