/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of SAI 1.18 that libsai has, for programs built without SAI's own headers: sizes, numbers and the order of
 * the method tables are SAI's. sai_numbers.h is generated from the table of the daemon (go test ./sai/store -rewrite).
 */
#ifndef UELINK_SAI_H
#define UELINK_SAI_H

#include <stdbool.h>
#include <stdint.h>

#include "sai_numbers.h"

typedef int32_t sai_status_t;
typedef uint64_t sai_object_id_t;
typedef uint32_t sai_attr_id_t;
typedef uint32_t sai_stat_id_t;
typedef uint32_t sai_switch_profile_id_t;
typedef uint64_t sai_api_version_t;
typedef uint8_t sai_mac_t[6];
typedef uint32_t sai_api_t;
typedef uint32_t sai_object_type_t;
typedef uint32_t sai_log_level_t;
typedef uint32_t sai_stats_mode_t;
typedef uint32_t sai_bulk_op_error_mode_t;

#define SAI_NULL_OBJECT_ID 0
#define SAI_API_VERSION 11800

typedef struct {
	uint32_t count;
	sai_object_id_t *list;
} sai_object_list_t;

typedef struct {
	uint32_t count;
	uint8_t *list;
} sai_u8_list_t;

typedef struct {
	uint32_t count;
	uint16_t *list;
} sai_u16_list_t;

typedef struct {
	uint32_t count;
	uint32_t *list;
} sai_u32_list_t;

typedef struct {
	uint32_t count;
	int32_t *list;
} sai_s32_list_t;

typedef struct {
	uint8_t tc, dscp, dot1p, prio, pg, queue_index;
	int32_t color;
	uint8_t mpls_exp, fc, dei, vc;
} sai_qos_map_params_t;

typedef struct {
	sai_qos_map_params_t key, value;
} sai_qos_map_t;

typedef struct {
	uint32_t count;
	sai_qos_map_t *list;
} sai_qos_map_list_t;

typedef struct {
	uint32_t count;
	int8_t *list;
} sai_s8_list_t;

typedef union {
	bool booldata;
	char chardata[32];
	uint8_t u8;
	int8_t s8;
	uint16_t u16;
	int16_t s16;
	uint32_t u32;
	int32_t s32;
	uint64_t u64;
	sai_object_id_t oid;
	void *ptr;
	sai_mac_t mac;
	sai_object_list_t objlist;
	sai_u8_list_t u8list;
	sai_s8_list_t s8list;
	sai_u16_list_t u16list;
	sai_u32_list_t u32list;
	sai_s32_list_t s32list;
	sai_qos_map_list_t qosmap;
	uint8_t room[40];
} sai_attribute_value_t;

typedef struct {
	sai_attr_id_t id;
	sai_attribute_value_t value;
} sai_attribute_t;

typedef struct {
	bool create_implemented, set_implemented, get_implemented;
} sai_attr_capability_t;

typedef struct {
	sai_stat_id_t stat_enum;
	uint32_t stat_modes;
} sai_stat_capability_t;

typedef struct {
	uint32_t count;
	sai_stat_capability_t *list;
} sai_stat_capability_list_t;

typedef struct {
	sai_object_id_t port_id;
	int32_t port_state;
	int32_t port_error_status;
} sai_port_oper_status_notification_t;

typedef union {
	uint32_t ip4; /* in network order, as ip6 */
	uint8_t ip6[16];
} sai_ip_addr_t;

typedef struct {
	int32_t addr_family;
	sai_ip_addr_t addr, mask;
} sai_ip_prefix_t;

typedef struct {
	sai_object_id_t switch_id, vr_id;
	sai_ip_prefix_t destination;
} sai_route_entry_t;

typedef struct {
	union {
		sai_object_id_t object_id;
		sai_route_entry_t route_entry;
		uint8_t room[64];
	} key;
} sai_object_key_t;

typedef struct {
	const char *(*profile_get_value)(sai_switch_profile_id_t profile, const char *variable);
	int (*profile_get_next_value)(sai_switch_profile_id_t profile, const char **variable, const char **value);
} sai_service_method_table_t;

typedef void (*sai_port_state_change_notification_fn)(uint32_t count, const sai_port_oper_status_notification_t *data);
typedef void (*sai_switch_state_change_notification_fn)(sai_object_id_t switch_id, int32_t switch_oper_status);

/* A method that answers SAI_STATUS_NOT_IMPLEMENTED, whatever its arguments are. */
typedef sai_status_t (*sai_not_implemented_fn)();

