/* Calls libsai as it is told on its standard input, a call a line, and prints the answer:
 *
 *   create TYPE [ATTR=KIND:VALUE…]  status oid
 *   remove OID                      status
 *   set OID ATTR=KIND:VALUE         status
 *   get OID ATTR=KIND               status value…
 *   stats OID MODE ID…              status number…
 *   clear OID [ID…]                 status                      (without numbers: clear_port_all_stats)
 *   bulk ATTR=KIND:VALUE OID…       status, and the status of each queue
 *   capability TYPE ATTR            status create set get
 *   modes TYPE [ROOM]               status id:modes…; status count if the room is too small
 *   enum TYPE ATTR                  status value…
 *   oids TYPE                       status oid…
 *   fork OID ATTR=KIND              0 if a get in a child works after its own sai_api_initialize and create_switch alone
 *
 * VALUE of a list is numbers with commas; of a map KEY>VALUE with commas, after its type: TYPE/KEY>VALUE,…; the key of a
 * DOT1P_DEI_TO_TC is dot1p << 1 | dei.
 * Notifications are printed as they come: "notify port OID STATE ERROR", "notify switch OID STATE".
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sai.h"

static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;
static sai_switch_api_t *sw;
static sai_port_api_t *port;
static sai_virtual_channel_api_t *channel;
static sai_qos_map_api_t *map;
static sai_queue_api_t *queue;
static sai_object_id_t switch_id;

static const char *environment(sai_switch_profile_id_t id, const char *key) { return getenv(key); }

static const sai_service_method_table_t services = {.profile_get_value = environment};

static void port_changed(uint32_t n, const sai_port_oper_status_notification_t *data)
{
	pthread_mutex_lock(&out);
	for (uint32_t i = 0; i < n; i++)
		printf("notify port 0x%" PRIx64 " %d %d\n", data[i].port_id, data[i].port_state, data[i].port_error_status);
	pthread_mutex_unlock(&out);
}

static void switch_changed(sai_object_id_t oid, int32_t status)
{
	pthread_mutex_lock(&out);
	printf("notify switch 0x%" PRIx64 " %d\n", oid, status);
	pthread_mutex_unlock(&out);
}

/* A map's entry as the types of maps name it. */
static void put(sai_qos_map_t *m, int type, uint8_t key, uint8_t value)
{
	memset(m, 0, sizeof *m);
	if (type == SAI_QOS_MAP_TYPE_QUEUE_TO_VC)
		m->key.queue_index = key, m->value.vc = value;
	else if (type == SAI_QOS_MAP_TYPE_TC_TO_QUEUE)
		m->key.tc = key, m->value.queue_index = value;
	else if (type == SAI_QOS_MAP_TYPE_DOT1P_DEI_TO_TC)
		m->key.dot1p = key >> 1, m->key.dei = key & 1, m->value.tc = value;
	else if (type == SAI_QOS_MAP_TYPE_TC_TO_VC)
		m->key.tc = key, m->value.vc = value;
	else if (type == SAI_QOS_MAP_TYPE_DSCP_TO_TC)
		m->key.dscp = key, m->value.tc = value;
	else
		m->key.dot1p = key, m->value.tc = value;
}

static sai_qos_map_t entries[64];

/* parse reads ATTR=KIND:VALUE. */
static void parse(char *text, sai_attribute_t *a)
{
	char *kind = strchr(text, '='), *value;
	uint64_t n;

	*kind++ = 0;
	value = strchr(kind, ':');
	*value++ = 0;
	memset(a, 0, sizeof *a);
	a->id = (uint32_t)strtoul(text, NULL, 0);
	n = strtoull(value, NULL, 0);
	if (!strcmp(kind, "bool"))
		a->value.booldata = n;
	else if (strstr(kind, "8"))
		a->value.u8 = (uint8_t)n;
	else if (strstr(kind, "16"))
		a->value.u16 = (uint16_t)n;
	else if (!strcmp(kind, "qosmap")) {
		uint32_t i = 0;

		for (char *next = strchr(value, '/'); next && i < 64; next = strchr(next, ',')) {
			uint8_t key = (uint8_t)strtoul(next + 1, &next, 0);

			put(&entries[i++], (int)n, key, (uint8_t)strtoul(next + 1, &next, 0));
		}
		a->value.qosmap.count = i;
		a->value.qosmap.list = entries;
	} else if (strstr(kind, "32"))
		a->value.u32 = (uint32_t)n;
	else
		a->value.u64 = n;
}

static uint8_t room[64 * sizeof(sai_qos_map_t)];

