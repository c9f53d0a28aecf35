//go:build ignore

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * Steering: which of the frames that reach an interface go to the AF_XDP socket
 * of their queue, which to the kernel, and which nowhere.
 *
 *   1. Shorter than an Ethernet header: dropped.
 *   2. LLDP, also behind a VLAN tag: to the kernel, on every port.
 *   3. Link port, our data or control EtherType: to the socket.
 *   4. Link port, anything else ("native"): as configured.
 *   5. Edge port, from the host's pump (see pump below): to the kernel.
 *   6. Edge port: to the socket.
 *
 * A run without an interface (BPF_PROG_RUN) brings a blank frame, to be filled
 * and sent by transmit.c. The kernel runs a program fast only if the program is
 * attached to an interface: therefore such runs begin here.
 *
 * A queue that has no socket passes its frames to the kernel, so that the host
 * keeps its network while the daemon comes and goes.
 */
#include "kernel.h"

#define HEADER_LEN 14
#define TAG_LEN 4
#define ETHERTYPE_VLAN 0x8100
#define ETHERTYPE_LLDP 0x88CC
#define LOOPBACK 1 /* the interface of a run without one; in every network namespace */

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
	__u8 transmits; /* runs without an interface go on in transmitter */
};

volatile const struct settings settings;

/* Keys of the map counted: what became of a frame. The order is that of
 * Counters in counters.go. */
enum verdict {
	DATA,
	CONTROL,
	LLDP,
	NATIVE_TO_SOCKET,
	NATIVE_TO_KERNEL,
	NATIVE_DROPPED,
	NO_SOCKET,
	RUNT,
	PUMP,
	VERDICTS,
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
	__type(value, __u64);
	__uint(max_entries, VERDICTS);
} counted SEC(".maps");

/* Of NO_SOCKET, how many came by each RX queue. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 1); /* as of sockets */
} missed SEC(".maps");

/* transmit.c, while frames are sent by it. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} transmitter SEC(".maps");

/* An entry for each verdict, and not one struct with a member for each: of the
 * latter clang makes one pointer plus a number that depends on the path, which
 * the verifier refuses to a loader without CAP_PERFMON. Keys on the stack have 8
 * octets, of which the map reads 4: to such a loader the verifier of Linux 6.1
 * refuses a write of fewer where a register was written. */
static __always_inline int count(__u64 verdict, int action)
{
	__u64 *frames = bpf_map_lookup_elem(&counted, &verdict);

	if (frames)
		(*frames)++;
	return action;
}

static __always_inline int to_socket(struct xdp_md *ctx, __u64 verdict)
{
	__u64 queue = ctx->rx_queue_index;
	int action = bpf_redirect_map(&sockets, queue, XDP_PASS);
	__u64 *frames;

	if (action == XDP_REDIRECT)
		return count(verdict, action);
	frames = bpf_map_lookup_elem(&missed, &queue);
	if (frames)
		(*frames)++;
	return count(NO_SOCKET, action);
}

static __always_inline int native(struct xdp_md *ctx)
{
	if (!settings.link || settings.native == NATIVE_SOCKET)
		return to_socket(ctx, NATIVE_TO_SOCKET);
	if (settings.native == NATIVE_PASS)
		return count(NATIVE_TO_KERNEL, XDP_PASS);
	return count(NATIVE_DROPPED, XDP_DROP);
}

/* Whether a frame to everybody comes from 02:75:65:6c:70:75, the source address of
 * the frames by which the daemon finds the NAPI instance of a queue. */
static __always_inline int pump(const __u8 *frame)
{
	return frame[0] == 0xff && frame[6] == 0x02 && frame[7] == 0x75 && frame[8] == 0x65 &&
	       frame[9] == 0x6c && frame[10] == 0x70 && frame[11] == 0x75;
}

/* Whether a frame is LLDP with a VLAN tag: a priority tag, or the tag of a switch's native VLAN. The addresses that
 * no bridge forwards (01-80-C2-00-00-0X) say that the neighbour sent it. */
static __always_inline int tagged_lldp(const __u8 *frame, const __u8 *end)
{
	return frame + HEADER_LEN + TAG_LEN <= end && (frame[16] << 8 | frame[17]) == ETHERTYPE_LLDP &&
	       frame[0] == 0x01 && frame[1] == 0x80 && frame[2] == 0xc2 && !frame[3] && !frame[4] && frame[5] < 0x10;
}

SEC("xdp.frags")
int uelink_steer(struct xdp_md *ctx)
{
	const __u8 *frame = (const __u8 *)(long)ctx->data;
	const __u8 *end = (const __u8 *)(long)ctx->data_end;
	__u16 type;

	if (settings.transmits && ctx->ingress_ifindex == LOOPBACK) {
		bpf_tail_call(ctx, &transmitter, 0);
		return XDP_DROP;
	}
	if (frame + HEADER_LEN > end)
		return count(RUNT, XDP_DROP);
	type = frame[12] << 8 | frame[13];
	if (type == ETHERTYPE_LLDP || (type == ETHERTYPE_VLAN && tagged_lldp(frame, end)))
		return count(LLDP, XDP_PASS);
	if (settings.link && type == settings.ethertype_data)
		return to_socket(ctx, DATA);
	if (settings.link && type == settings.ethertype_control)
		return to_socket(ctx, CONTROL);
	if (!settings.link && pump(frame))
		return count(PUMP, XDP_PASS);
	return native(ctx);
}

char __license[] SEC("license") = "Dual BSD/GPL";
