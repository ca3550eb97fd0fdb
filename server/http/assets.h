/* SPDX-License-Identifier: Apache-2.0
 * assets.h: the files of the console, as the build embeds them (embed.cmake). */
#ifndef THERMODYN_HTTP_ASSETS_H
#define THERMODYN_HTTP_ASSETS_H

#include "thermodyn/base.h"

typedef struct td_http_asset {
    td_slice path;            /* "/_thermodyn/app.js"; the page itself is "/_thermodyn/" */
    const char *content_type;
    const char *etag;         /* W/"…": one for the file, packed or not */
    td_slice body;
} td_http_asset;

extern const td_http_asset td_http__assets[];
extern const size_t td_http__asset_count;

#endif