/* prepare reads ATTR=KIND and gives a list room. */
static char *prepare(char *text, sai_attribute_t *a)
{
	char *kind = strchr(text, '=');

	*kind++ = 0;
	memset(a, 0, sizeof *a);
	a->id = (uint32_t)strtoul(text, NULL, 0);
	if (strstr(kind, "list") || !strcmp(kind, "qosmap")) {
		a->value.objlist.count = 64;
		a->value.objlist.list = (sai_object_id_t *)room;
	}
	return kind;
}

static void print_value(const char *kind, const sai_attribute_t *a)
{
	uint32_t n = a->value.objlist.count;

	if (!strcmp(kind, "objlist"))
		for (uint32_t i = 0; i < n; i++)
			printf(" 0x%" PRIx64, a->value.objlist.list[i]);
	else if (!strcmp(kind, "u16list"))
		for (uint32_t i = 0; i < n; i++)
			printf(" %u", a->value.u16list.list[i]);
	else if (!strcmp(kind, "u32list"))
		for (uint32_t i = 0; i < n; i++)
			printf(" %u", a->value.u32list.list[i]);
	else if (!strcmp(kind, "qosmap"))
		for (uint32_t i = 0; i < n; i++) {
			const sai_qos_map_t *m = &a->value.qosmap.list[i];

			printf(" %u%s>%u", m->key.tc + m->key.dscp + m->key.dot1p + m->key.queue_index, m->key.dei ? "+dei" : "",
				m->value.tc + m->value.vc + m->value.queue_index);
		}
	else if (!strcmp(kind, "mac"))
		printf(" %02x:%02x:%02x:%02x:%02x:%02x", a->value.mac[0], a->value.mac[1], a->value.mac[2], a->value.mac[3],
			a->value.mac[4], a->value.mac[5]);
	else if (!strcmp(kind, "bool") || !strcmp(kind, "u8"))
		printf(" %u", a->value.u8);
	else if (!strcmp(kind, "s8"))
		printf(" %d", a->value.s8);
	else if (!strcmp(kind, "u16"))
		printf(" %u", a->value.u16);
	else if (!strcmp(kind, "s16"))
		printf(" %d", a->value.s16);
	else if (!strcmp(kind, "u32"))
		printf(" %u", a->value.u32);
	else if (!strcmp(kind, "s32"))
		printf(" %d", a->value.s32);
	else if (!strcmp(kind, "ptr"))
		printf(" %d", a->value.ptr != NULL);
	else if (!strcmp(kind, "oid"))
		printf(" 0x%" PRIx64, a->value.oid);
	else
		printf(" %" PRIu64, a->value.u64);
}

static sai_status_t create(sai_object_type_t type, sai_object_id_t *oid, uint32_t n, const sai_attribute_t *list)
{
	switch (type) {
	case SAI_OBJECT_TYPE_SWITCH:
		return sw->create_switch(oid, n, list);
	case SAI_OBJECT_TYPE_PORT:
		return port->create_port(oid, switch_id, n, list);
	case SAI_OBJECT_TYPE_PORT_LLR_PROFILE:
		return port->create_port_llr_profile(oid, switch_id, n, list);
	case SAI_OBJECT_TYPE_VIRTUAL_CHANNEL:
		return channel->create_virtual_channel(oid, switch_id, n, list);
	case SAI_OBJECT_TYPE_CBFC_CREDIT_POOL:
		return channel->create_cbfc_credit_pool(oid, switch_id, n, list);
	case SAI_OBJECT_TYPE_CBFC_CREDIT_PROFILE:
		return channel->create_cbfc_credit_profile(oid, switch_id, n, list);
	case SAI_OBJECT_TYPE_QUEUE:
		return queue->create_queue(oid, switch_id, n, list);
	}
	return map->create_qos_map(oid, switch_id, n, list);
}

/* methods returns the methods of an object's type. */
static void methods(sai_object_id_t oid, sai_remove_fn *remove, sai_set_fn *set, sai_get_fn *get)
{
	switch (sai_object_type_query(oid)) {
	case SAI_OBJECT_TYPE_SWITCH:
		*remove = sw->remove_switch, *set = sw->set_switch_attribute, *get = sw->get_switch_attribute;
		return;
	case SAI_OBJECT_TYPE_PORT_LLR_PROFILE:
		*remove = port->remove_port_llr_profile, *set = port->set_port_llr_profile_attribute;
		*get = port->get_port_llr_profile_attribute;
		return;
	case SAI_OBJECT_TYPE_VIRTUAL_CHANNEL:
		*remove = channel->remove_virtual_channel, *set = channel->set_virtual_channel_attribute;
		*get = channel->get_virtual_channel_attribute;
		return;
	case SAI_OBJECT_TYPE_CBFC_CREDIT_POOL:
		*remove = channel->remove_cbfc_credit_pool, *set = channel->set_cbfc_credit_pool_attribute;
		*get = channel->get_cbfc_credit_pool_attribute;
		return;
	case SAI_OBJECT_TYPE_CBFC_CREDIT_PROFILE:
		*remove = channel->remove_cbfc_credit_profile, *set = channel->set_cbfc_credit_profile_attribute;
		*get = channel->get_cbfc_credit_profile_attribute;
		return;
	case SAI_OBJECT_TYPE_QOS_MAP:
		*remove = map->remove_qos_map, *set = map->set_qos_map_attribute, *get = map->get_qos_map_attribute;
		return;
	case SAI_OBJECT_TYPE_QUEUE:
		*remove = queue->remove_queue, *set = queue->set_queue_attribute, *get = queue->get_queue_attribute;
		return;
	}
	*remove = port->remove_port, *set = port->set_port_attribute, *get = port->get_port_attribute;
}

