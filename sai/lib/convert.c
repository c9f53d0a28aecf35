/* SPDX-License-Identifier: Apache-2.0
 * Objects and their attributes as structs of SAI and as JSON of the daemon, and the reading of attributes: to convert a
 * QoS map, its type must be read.
 */
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "table.h"

#define ROWS(t) (sizeof(t) / sizeof *(t))

const struct attribute *find_attribute(sai_object_type_t type, sai_attr_id_t id)
{
	for (size_t i = 0; i < ROWS(attributes); i++)
		if (attributes[i].type == type && attributes[i].id == id)
			return &attributes[i];
	return NULL;
}

size_t count_attributes(sai_object_type_t type)
{
	size_t n = 0;

	for (size_t i = 0; i < ROWS(attributes); i++)
		n += attributes[i].type == type;
	return n;
}

/* check_target refuses an object of another type, a route that is none, and any object without a switch, before the daemon is
 * asked. */
sai_status_t check_target(const struct target *t)
{
	sai_status_t status = attached();

	if (status != SAI_STATUS_SUCCESS)
		return status;
	if (t->type == SAI_OBJECT_TYPE_ROUTE_ENTRY)
		return check_route(t->route);
	return type_of(t->oid) == t->type ? SAI_STATUS_SUCCESS : SAI_STATUS_INVALID_OBJECT_ID;
}

/* target_to_json begins the body of a request about an object, with its id or its entry. */
json_t *target_to_json(const struct target *t)
{
	char text[OID_TEXT];

	if (t->type == SAI_OBJECT_TYPE_ROUTE_ENTRY)
		return json_pack("{so}", "entry", route_to_json(t->route));
	oid_text(text, t->oid);
	return json_pack("{ss}", "oid", text);
}

/* param returns the number of a QoS map's entry: what a map of the type maps from, or to. */
static uint8_t *param(sai_qos_map_params_t *p, int type, bool key)
{
	switch (type) {
	case SAI_QOS_MAP_TYPE_DOT1P_TO_TC:
	case SAI_QOS_MAP_TYPE_DOT1P_DEI_TO_TC: /* with dei: see key_number */
		return key ? &p->dot1p : &p->tc;
	case SAI_QOS_MAP_TYPE_DSCP_TO_TC:
		return key ? &p->dscp : &p->tc;
	case SAI_QOS_MAP_TYPE_TC_TO_QUEUE:
		return key ? &p->tc : &p->queue_index;
	case SAI_QOS_MAP_TYPE_QUEUE_TO_VC:
		return key ? &p->queue_index : &p->vc;
	default: /* SAI_QOS_MAP_TYPE_TC_TO_VC */
		return key ? &p->tc : &p->vc;
	}
}

enum { NO_KEY = 255 }; /* a key that no map has */

/* key_number returns the key of an entry as the daemon has it: dot1p << 1 | dei of a DOT1P_DEI_TO_TC. */
static uint8_t key_number(sai_qos_map_params_t *p, int type)
{
	if (type != SAI_QOS_MAP_TYPE_DOT1P_DEI_TO_TC)
		return *param(p, type, true);
	return p->dot1p > 7 || p->dei > 1 ? NO_KEY : (uint8_t)(p->dot1p << 1 | p->dei);
}

/* set_key sets the key of an entry from its number at the daemon. */
static void set_key(sai_qos_map_params_t *p, int type, uint8_t key)
{
	if (type == SAI_QOS_MAP_TYPE_DOT1P_DEI_TO_TC) {
		p->dei = key & 1;
		key >>= 1;
	}
	*param(p, type, true) = key;
}

/* map_type returns the type of a QoS map: of its attributes, or of the map that is there; -1: not known. */
static int map_type(sai_object_id_t oid, uint32_t n, const sai_attribute_t *list)
{
	sai_attribute_t type = {.id = SAI_QOS_MAP_ATTR_TYPE};

	for (uint32_t i = 0; i < n; i++)
		if (list[i].id == SAI_QOS_MAP_ATTR_TYPE)
			return list[i].value.s32;
	if (!oid || get_attributes((struct target){.type = SAI_OBJECT_TYPE_QOS_MAP, .oid = oid}, 1, &type) != SAI_STATUS_SUCCESS)
		return -1;
	return type.value.s32;
}

