/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of libsai share. A call is translated to one request on the daemon's unix socket. Each file calls only
 * files above it here: settings.c has what the client has set, request.c the socket, notify.c the notifications, route.c
 * routes, convert.c the attributes, stats.c what each client has cleared, methods.c and kept.c the method tables, global.c
 * the global functions.
 */
#ifndef UELINK_SAI_INTERNAL_H
#define UELINK_SAI_INTERNAL_H

#include <jansson.h>
#include <stddef.h>

#include "sai.h"

/* Limits of one call: more are refused, before a pointer is followed. */
enum { ATTRS_MAX = 512, STATS_MAX = 4096, LIST_MAX = 4096, OBJECTS_MAX = 65536, INFO_MAX = 255 };

enum kind { KIND_bool, KIND_u8, KIND_s8, KIND_u16, KIND_s16, KIND_u32, KIND_u64, KIND_s32, KIND_oid, KIND_mac, KIND_ptr,
	KIND_chardata, KIND_objlist, KIND_s8list, KIND_u16list, KIND_u32list, KIND_qosmap };

/* A row of the daemon's table of attributes. */
struct attribute {
	sai_object_type_t type;
	sai_attr_id_t id;
	enum kind kind;
};

/* A row of the daemon's table of statistics that are implemented. */
struct statistic {
	sai_object_type_t type;
	sai_stat_id_t id;
	uint32_t modes;
};

#define SWITCH_OID ((sai_object_id_t)SAI_OBJECT_TYPE_SWITCH << 48)
#define OID_TEXT 24 /* octets of "oid:0x" and 16 digits */

/* The object of a call: by its id, or a route by its entry. */
struct target {
	sai_object_type_t type;
	sai_object_id_t oid;
	const sai_route_entry_t *route;
};

static inline sai_object_type_t type_of(sai_object_id_t oid) { return (sai_object_type_t)(oid >> 48); }

/* settings.c */
sai_status_t settings_begin(const sai_service_method_table_t *services);
bool settings_end(void);
void settings_after_fork(void);
bool ready(void);
bool attach(void);
void detach(void);
sai_status_t attached(void);
bool exact_timers(void);
const char *socket_path(void);
const char *client_name(void);
void set_log_level(sai_log_level_t level);
void say(sai_log_level_t level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* request.c */
sai_status_t request(const char *path, json_t *body, json_t **answer);
sai_status_t call(const char *path, json_t *body, json_t **answer);
void close_own_connection(void);
void requests_begin(void);
void oid_text(char text[OID_TEXT], sai_object_id_t oid);
sai_object_id_t oid_of(const json_t *text);

/* notify.c */
void keep_of_switch(const sai_attribute_t *attr);
void *kept_notification(sai_attr_id_t id);
sai_status_t kept_info(sai_s8_list_t *out);
sai_status_t start_notifications(void);
void stop_notifications(void);
void notifications_after_fork(void);

/* route.c */
sai_status_t check_route(const sai_route_entry_t *route);
json_t *route_to_json(const sai_route_entry_t *route);
bool route_from_json(const json_t *entry, sai_route_entry_t *route);

/* convert.c */
sai_status_t check_target(const struct target *t);
json_t *target_to_json(const struct target *t);
const struct attribute *find_attribute(sai_object_type_t type, sai_attr_id_t id);
size_t count_attributes(sai_object_type_t type);
sai_status_t attributes_to_json(sai_object_type_t type, sai_object_id_t oid, uint32_t n, const sai_attribute_t *list,
	json_t **out);
sai_status_t get_attributes(struct target t, uint32_t n, sai_attribute_t *list);

/* stats.c */
const struct statistic *find_statistic(sai_object_type_t type, sai_stat_id_t id);
sai_status_t read_stats(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode, uint64_t *counters);
sai_status_t clear_stats(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids);
sai_status_t clear_all_stats(sai_object_id_t oid);
void forget_stats(void);
void stats_after_fork(void);

/* methods.c */
const void *frames_api(sai_api_t api);

/* kept.c */
const void *kept_api(sai_api_t api);

#endif
