//go:build ignore

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Steering: which of the frames that reach an interface go to the AF_XDP socket
 * of their queue, which to the kernel, and which nowhere.
 *
 *   1. Shorter than an Ethernet header: dropped.
 *   2. LLDP: to the kernel, on every port.
 *   3. Link port, our data or control EtherType: to the socket.
 *   4. Link port, anything else ("native"): as configured.
 *   5. Edge port: to the socket.
 *
 * A queue that has no socket passes its frames to the kernel, so that the host
 * keeps its network while the daemon comes and goes.
 */
#include "kernel.h"

#define HEADER_LEN 14
#define ETHERTYPE_LLDP 0x88CC

/* What becomes of native frames: NativeAction in attach.go. */
enum {
	NATIVE_SOCKET,
	NATIVE_PASS,
	NATIVE_DROP,
};

/* Written by the loader before the program is verified, so that the verifier
 * removes the branches that this port never takes. */
struct settings {
	__u16 ethertype_data;
	__u16 ethertype_control;
	__u8 link;
	__u8 native;
};

volatile const struct settings settings;

/* Frames by verdict. */
struct counters {
	__u64 data;
	__u64 control;
	__u64 lldp;
	__u64 native_socket;
	__u64 native_pass;
	__u64 native_drop;
	__u64 no_socket;
	__u64 runt;
};

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__type(key, __u32);
	__type(value, __u32);
	__uint(max_entries, 1); /* the loader says how many queues there are */
} sockets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, struct counters);
	__uint(max_entries, 1);
} counted SEC(".maps");

static __always_inline int to_socket(struct xdp_md *ctx, struct counters *c, __u64 *taken)
{
	int verdict = bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_PASS);

	if (verdict == XDP_REDIRECT)
		(*taken)++;
	else
		c->no_socket++;
	return verdict;
}

static __always_inline int native(struct xdp_md *ctx, struct counters *c)
{
	if (!settings.link || settings.native == NATIVE_SOCKET)
		return to_socket(ctx, c, &c->native_socket);
	if (settings.native == NATIVE_PASS) {
		c->native_pass++;
		return XDP_PASS;
	}
	c->native_drop++;
	return XDP_DROP;
}

SEC("xdp")
int uelink_steer(struct xdp_md *ctx)
{
	const __u8 *frame = (const __u8 *)(long)ctx->data;
	const __u8 *end = (const __u8 *)(long)ctx->data_end;
	const __u32 here = 0;
	struct counters *c = bpf_map_lookup_elem(&counted, &here);
	__u16 type;

	if (!c) /* cannot be: the verifier asks */
		return XDP_PASS;
	if (frame + HEADER_LEN > end) {
		c->runt++;
		return XDP_DROP;
	}
	type = frame[12] << 8 | frame[13];
	if (type == ETHERTYPE_LLDP) {
		c->lldp++;
		return XDP_PASS;
	}
	if (settings.link && type == settings.ethertype_data)
		return to_socket(ctx, c, &c->data);
	if (settings.link && type == settings.ethertype_control)
		return to_socket(ctx, c, &c->control);
	return native(ctx, c);
}

char __license[] SEC("license") = "Dual BSD/GPL";
