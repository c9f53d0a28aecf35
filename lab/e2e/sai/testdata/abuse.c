/* Random calls of libsai from many threads, most of them wrong: abuse THREADS CALLS SEED. It prints how often each status
 * came. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sai.h"

enum { ROOM = 4096, ATTRS = 12, KNOWN = 64 };

static sai_switch_api_t *sw;
static sai_port_api_t *port;
static sai_virtual_channel_api_t *channel;
static sai_qos_map_api_t *map;
static sai_queue_api_t *queue;
static sai_router_interface_api_t *router_interface;
static sai_virtual_router_api_t *virtual_router;
static sai_route_api_t *route;
static sai_hostif_api_t *hostif;
static sai_vlan_api_t *vlan;
static sai_bridge_api_t *bridge;
static sai_object_id_t switch_id;
static unsigned long calls;
static unsigned long ok, refused;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sai_object_id_t known[KNOWN];

static const char *environment(sai_switch_profile_id_t id, const char *key) { return getenv(key); }

static const sai_service_method_table_t services = {.profile_get_value = environment};

static void changed(uint32_t n, const sai_port_oper_status_notification_t *data) { (void)n, (void)data; }

/* One thread's random numbers and memory. */
struct thread {
	pthread_t id;
	unsigned int seed;
	sai_attribute_t list[ATTRS];
	uint64_t room[ATTRS][ROOM];
};

static unsigned int draw(struct thread *t, unsigned int n) { return (unsigned int)rand_r(&t->seed) % n; }

/* object returns an object that is or was there, or nonsense. */
static sai_object_id_t object(struct thread *t)
{
	sai_object_id_t oid;

	if (!draw(t, 8))
		return ((uint64_t)draw(t, 130) << 48) | draw(t, 1 << 20);
	pthread_mutex_lock(&mutex);
	oid = known[draw(t, KNOWN)];
	pthread_mutex_unlock(&mutex);
	return oid;
}

/* object_of returns an object of a type, mostly. */
static sai_object_id_t object_of(struct thread *t, sai_object_type_t type)
{
	sai_object_id_t oid = object(t);

	for (int i = 0; i < 32 && sai_object_type_query(oid) != type; i++)
		oid = object(t);
	return oid;
}

static void remember(struct thread *t, sai_object_id_t oid)
{
	pthread_mutex_lock(&mutex);
	known[4 + draw(t, KNOWN - 4)] = oid;
	pthread_mutex_unlock(&mutex);
}

/* attributes fills a list: half of the values are small, some are lists with counts up to 2^31. */
static uint32_t attributes(struct thread *t, bool reading)
{
	uint32_t n = draw(t, 4) ? 1 + draw(t, 2) : draw(t, ATTRS);

	for (uint32_t i = 0; i < n; i++) {
		sai_attribute_t *a = &t->list[i];

		memset(a, 0, sizeof *a);
		a->id = draw(t, 4) ? draw(t, 17) : draw(t, 2) ? 0xc0 + draw(t, 0x1d) : draw(t, 0xe0);
		switch (draw(t, 4)) {
		case 0:
			a->value.u64 = draw(t, 300);
			break;
		case 1:
			a->value.u64 = (uint64_t)draw(t, 1 << 30) << 34;
			break;
		case 2:
			a->value.oid = object_of(t, draw(t, 2) ? SAI_OBJECT_TYPE_PORT_LLR_PROFILE : SAI_OBJECT_TYPE_CBFC_CREDIT_PROFILE);
			break;
		}
		if (reading) {
			/* A get of a list must find room where the pointer is. */
			a->value.objlist.count = draw(t, 3) ? draw(t, 8) : draw(t, 2) ? 0x80000000u : 0;
			a->value.objlist.list = draw(t, 5) ? t->room[i] : NULL;
		} else if (!draw(t, 6)) {
			a->value.qosmap.count = draw(t, 2) ? 0x80000000u : draw(t, 4);
			a->value.qosmap.list = draw(t, 3) ? (sai_qos_map_t *)t->room[i] : NULL;
		} else if (a->value.qosmap.count > ROOM / 8) {
			a->value.qosmap.list = NULL;
		} else {
			a->value.qosmap.list = (sai_qos_map_t *)t->room[i];
		}
	}
	return draw(t, 20) ? n : 0x80000000u;
}

