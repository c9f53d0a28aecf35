/* SPDX-License-Identifier: Apache-2.0
 * The methods of an object type, as SAI names them, for the files with method tables.
 */
#ifndef UELINK_SAI_METHODS_H
#define UELINK_SAI_METHODS_H

#include "internal.h"

sai_status_t not_implemented();
sai_status_t create_on(sai_object_type_t type, sai_object_id_t *oid, sai_object_id_t switch_id, uint32_t n,
	const sai_attribute_t *list);
sai_status_t create_route(const sai_route_entry_t *route, uint32_t n, const sai_attribute_t *list);
sai_status_t remove_object(struct target t);
sai_status_t set_attribute(struct target t, const sai_attribute_t *attr);

#define CREATE(name, of) \
	static sai_status_t create_##name(sai_object_id_t *oid, sai_object_id_t sw, uint32_t n, const sai_attribute_t *list) \
	{ \
		return create_on(of, oid, sw, n, list); \
	}
#define READABLE(name, of) \
	static sai_status_t set_##name(sai_object_id_t oid, const sai_attribute_t *a) \
	{ \
		return set_attribute((struct target){.type = of, .oid = oid}, a); \
	} \
	static sai_status_t get_##name(sai_object_id_t oid, uint32_t n, sai_attribute_t *list) \
	{ \
		return get_attributes((struct target){.type = of, .oid = oid}, n, list); \
	}
#define OBJECT(name, of) \
	static sai_status_t remove_##name(sai_object_id_t oid) \
	{ \
		return remove_object((struct target){.type = of, .oid = oid}); \
	} \
	READABLE(name, of)

#endif
