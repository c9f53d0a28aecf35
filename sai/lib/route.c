/* SPDX-License-Identifier: Apache-2.0
 * Routes, which have an entry in place of an id, as structs of SAI and as JSON of the daemon.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* prefix_length returns the length of a mask of n octets; -1: there are zeros before ones. */
static int prefix_length(const uint8_t *mask, int n)
{
	int length = 0;

	while (length < 8 * n && mask[length / 8] >> (7 - length % 8) & 1)
		length++;
	for (int i = length; i < 8 * n; i++)
		if (mask[i / 8] >> (7 - i % 8) & 1)
			return -1;
	return length;
}

/* octets returns how many octets an address of a family has. */
static int octets(int32_t family) { return family == SAI_IP_ADDR_FAMILY_IPV4 ? 4 : 16; }

/* check_route refuses an entry of another switch, and one without a prefix. */
sai_status_t check_route(const sai_route_entry_t *route)
{
	if (!route)
		return SAI_STATUS_INVALID_PARAMETER;
	if (route->switch_id != SWITCH_OID)
		return SAI_STATUS_INVALID_OBJECT_ID;
	if (route->destination.addr_family != SAI_IP_ADDR_FAMILY_IPV4 &&
		route->destination.addr_family != SAI_IP_ADDR_FAMILY_IPV6)
		return SAI_STATUS_INVALID_PARAMETER;
	return prefix_length(route->destination.mask.ip6, octets(route->destination.addr_family)) < 0
		? SAI_STATUS_INVALID_PARAMETER : SAI_STATUS_SUCCESS;
}

json_t *route_to_json(const sai_route_entry_t *route)
{
	const sai_ip_prefix_t *p = &route->destination;
	char router[OID_TEXT], address[INET6_ADDRSTRLEN], prefix[INET6_ADDRSTRLEN + 8];
	int n = octets(p->addr_family);

	oid_text(router, route->vr_id);
	inet_ntop(n == 4 ? AF_INET : AF_INET6, &p->addr, address, sizeof address);
	snprintf(prefix, sizeof prefix, "%s/%d", address, prefix_length(p->mask.ip6, n));
	return json_pack("{ssss}", "router", router, "prefix", prefix);
}

/* route_from_json sets an entry; false: it cannot be read. */
bool route_from_json(const json_t *entry, sai_route_entry_t *route)
{
	char address[INET6_ADDRSTRLEN + 8];
	char *slash;
	sai_ip_prefix_t *p = &route->destination;
	int n, length;

	memset(route, 0, sizeof *route);
	route->switch_id = SWITCH_OID;
	route->vr_id = oid_of(json_object_get(entry, "router"));
	snprintf(address, sizeof address, "%s", json_string_value(json_object_get(entry, "prefix")) ?: "");
	slash = strchr(address, '/');
	if (!slash || sscanf(slash, "/%d", &length) != 1)
		return false;
	*slash = 0;
	p->addr_family = strchr(address, ':') ? SAI_IP_ADDR_FAMILY_IPV6 : SAI_IP_ADDR_FAMILY_IPV4;
	n = octets(p->addr_family);
	for (int i = 0; i < length && i < 8 * n; i++)
		p->mask.ip6[i / 8] |= (uint8_t)(0x80 >> i % 8);
	return inet_pton(n == 4 ? AF_INET : AF_INET6, address, &p->addr) == 1;
}
