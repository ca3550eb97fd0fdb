/* SPDX-License-Identifier: Apache-2.0
 * echo.h: values of requests as the service's errors repeat them. Private to server/wire. */
#ifndef THERMODYN_WIRE_ECHO_H
#define THERMODYN_WIRE_ECHO_H

#include "shapes.h"

/* Java's toString of the value that was read; NULL: null. */
void td_echo__write(td_buf *buf, const td_shape *shape, const td_json *json);

/* A member's name as Java has it: with a small first letter. */
void td_echo__write_name(td_buf *buf, td_slice name);

#endif