static sai_status_t create(struct thread *t, sai_object_id_t *oid)
{
	uint32_t n = attributes(t, false);
	const sai_attribute_t *list = draw(t, 20) ? t->list : NULL;

	switch (draw(t, 7)) {
	case 0:
	case 1:
		if (draw(t, 2)) {
			t->list[0] = (sai_attribute_t){.id = 0, .value.u32 = draw(t, 600)};
			t->list[1] = (sai_attribute_t){.id = 1, .value.u32 = draw(t, 100000)};
			n = 2, list = t->list;
		}
		return port->create_port_llr_profile(oid, switch_id, n, list);
	case 2:
		t->list[0] = (sai_attribute_t){.id = 0, .value.oid = object_of(t, SAI_OBJECT_TYPE_PORT)};
		t->list[1] = (sai_attribute_t){.id = 1, .value.u8 = (uint8_t)draw(t, 40)};
		t->list[2] = (sai_attribute_t){.id = 4 + draw(t, 2), .value.booldata = true};
		return channel->create_virtual_channel(oid, switch_id, 3, t->list);
	case 3:
		return channel->create_cbfc_credit_pool(oid, draw(t, 9) ? switch_id : 7, n, list);
	case 4:
		return channel->create_cbfc_credit_profile(oid, switch_id, n, list);
	case 5:
		return port->create_port(oid, switch_id, n, list);
	}
	return map->create_qos_map(oid, switch_id, n, list);
}

/* of_queue calls a method of the queues. A stopped queue stands still until the client ends. */
static sai_status_t of_queue(struct thread *t, const sai_stat_id_t *ids)
{
	sai_object_id_t oids[3], made;
	sai_attribute_t *lists[3] = {t->list, t->list + 4, draw(t, 20) ? t->list + 8 : NULL};
	uint32_t n = attributes(t, true), counts[3] = {1, draw(t, 4), draw(t, 20) ? 4 : 0x80000000u};
	sai_status_t statuses[3];

	for (int i = 0; i < 3; i++)
		oids[i] = object_of(t, SAI_OBJECT_TYPE_QUEUE);
	switch (draw(t, 9)) {
	case 0:
		return queue->create_queue(&made, switch_id, draw(t, 3), t->list);
	case 1:
		return queue->remove_queue(oids[0]);
	case 2:
		return queue->get_queue_attribute(oids[0], n, draw(t, 20) ? t->list : NULL);
	case 3:
		t->list[0] = (sai_attribute_t){.id = 0xf + draw(t, 2), .value.booldata = draw(t, 2)};
		return queue->set_queue_attribute(oids[0], draw(t, 20) ? t->list : NULL);
	case 4:
		return queue->get_queue_stats_ext(oids[0], draw(t, 9), ids, draw(t, 4), draw(t, 9) ? t->room[1] : NULL);
	case 5:
		return draw(t, 2) ? queue->clear_queue_stats(oids[0], draw(t, 20) ? 3 : 0x80000000u, draw(t, 9) ? ids : NULL)
			: channel->clear_virtual_channel_stats(object_of(t, SAI_OBJECT_TYPE_VIRTUAL_CHANNEL), draw(t, 9), ids);
	case 6:
		return queue->get_queues_attribute(draw(t, 4), draw(t, 9) ? oids : NULL, draw(t, 9) ? counts : NULL, lists,
			draw(t, 3), draw(t, 9) ? statuses : NULL);
	case 7:
		for (int i = 0; i < 3; i++)
			t->list[i] = (sai_attribute_t){.id = 0xf + draw(t, 2), .value.booldata = true};
		return queue->set_queues_attribute(draw(t, 20) ? 3 : 0x80000000u, oids, t->list, draw(t, 3),
			draw(t, 9) ? statuses : NULL);
	}
	return queue->get_queue_stats(oids[0], draw(t, 9), ids, draw(t, 9) ? t->room[1] : NULL);
}

