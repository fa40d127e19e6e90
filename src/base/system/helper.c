/* SPDX-License-Identifier: Apache-2.0 */
/* helper - where a program is that only other programs start. */
#include "base/system/helper.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *helper_find(const char *installed, char *path)
{
    const char *name = strrchr(installed, '/');
    if (access(installed, X_OK) == 0 || !name)
        return installed;
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (size <= 0)
        return installed;
    self[size] = '\0';
    char *end = strrchr(self, '/');
    if (!end || (size_t)(end - self) + strlen(name) >= sizeof self)
        return installed;
    *end = '\0';
    (void)snprintf(path, PATH_MAX, "%s%s", self, name);
    return access(path, X_OK) == 0 ? path : installed;
}