typedef sai_status_t (*sai_create_switch_fn)(sai_object_id_t *oid, uint32_t n, const sai_attribute_t *list);
typedef sai_status_t (*sai_create_fn)(sai_object_id_t *oid, sai_object_id_t switch_id, uint32_t n, const sai_attribute_t *list);
typedef sai_status_t (*sai_remove_fn)(sai_object_id_t oid);
typedef sai_status_t (*sai_set_fn)(sai_object_id_t oid, const sai_attribute_t *attr);
typedef sai_status_t (*sai_get_fn)(sai_object_id_t oid, uint32_t n, sai_attribute_t *list);
typedef sai_status_t (*sai_bulk_set_fn)(uint32_t count, const sai_object_id_t *oids, const sai_attribute_t *list,
	sai_bulk_op_error_mode_t mode, sai_status_t *statuses);
typedef sai_status_t (*sai_bulk_get_fn)(uint32_t count, const sai_object_id_t *oids, const uint32_t *n, sai_attribute_t **lists,
	sai_bulk_op_error_mode_t mode, sai_status_t *statuses);
typedef sai_status_t (*sai_get_stats_fn)(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids, uint64_t *counters);
typedef sai_status_t (*sai_get_stats_ext_fn)(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode,
	uint64_t *counters);
typedef sai_status_t (*sai_clear_stats_fn)(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids);

typedef struct {
	sai_create_switch_fn create_switch;
	sai_remove_fn remove_switch;
	sai_set_fn set_switch_attribute;
	sai_get_fn get_switch_attribute;
	sai_get_stats_fn get_switch_stats;
	sai_get_stats_ext_fn get_switch_stats_ext;
	sai_clear_stats_fn clear_switch_stats;
	sai_not_implemented_fn mdio_and_tunnel[8];
} sai_switch_api_t;

typedef struct {
	sai_create_fn create_port;
	sai_remove_fn remove_port;
	sai_set_fn set_port_attribute;
	sai_get_fn get_port_attribute;
	sai_get_stats_fn get_port_stats;
	sai_get_stats_ext_fn get_port_stats_ext;
	sai_clear_stats_fn clear_port_stats;
	sai_remove_fn clear_port_all_stats;
	sai_not_implemented_fn pool_connector_serdes[15];
	sai_not_implemented_fn create_ports;
	sai_not_implemented_fn remove_ports;
	sai_bulk_set_fn set_ports_attribute;
	sai_bulk_get_fn get_ports_attribute;
	sai_not_implemented_fn serdes_bulk[4];
	sai_create_fn create_port_llr_profile;
	sai_remove_fn remove_port_llr_profile;
	sai_set_fn set_port_llr_profile_attribute;
	sai_get_fn get_port_llr_profile_attribute;
} sai_port_api_t;

typedef struct {
	sai_create_fn create_virtual_channel;
	sai_remove_fn remove_virtual_channel;
	sai_set_fn set_virtual_channel_attribute;
	sai_get_fn get_virtual_channel_attribute;
	sai_get_stats_fn get_virtual_channel_stats;
	sai_get_stats_ext_fn get_virtual_channel_stats_ext;
	sai_clear_stats_fn clear_virtual_channel_stats;
	sai_create_fn create_cbfc_credit_pool;
	sai_remove_fn remove_cbfc_credit_pool;
	sai_set_fn set_cbfc_credit_pool_attribute;
	sai_get_fn get_cbfc_credit_pool_attribute;
	sai_create_fn create_cbfc_credit_profile;
	sai_remove_fn remove_cbfc_credit_profile;
	sai_set_fn set_cbfc_credit_profile_attribute;
	sai_get_fn get_cbfc_credit_profile_attribute;
} sai_virtual_channel_api_t;

typedef struct {
	sai_create_fn create_queue;
	sai_remove_fn remove_queue;
	sai_set_fn set_queue_attribute;
	sai_get_fn get_queue_attribute;
	sai_get_stats_fn get_queue_stats;
	sai_get_stats_ext_fn get_queue_stats_ext;
	sai_clear_stats_fn clear_queue_stats;
	sai_bulk_set_fn set_queues_attribute;
	sai_bulk_get_fn get_queues_attribute;
} sai_queue_api_t;

typedef struct {
	sai_create_fn create_qos_map;
	sai_remove_fn remove_qos_map;
	sai_set_fn set_qos_map_attribute;
	sai_get_fn get_qos_map_attribute;
} sai_qos_map_api_t;

typedef struct {
	sai_create_fn create_virtual_router;
	sai_remove_fn remove_virtual_router;
	sai_set_fn set_virtual_router_attribute;
	sai_get_fn get_virtual_router_attribute;
} sai_virtual_router_api_t;

typedef struct {
	sai_create_fn create_router_interface;
	sai_remove_fn remove_router_interface;
	sai_set_fn set_router_interface_attribute;
	sai_get_fn get_router_interface_attribute;
	sai_not_implemented_fn stats_and_bulk[7];
} sai_router_interface_api_t;