static json_t *number(json_int_t n) { return json_pack("{sI}", "n", n); }

static json_t *reference(sai_object_id_t oid)
{
	char text[OID_TEXT];

	oid_text(text, oid);
	return oid ? json_pack("{ss}", "oid", text) : json_object();
}

static json_t *pairs(const sai_qos_map_list_t *map, int type)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < map->count; i++) {
		sai_qos_map_t m = map->list[i];

		json_array_append_new(list, json_pack("{sisi}", "key", key_number(&m.key, type), "value",
			*param(&m.value, type, false)));
	}
	return json_pack("{so}", "map", list);
}

static json_t *mac_to_json(const sai_mac_t mac)
{
	char text[18];

	snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	return json_pack("{ss}", "mac", text);
}

/* value_to_json returns a value as JSON; NULL if the value cannot be read. type is the type of a QoS map. */
static json_t *value_to_json(enum kind kind, const sai_attribute_value_t *v, int type)
{
	switch (kind) {
	case KIND_bool:
		return number(v->u8 != 0);
	case KIND_u8:
		return number(v->u8);
	case KIND_s8:
		return number(v->s8);
	case KIND_u16:
		return number(v->u16);
	case KIND_s16:
		return number(v->s16);
	case KIND_u32:
		return number(v->u32);
	case KIND_s32:
		return number(v->s32);
	case KIND_u64:
		return number(v->u64 > INT64_MAX ? INT64_MAX : (json_int_t)v->u64);
	case KIND_oid:
		return reference(v->oid);
	case KIND_ptr:
		return number(v->ptr != NULL);
	case KIND_qosmap:
		if (type < 0 || v->qosmap.count > LIST_MAX || (v->qosmap.count && !v->qosmap.list))
			return NULL;
		return pairs(&v->qosmap, type);
	case KIND_mac:
		return mac_to_json(v->mac);
	case KIND_chardata:
		return json_pack("{so}", "text", json_stringn(v->chardata, strnlen(v->chardata, sizeof v->chardata)));
	case KIND_s8list:
		if (v->s8list.count > INFO_MAX || (v->s8list.count && !v->s8list.list))
			return NULL;
		return json_object(); /* the library keeps the value, not the daemon */
	case KIND_objlist:
	case KIND_u16list:
	case KIND_u32list:
		return json_object(); /* no attribute of these kinds can be set */
	}
	return NULL;
}

/* attributes_to_json returns the attributes of a call as JSON. oid is the object of a set, 0 of a create. */
sai_status_t attributes_to_json(sai_object_type_t type, sai_object_id_t oid, uint32_t n, const sai_attribute_t *list,
	json_t **out)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < n; i++) {
		const struct attribute *a = find_attribute(type, list[i].id);
		int map = a && a->kind == KIND_qosmap ? map_type(oid, n, list) : -1;
		json_t *v = a ? value_to_json(a->kind, &list[i].value, map) : json_object();

		if (!v) {
			json_decref(all);
			return SAI_STATUS_INVALID_ATTR_VALUE_0 - (sai_status_t)i;
		}
		json_array_append_new(all, json_pack("{sIso}", "id", (json_int_t)list[i].id, "value", v));
	}
	*out = all;
	return SAI_STATUS_SUCCESS;
}

/* room sets the count of a list to what is needed, and reports whether the caller's list had room for it. */
static bool room(uint32_t *count, const void *list, size_t needed)
{
	bool fits = needed <= *count && (list || !needed);

	*count = (uint32_t)needed;
	return fits;
}

static json_int_t at(const json_t *list, size_t i) { return json_integer_value(json_array_get(list, i)); }

static sai_status_t map_from_json(sai_object_id_t oid, const json_t *list, sai_qos_map_list_t *map)
{
	int type = map_type(oid, 0, NULL);

	if (!room(&map->count, map->list, json_array_size(list)))
		return SAI_STATUS_BUFFER_OVERFLOW;
	for (uint32_t i = 0; i < map->count; i++) {
		json_t *p = json_array_get(list, i);

		memset(&map->list[i], 0, sizeof map->list[i]);
		set_key(&map->list[i].key, type, (uint8_t)json_integer_value(json_object_get(p, "key")));
		*param(&map->list[i].value, type, false) = (uint8_t)json_integer_value(json_object_get(p, "value"));
	}
	return SAI_STATUS_SUCCESS;
}