/* kept calls a method of the objects that an orchagent creates at its start. */
static sai_status_t kept(struct thread *t, sai_object_id_t *made)
{
	const struct { sai_object_type_t type; sai_create_fn create; sai_remove_fn remove; sai_set_fn set; sai_get_fn get; } all[] = {
		{SAI_OBJECT_TYPE_ROUTER_INTERFACE, router_interface->create_router_interface, router_interface->remove_router_interface,
			router_interface->set_router_interface_attribute, router_interface->get_router_interface_attribute},
		{SAI_OBJECT_TYPE_HOSTIF, hostif->create_hostif, hostif->remove_hostif, hostif->set_hostif_attribute,
			hostif->get_hostif_attribute},
		{SAI_OBJECT_TYPE_HOSTIF_TRAP, hostif->create_hostif_trap, hostif->remove_hostif_trap, hostif->set_hostif_trap_attribute,
			hostif->get_hostif_trap_attribute},
		{SAI_OBJECT_TYPE_HOSTIF_TRAP_GROUP, hostif->create_hostif_trap_group, hostif->remove_hostif_trap_group,
			hostif->set_hostif_trap_group_attribute, hostif->get_hostif_trap_group_attribute},
		{SAI_OBJECT_TYPE_VIRTUAL_ROUTER, virtual_router->create_virtual_router, virtual_router->remove_virtual_router,
			virtual_router->set_virtual_router_attribute, virtual_router->get_virtual_router_attribute},
		{SAI_OBJECT_TYPE_VLAN, vlan->create_vlan, vlan->remove_vlan, vlan->set_vlan_attribute, vlan->get_vlan_attribute},
		{SAI_OBJECT_TYPE_BRIDGE, bridge->create_bridge, bridge->remove_bridge, bridge->set_bridge_attribute,
			bridge->get_bridge_attribute},
	};
	unsigned int i = draw(t, sizeof all / sizeof *all), call = draw(t, 4);
	sai_object_id_t oid = draw(t, 3) ? object_of(t, all[i].type) : ((uint64_t)all[i].type << 48) | draw(t, 3);
	uint32_t n = attributes(t, call == 3);

	switch (call) {
	case 0:
		if (draw(t, 2)) { /* what an orchagent gives */
			for (uint32_t a = 0; a < 3; a++)
				t->list[a] = (sai_attribute_t){.id = a, .value.u64 = draw(t, 5)};
			if (all[i].type == SAI_OBJECT_TYPE_ROUTER_INTERFACE)
				t->list[0].value.oid = ((uint64_t)SAI_OBJECT_TYPE_VIRTUAL_ROUTER << 48) | 1;
			if (all[i].type == SAI_OBJECT_TYPE_HOSTIF) {
				t->list[1].value.oid = object_of(t, SAI_OBJECT_TYPE_PORT);
				memset(t->list[2].value.chardata, 'a' + (int)draw(t, 26), draw(t, 33)); /* perhaps without an end */
			}
			n = 2 + draw(t, 2);
		}
		return all[i].create(draw(t, 20) ? made : NULL, switch_id, n, draw(t, 20) ? t->list : NULL);
	case 1:
		return all[i].remove(oid);
	case 2:
		return all[i].set(oid, draw(t, 20) ? t->list : NULL);
	}
	return all[i].get(oid, n, draw(t, 20) ? t->list : NULL);
}