typedef struct {
	sai_status_t (*create_route_entry)(const sai_route_entry_t *entry, uint32_t n, const sai_attribute_t *list);
	sai_status_t (*remove_route_entry)(const sai_route_entry_t *entry);
	sai_status_t (*set_route_entry_attribute)(const sai_route_entry_t *entry, const sai_attribute_t *attr);
	sai_status_t (*get_route_entry_attribute)(const sai_route_entry_t *entry, uint32_t n, sai_attribute_t *list);
	sai_not_implemented_fn bulk[4];
} sai_route_api_t;

typedef struct {
	sai_create_fn create_hostif;
	sai_remove_fn remove_hostif;
	sai_set_fn set_hostif_attribute;
	sai_get_fn get_hostif_attribute;
	sai_create_fn create_hostif_table_entry;
	sai_remove_fn remove_hostif_table_entry;
	sai_set_fn set_hostif_table_entry_attribute;
	sai_get_fn get_hostif_table_entry_attribute;
	sai_create_fn create_hostif_trap_group;
	sai_remove_fn remove_hostif_trap_group;
	sai_set_fn set_hostif_trap_group_attribute;
	sai_get_fn get_hostif_trap_group_attribute;
	sai_create_fn create_hostif_trap;
	sai_remove_fn remove_hostif_trap;
	sai_set_fn set_hostif_trap_attribute;
	sai_get_fn get_hostif_trap_attribute;
	sai_not_implemented_fn user_defined_trap_and_packets[8];
} sai_hostif_api_t;

typedef struct {
	sai_create_fn create_vlan;
	sai_remove_fn remove_vlan;
	sai_set_fn set_vlan_attribute;
	sai_get_fn get_vlan_attribute;
	sai_create_fn create_vlan_member;
	sai_remove_fn remove_vlan_member;
	sai_not_implemented_fn members_and_stats[7];
} sai_vlan_api_t;

typedef struct {
	sai_create_fn create_bridge;
	sai_remove_fn remove_bridge;
	sai_set_fn set_bridge_attribute;
	sai_get_fn get_bridge_attribute;
	sai_not_implemented_fn stats[3];
	sai_create_fn create_bridge_port;
	sai_remove_fn remove_bridge_port;
	sai_not_implemented_fn port[5];
} sai_bridge_api_t;

sai_status_t sai_api_initialize(uint64_t flags, const sai_service_method_table_t *services);
sai_status_t sai_api_query(sai_api_t api, void **table);
sai_status_t sai_api_uninitialize(void);
sai_status_t sai_log_set(sai_api_t api, sai_log_level_t level);
sai_object_type_t sai_object_type_query(sai_object_id_t oid);
sai_object_id_t sai_switch_id_query(sai_object_id_t oid);
sai_status_t sai_dbg_generate_dump(const char *file);
sai_status_t sai_query_api_version(sai_api_version_t *version);
sai_status_t sai_object_type_get_availability(sai_object_id_t switch_id, sai_object_type_t type, uint32_t n,
	const sai_attribute_t *list, uint64_t *count);
sai_status_t sai_get_maximum_attribute_count(sai_object_id_t switch_id, sai_object_type_t type, uint32_t *count);
sai_status_t sai_get_object_count(sai_object_id_t switch_id, sai_object_type_t type, uint32_t *count);
sai_status_t sai_get_object_key(sai_object_id_t switch_id, sai_object_type_t type, uint32_t *count, sai_object_key_t *list);
sai_status_t sai_bulk_get_attribute(sai_object_id_t switch_id, sai_object_type_t type, uint32_t count,
	const sai_object_key_t *keys, uint32_t *attr_counts, sai_attribute_t **attr_lists, sai_status_t *statuses);
sai_status_t sai_query_attribute_capability(sai_object_id_t switch_id, sai_object_type_t type, sai_attr_id_t id,
	sai_attr_capability_t *capability);
sai_status_t sai_query_attribute_enum_values_capability(sai_object_id_t switch_id, sai_object_type_t type, sai_attr_id_t id,
	sai_s32_list_t *values);
sai_status_t sai_query_stats_capability(sai_object_id_t switch_id, sai_object_type_t type, sai_stat_capability_list_t *list);
sai_status_t sai_query_stats_st_capability(sai_object_id_t switch_id, sai_object_type_t type, void *list);
sai_status_t sai_bulk_object_get_stats(sai_object_id_t switch_id, sai_object_type_t type, uint32_t count,
	const sai_object_key_t *keys, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode, sai_status_t *statuses,
	uint64_t *counters);
sai_status_t sai_bulk_object_clear_stats(sai_object_id_t switch_id, sai_object_type_t type, uint32_t count,
	const sai_object_key_t *keys, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode, sai_status_t *statuses);
sai_status_t sai_query_object_stage(sai_object_id_t switch_id, sai_object_type_t type, uint32_t n,
	const sai_attribute_t *list, void *stage);
sai_status_t sai_tam_telemetry_get_data(sai_object_id_t switch_id, sai_object_list_t objects, bool clear_on_read,
	uint64_t *size, void *buffer);

#endif