static sai_status_t list_from_json(enum kind kind, const json_t *value, sai_attribute_value_t *v)
{
	json_t *list = json_object_get(value, kind == KIND_objlist ? "oids" : "list");

	/* The three lists have the same layout: a count and a pointer. */
	if (!room(&v->u32list.count, v->u32list.list, json_array_size(list)))
		return SAI_STATUS_BUFFER_OVERFLOW;
	for (uint32_t i = 0; i < v->u32list.count; i++) {
		switch (kind) {
		case KIND_objlist:
			v->objlist.list[i] = oid_of(json_array_get(list, i));
			break;
		case KIND_u16list:
			v->u16list.list[i] = (uint16_t)at(list, i);
			break;
		default: /* KIND_u32list */
			v->u32list.list[i] = (uint32_t)at(list, i);
		}
	}
	return SAI_STATUS_SUCCESS;
}

static sai_status_t mac_from_json(const json_t *text, sai_mac_t mac)
{
	unsigned int o[6] = {0};
	const char *s = json_string_value(text);

	if (!s || sscanf(s, "%2x:%2x:%2x:%2x:%2x:%2x", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5]) != 6)
		return SAI_STATUS_FAILURE;
	for (int i = 0; i < 6; i++)
		mac[i] = (uint8_t)o[i];
	return SAI_STATUS_SUCCESS;
}

/* attribute_from_json sets the value of an attribute that was read. */
static sai_status_t attribute_from_json(sai_object_type_t type, sai_object_id_t oid, const json_t *value, sai_attribute_t *attr)
{
	const struct attribute *a = find_attribute(type, attr->id);
	json_int_t n = json_integer_value(json_object_get(value, "n"));
	sai_attribute_value_t *v = &attr->value;

	if (!a)
		return SAI_STATUS_FAILURE;
	switch (a->kind) {
	case KIND_bool:
		v->booldata = n != 0;
		break;
	case KIND_u8:
	case KIND_s8:
		v->u8 = (uint8_t)n;
		break;
	case KIND_u16:
	case KIND_s16:
		v->u16 = (uint16_t)n;
		break;
	case KIND_u32:
		v->u32 = (uint32_t)n;
		break;
	case KIND_s32:
		v->s32 = (int32_t)n;
		break;
	case KIND_u64:
		v->u64 = (uint64_t)n;
		break;
	case KIND_oid:
		v->oid = oid_of(json_object_get(value, "oid"));
		break;
	case KIND_chardata:
		snprintf(v->chardata, sizeof v->chardata, "%s", json_string_value(json_object_get(value, "text")) ?: "");
		break;
	case KIND_s8list:
		return kept_info(&v->s8list);
	case KIND_ptr:
		v->ptr = kept_notification(attr->id);
		break;
	case KIND_mac:
		return mac_from_json(json_object_get(value, "mac"), v->mac);
	case KIND_qosmap:
		return map_from_json(oid, json_object_get(value, "map"), &v->qosmap);
	case KIND_objlist:
	case KIND_u16list:
	case KIND_u32list:
		return list_from_json(a->kind, value, v);
	}
	return SAI_STATUS_SUCCESS;
}

/* get_attributes reads attributes. After BUFFER_OVERFLOW the lists that were too short have the count they need, and
 * all others are filled. */
sai_status_t get_attributes(struct target t, uint32_t n, sai_attribute_t *list)
{
	sai_status_t status = check_target(&t);
	json_t *ids, *answer, *values, *body;

	if (status != SAI_STATUS_SUCCESS)
		return status;
	if (!n || n > ATTRS_MAX || !list)
		return SAI_STATUS_INVALID_PARAMETER;
	ids = json_array();
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(ids, json_integer(list[i].id));
	body = target_to_json(&t);
	json_object_set_new(body, "ids", ids);
	status = call("/v1/sai/get", body, &answer);
	if (status != SAI_STATUS_SUCCESS)
		return status;
	values = json_object_get(answer, "values");
	for (uint32_t i = 0; i < n; i++) {
		sai_status_t refused = attribute_from_json(t.type, t.oid, json_array_get(values, i), &list[i]);

		if (refused != SAI_STATUS_SUCCESS)
			status = refused;
	}
	json_decref(answer);
	return status;
}