/* in_child says what a get answers in a child process: before and after the child has initialized the library and
 * attached to the switch. */
static void in_child(sai_get_fn get, sai_object_id_t oid, sai_attribute_t *a)
{
	int status;

	if (!fork()) {
		sai_status_t before = get(oid, 1, a), after;

		sai_attribute_t init = {.id = SAI_SWITCH_ATTR_INIT_SWITCH, .value.booldata = true};

		after = sai_api_initialize(0, &services) ?: sw->create_switch(&switch_id, 1, &init) ?: get(oid, 1, a);
		_exit(before == SAI_STATUS_UNINITIALIZED && after == SAI_STATUS_SUCCESS ? 0 : 1);
	}
	wait(&status);
	printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* stats_of reads statistics of an object by the table of its type. */
static sai_status_t stats_of(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids, sai_stats_mode_t mode,
	uint64_t *values)
{
	switch (sai_object_type_query(oid)) {
	case SAI_OBJECT_TYPE_VIRTUAL_CHANNEL:
		return channel->get_virtual_channel_stats_ext(oid, n, ids, mode, values);
	case SAI_OBJECT_TYPE_QUEUE:
		return queue->get_queue_stats_ext(oid, n, ids, mode, values);
	}
	return port->get_port_stats_ext(oid, n, ids, mode, values);
}

/* clear_of clears statistics of an object by the table of its type; all of a port without numbers. */
static sai_status_t clear_of(sai_object_id_t oid, uint32_t n, const sai_stat_id_t *ids)
{
	switch (sai_object_type_query(oid)) {
	case SAI_OBJECT_TYPE_VIRTUAL_CHANNEL:
		return channel->clear_virtual_channel_stats(oid, n, ids);
	case SAI_OBJECT_TYPE_QUEUE:
		return queue->clear_queue_stats(oid, n, ids);
	}
	return n ? port->clear_port_stats(oid, n, ids) : port->clear_port_all_stats(oid);
}

/* set_queues sets an attribute of several queues by one call, and prints the answer. */
static void set_queues(char *words[], int n)
{
	sai_object_id_t oids[64];
	sai_attribute_t attrs[64];
	sai_status_t status, statuses[64];

	parse(words[1], &attrs[0]);
	for (int i = 2; i < n; i++) {
		oids[i - 2] = strtoull(words[i], NULL, 0);
		attrs[i - 2] = attrs[0];
	}
	status = queue->set_queues_attribute((uint32_t)n - 2, oids, attrs, SAI_BULK_OP_ERROR_MODE_STOP_ON_ERROR, statuses);
	pthread_mutex_lock(&out);
	printf("%d", status);
	for (int i = 2; i < n; i++)
		printf(" %d", statuses[i - 2]);
	printf("\n");
}

/* answer carries out one line. */
static void answer(char *words[], int n)
{
	uint64_t first = n > 1 ? strtoull(words[1], NULL, 0) : 0;
	sai_attribute_t list[32];
	sai_object_id_t oid = 0;
	sai_remove_fn remove;
	sai_set_fn set;
	sai_get_fn get;
	sai_status_t status = 0;

	methods(first, &remove, &set, &get);
	if (!strcmp(words[0], "create")) {
		for (int i = 2; i < n; i++)
			parse(words[i], &list[i - 2]);
		status = create((sai_object_type_t)first, &oid, (uint32_t)n - 2, list);
		pthread_mutex_lock(&out);
		printf("%d 0x%" PRIx64 "\n", status, oid);
	} else if (!strcmp(words[0], "bulk")) {
		set_queues(words, n);
	} else if (!strcmp(words[0], "remove") || !strcmp(words[0], "clear")) {
		sai_stat_id_t ids[64];

		for (int i = 2; i < n; i++)
			ids[i - 2] = (uint32_t)strtoul(words[i], NULL, 0);
		status = words[0][0] == 'r' ? remove(first) : clear_of(first, (uint32_t)n - 2, ids);
		pthread_mutex_lock(&out);
		printf("%d\n", status);
	} else if (!strcmp(words[0], "set")) {
		parse(words[2], &list[0]);
		status = set(first, &list[0]);
		pthread_mutex_lock(&out);
		printf("%d\n", status);
	} else if (!strcmp(words[0], "get") || !strcmp(words[0], "fork")) {
		char *kind = prepare(words[2], &list[0]);

		if (words[0][0] == 'f') {
			pthread_mutex_lock(&out);
			in_child(get, first, &list[0]);
		} else {
			status = get(first, 1, &list[0]);
			pthread_mutex_lock(&out);
			printf("%d", status);
			if (!status)
				print_value(kind, &list[0]);
			printf("\n");
		}
	} else if (!strcmp(words[0], "stats")) {
		sai_stat_id_t ids[64];
		uint64_t values[64];
		uint32_t count = 0;
		sai_stats_mode_t mode = (sai_stats_mode_t)strtoul(words[2], NULL, 0);

		for (int i = 3; i < n && count < 64; i++)
			ids[count++] = (uint32_t)strtoul(words[i], NULL, 0);
		status = stats_of(first, count, ids, mode, values);
		pthread_mutex_lock(&out);
		printf("%d", status);
		for (uint32_t i = 0; i < count && !status; i++)
			printf(" %" PRIu64, values[i]);
		printf("\n");
	} else if (!strcmp(words[0], "capability")) {
		sai_attr_capability_t c = {0};

		status = sai_query_attribute_capability(switch_id, (uint32_t)first, (uint32_t)strtoul(words[2], NULL, 0), &c);
		pthread_mutex_lock(&out);
		printf("%d %d %d %d\n", status, c.create_implemented, c.set_implemented, c.get_implemented);
	} else if (!strcmp(words[0], "enum")) {
		int32_t values[32];
		sai_s32_list_t list = {32, values};

		status = sai_query_attribute_enum_values_capability(switch_id, (uint32_t)first, (uint32_t)strtoul(words[2], NULL, 0),
			&list);
		pthread_mutex_lock(&out);
		printf("%d", status);
		for (uint32_t i = 0; i < list.count && !status; i++)
			printf(" %d", values[i]);
		printf("\n");
	} else if (!strcmp(words[0], "modes")) {
		static sai_stat_capability_t stats[SAI_PORT_STAT_END];
		sai_stat_capability_list_t capability = {n > 2 ? (uint32_t)atoi(words[2]) : SAI_PORT_STAT_END, stats};

		status = sai_query_stats_capability(switch_id, (uint32_t)first, &capability);
		pthread_mutex_lock(&out);
		printf("%d", status);
		if (status == SAI_STATUS_BUFFER_OVERFLOW)
			printf(" %u", capability.count);
		for (uint32_t i = 0; i < capability.count && !status; i++)
			printf(" %u:%u", stats[i].stat_enum, stats[i].stat_modes);
		printf("\n");
	} else {
		sai_object_key_t keys[256];
		uint32_t count = 256;

		status = sai_get_object_key(switch_id, (uint32_t)first, &count, keys);
		pthread_mutex_lock(&out);
		printf("%d", status);
		for (uint32_t i = 0; i < count && !status; i++)
			printf(" 0x%" PRIx64, keys[i].key.object_id);
		printf("\n");
	}
	pthread_mutex_unlock(&out);
}

int main(void)
{
	char line[4096];
	sai_attribute_t attrs[3] = {
		{.id = SAI_SWITCH_ATTR_INIT_SWITCH, .value.booldata = true},
		{.id = SAI_SWITCH_ATTR_PORT_STATE_CHANGE_NOTIFY, .value.ptr = (void *)port_changed},
		{.id = SAI_SWITCH_ATTR_SWITCH_STATE_CHANGE_NOTIFY, .value.ptr = (void *)switch_changed},
	};
	sai_status_t status = sai_api_initialize(0, &services);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (status || sai_api_query(SAI_API_SWITCH, (void **)&sw) || sai_api_query(SAI_API_PORT, (void **)&port) ||
		sai_api_query(SAI_API_VIRTUAL_CHANNEL, (void **)&channel) || sai_api_query(SAI_API_QOS_MAP, (void **)&map) ||
		sai_api_query(SAI_API_QUEUE, (void **)&queue) || (status = sw->create_switch(&switch_id, 3, attrs))) {
		printf("status %d\n", status);
		return 1;
	}
	sai_log_set(SAI_API_PORT, SAI_LOG_LEVEL_NOTICE);
	while (fgets(line, sizeof line, stdin)) {
		char *words[64], *rest = line;
		int n = 0;

		while (n < 64 && (words[n] = strtok_r(rest, " \n", &rest)))
			n++;
		if (n)
			answer(words, n);
	}
	sw->remove_switch(switch_id);
	return sai_api_uninitialize() ? 1 : 0;
}