/* routes calls a method of routes with an entry that is one in half of the cases. */
static sai_status_t routes(struct thread *t)
{
	sai_route_entry_t e = {.switch_id = draw(t, 9) ? switch_id : 7, .vr_id = object_of(t, SAI_OBJECT_TYPE_VIRTUAL_ROUTER)};
	const sai_route_entry_t *entry = draw(t, 20) ? &e : NULL;
	int length = (int)draw(t, 129);
	uint32_t n;

	if (draw(t, 3))
		e.vr_id = ((uint64_t)SAI_OBJECT_TYPE_VIRTUAL_ROUTER << 48) | 1;
	e.destination.addr_family = (int32_t)draw(t, draw(t, 5) ? 2 : 1000);
	for (int i = 0; i < 16; i++)
		e.destination.addr.ip6[i] = (uint8_t)draw(t, 3);
	for (int i = 0; i < length; i++)
		e.destination.mask.ip6[i / 8] |= (uint8_t)(0x80 >> i % 8);
	if (!draw(t, 4))
		e.destination.mask.ip6[draw(t, 16)] ^= (uint8_t)draw(t, 256);
	switch (draw(t, 4)) {
	case 0:
		return route->remove_route_entry(entry);
	case 1:
		attributes(t, false);
		return route->set_route_entry_attribute(entry, draw(t, 20) ? t->list : NULL);
	case 2:
		n = attributes(t, true);
		return route->get_route_entry_attribute(entry, n, t->list);
	}
	n = draw(t, 2) ? 0 : attributes(t, false);
	return route->create_route_entry(entry, n, t->list);
}

/* bulk calls a bulk method of ports. */
static sai_status_t bulk(struct thread *t)
{
	sai_object_id_t oids[3];
	sai_attribute_t *lists[3] = {t->list, draw(t, 9) ? t->list + 1 : NULL, t->list + 2};
	uint32_t n[3] = {1, draw(t, 3), 1}, count = draw(t, 9) ? 1 + draw(t, 3) : draw(t, 2) ? 0 : 0x80000000u;
	sai_status_t statuses[3];

	for (int i = 0; i < 3; i++)
		oids[i] = object_of(t, SAI_OBJECT_TYPE_PORT);
	attributes(t, true);
	memset(&t->list[2], 0, sizeof t->list[2]);
	if (draw(t, 2))
		return port->set_ports_attribute(count, oids, t->list, draw(t, 3), draw(t, 9) ? statuses : NULL);
	return port->get_ports_attribute(count, oids, draw(t, 9) ? n : NULL, lists, draw(t, 3), statuses);
}

static sai_status_t one(struct thread *t)
{
	sai_object_id_t oid = object(t), made = 0;
	sai_stat_id_t ids[8];
	sai_attr_capability_t capability;
	sai_s32_list_t values = {draw(t, 4), (int32_t *)t->room[0]};
	sai_object_key_t *keys = (sai_object_key_t *)t->room[0];
	sai_status_t status, statuses[4];
	uint32_t n;

	for (int i = 0; i < 8; i++)
		ids[i] = draw(t, 3) ? 204 + draw(t, 29) : draw(t, 47);
	switch (draw(t, 22)) {
	case 16:
	case 17:
	case 18:
		status = kept(t, &made);
		if (made)
			remember(t, made);
		return status;
	case 19:
	case 20:
		return routes(t);
	case 21:
		return bulk(t);
	case 0:
	case 1:
		status = create(t, draw(t, 20) ? &made : NULL);
		if (made)
			remember(t, made);
		return status;
	case 2:
		attributes(t, false);
		return port->set_port_attribute(object_of(t, SAI_OBJECT_TYPE_PORT), draw(t, 20) ? t->list : NULL);
	case 3:
		attributes(t, false);
		return port->set_port_llr_profile_attribute(object_of(t, SAI_OBJECT_TYPE_PORT_LLR_PROFILE), t->list);
	case 4:
		attributes(t, false);
		return channel->set_virtual_channel_attribute(object_of(t, SAI_OBJECT_TYPE_VIRTUAL_CHANNEL), t->list);
	case 5:
		n = attributes(t, true);
		return port->get_port_attribute(object_of(t, SAI_OBJECT_TYPE_PORT), n, draw(t, 20) ? t->list : NULL);
	case 6:
		n = attributes(t, true);
		return draw(t, 3) ? port->get_port_llr_profile_attribute(object_of(t, SAI_OBJECT_TYPE_PORT_LLR_PROFILE), n, t->list)
			: map->get_qos_map_attribute(oid, n, t->list);
	case 7:
		return port->get_port_stats_ext(object_of(t, SAI_OBJECT_TYPE_PORT), draw(t, 9), ids, draw(t, 4), draw(t, 9) ? t->room[1] : NULL);
	case 8:
		return channel->get_virtual_channel_stats(oid, draw(t, 20) ? 4 : 0x80000000u, ids, t->room[1]);
	case 9:
		return draw(t, 2) ? port->remove_port_llr_profile(object_of(t, SAI_OBJECT_TYPE_PORT_LLR_PROFILE))
			: channel->remove_virtual_channel(object_of(t, SAI_OBJECT_TYPE_VIRTUAL_CHANNEL));
	case 10:
		return sai_query_attribute_capability(switch_id, draw(t, 125), draw(t, 0xe0), draw(t, 9) ? &capability : NULL);
	case 11:
		return sai_query_attribute_enum_values_capability(switch_id, draw(t, 125), draw(t, 0xe0), &values);
	case 12:
		n = draw(t, 2) ? ROOM / 8 : draw(t, 3);
		status = sai_get_object_key(switch_id, draw(t, 125), &n, draw(t, 9) ? keys : NULL);
		if (status == SAI_STATUS_SUCCESS && n)
			remember(t, keys[draw(t, n)].key.object_id); /* also of the configuration */
		return status;
	case 13:
	case 14:
		return of_queue(t, ids);
	}
	keys[0].key.object_id = oid;
	return sai_bulk_object_get_stats(switch_id, SAI_OBJECT_TYPE_PORT, draw(t, 2), keys, draw(t, 9), ids, draw(t, 20), statuses,
		t->room[1]);
}

