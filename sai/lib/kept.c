/* SPDX-License-Identifier: Apache-2.0
 * The method tables of objects that are kept and do nothing to frames: an orchagent makes them at its start.
 */
#include "methods.h"

static sai_status_t remove_route(const sai_route_entry_t *route)
{
	return remove_object((struct target){.type = SAI_OBJECT_TYPE_ROUTE_ENTRY, .route = route});
}

static sai_status_t set_route(const sai_route_entry_t *route, const sai_attribute_t *attr)
{
	return set_attribute((struct target){.type = SAI_OBJECT_TYPE_ROUTE_ENTRY, .route = route}, attr);
}

static sai_status_t get_route(const sai_route_entry_t *route, uint32_t n, sai_attribute_t *list)
{
	return get_attributes((struct target){.type = SAI_OBJECT_TYPE_ROUTE_ENTRY, .route = route}, n, list);
}

CREATE(virtual_router, SAI_OBJECT_TYPE_VIRTUAL_ROUTER)
OBJECT(virtual_router, SAI_OBJECT_TYPE_VIRTUAL_ROUTER)
CREATE(router_interface, SAI_OBJECT_TYPE_ROUTER_INTERFACE)
OBJECT(router_interface, SAI_OBJECT_TYPE_ROUTER_INTERFACE)
CREATE(hostif, SAI_OBJECT_TYPE_HOSTIF)
OBJECT(hostif, SAI_OBJECT_TYPE_HOSTIF)
CREATE(table_entry, SAI_OBJECT_TYPE_HOSTIF_TABLE_ENTRY)
OBJECT(table_entry, SAI_OBJECT_TYPE_HOSTIF_TABLE_ENTRY)
CREATE(trap_group, SAI_OBJECT_TYPE_HOSTIF_TRAP_GROUP)
OBJECT(trap_group, SAI_OBJECT_TYPE_HOSTIF_TRAP_GROUP)
CREATE(trap, SAI_OBJECT_TYPE_HOSTIF_TRAP)
OBJECT(trap, SAI_OBJECT_TYPE_HOSTIF_TRAP)
CREATE(vlan, SAI_OBJECT_TYPE_VLAN)
OBJECT(vlan, SAI_OBJECT_TYPE_VLAN)
CREATE(bridge, SAI_OBJECT_TYPE_BRIDGE)
OBJECT(bridge, SAI_OBJECT_TYPE_BRIDGE)

static const sai_virtual_router_api_t virtual_router_api = {
	create_virtual_router, remove_virtual_router, set_virtual_router, get_virtual_router,
};

static const sai_router_interface_api_t router_interface_api = {
	create_router_interface, remove_router_interface, set_router_interface, get_router_interface,
	{[0 ... 6] = not_implemented},
};

static const sai_route_api_t route_api = {create_route, remove_route, set_route, get_route, {[0 ... 3] = not_implemented}};

static const sai_hostif_api_t hostif_api = {
	create_hostif, remove_hostif, set_hostif, get_hostif,
	create_table_entry, remove_table_entry, set_table_entry, get_table_entry,
	create_trap_group, remove_trap_group, set_trap_group, get_trap_group,
	create_trap, remove_trap, set_trap, get_trap, {[0 ... 7] = not_implemented},
};

/* The daemon has no objects for members of VLANs and ports of bridges: methods for them are not implemented. */
static const sai_vlan_api_t vlan_api = {
	create_vlan, remove_vlan, set_vlan, get_vlan, (sai_create_fn)not_implemented, (sai_remove_fn)not_implemented,
	{[0 ... 6] = not_implemented},
};

static const sai_bridge_api_t bridge_api = {
	create_bridge, remove_bridge, set_bridge, get_bridge, {[0 ... 2] = not_implemented}, (sai_create_fn)not_implemented,
	(sai_remove_fn)not_implemented, {[0 ... 4] = not_implemented},
};

/* The table of an API of which the daemon has no objects. SAI's longest table, of TAM, has 50 entries. */
static const sai_not_implemented_fn other_api[50] = {[0 ... 49] = not_implemented};

const void *kept_api(sai_api_t api)
{
	switch (api) {
	case SAI_API_VIRTUAL_ROUTER:
		return &virtual_router_api;
	case SAI_API_ROUTER_INTERFACE:
		return &router_interface_api;
	case SAI_API_ROUTE:
		return &route_api;
	case SAI_API_HOSTIF:
		return &hostif_api;
	case SAI_API_VLAN:
		return &vlan_api;
	case SAI_API_BRIDGE:
		return &bridge_api;
	}
	return other_api;
}