static void *work(void *p)
{
	struct thread *t = p;

	while (__atomic_fetch_sub(&calls, 1, __ATOMIC_RELAXED) - 1 < 1UL << 62)
		__atomic_fetch_add(one(t) == SAI_STATUS_SUCCESS ? &ok : &refused, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int threads = (unsigned int)atoi(argv[1]), seed = (unsigned int)atoi(argv[3]);
	struct thread *all = calloc(threads, sizeof *all);
	sai_attribute_t ports = {.id = SAI_SWITCH_ATTR_PORT_LIST, .value.objlist = {2, known}};
	sai_attribute_t attrs[2] = {
		{.id = SAI_SWITCH_ATTR_INIT_SWITCH, .value.booldata = true},
		{.id = SAI_SWITCH_ATTR_PORT_STATE_CHANGE_NOTIFY, .value.ptr = (void *)changed},
	};
	sai_status_t status = sai_api_initialize(0, &services);

	calls = (unsigned long)atol(argv[2]);
	printf("seed %u\n", seed);
	if (status || sai_api_query(SAI_API_ROUTER_INTERFACE, (void **)&router_interface) ||
		sai_api_query(SAI_API_VIRTUAL_ROUTER, (void **)&virtual_router) || sai_api_query(SAI_API_ROUTE, (void **)&route) ||
		sai_api_query(SAI_API_HOSTIF, (void **)&hostif) || sai_api_query(SAI_API_VLAN, (void **)&vlan) ||
		sai_api_query(SAI_API_BRIDGE, (void **)&bridge) ||
		sai_api_query(SAI_API_SWITCH, (void **)&sw) || sai_api_query(SAI_API_PORT, (void **)&port) ||
		sai_api_query(SAI_API_VIRTUAL_CHANNEL, (void **)&channel) || sai_api_query(SAI_API_QOS_MAP, (void **)&map) ||
		sai_api_query(SAI_API_QUEUE, (void **)&queue) || (status = sw->create_switch(&switch_id, 2, attrs)) || (status = sw->get_switch_attribute(switch_id, 1, &ports))) {
		printf("status %d\n", status);
		return 1;
	}
	sai_log_set(SAI_API_PORT, SAI_LOG_LEVEL_CRITICAL);
	for (unsigned int i = 0; i < threads; i++) {
		all[i].seed = seed + i;
		pthread_create(&all[i].id, NULL, work, &all[i]);
	}
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(all[i].id, NULL);
	free(all);
	printf("%lu calls succeeded, %lu were refused\n", ok, refused);
	status = sw->remove_switch(switch_id);
	return sai_api_uninitialize() || status || !ok || !refused;
}
