//go:build ignore

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The load of the benchmarks, in the kernel, so that it costs little and is the
 * same for every forwarder.
 *
 *   uelink_source     run by BPF_PROG_TEST_RUN: sends one frame over and over
 *   uelink_spread     the same in bursts at a rate, to several interfaces in turns, and
 *                     from and to many addresses
 *   uelink_sequence   an LLR transmitter: shim, numbers, FCS image, no more than a
 *                     window ahead of the acknowledgements; it may have a rate, too
 *   uelink_feed       uelink_source, numbered, and only so many
 *   uelink_number     sends numbered frames of checked contents, as many as are due
 *   uelink_sink       the far end: counts, times and drops
 *   uelink_hear       the far end of uelink_sequence: takes LLR_ACK and LLR_NACK
 *   uelink_receive    an LLR receiver: checks the numbers, answers LLR_ACK by XDP_TX
 *   uelink_check      the far end of uelink_number: each number once and in order
 *   uelink_reflect    a host: sends every frame back and times its round
 *   uelink_pass       a host whose stack takes what is redirected to it
 *   uelink_redirect   a forwarder that does nothing but redirect: the ceiling
 *
 * LLR_INIT and LLR_INIT_ECHO go to a packet socket.
 */
#include "bench.h"
#include "source.h"
#include "numbers.h"

SEC("xdp")
int uelink_sink(struct xdp_md *ctx)
{
	const __u8 *frame = (const __u8 *)(long)ctx->data;

	if (frame + HEADER_LEN > (const __u8 *)(long)ctx->data_end || ethertype(frame) == ETHERTYPE_CONTROL)
		return XDP_PASS;
	count(ctx);
	time_delay(ctx, HEADER_LEN);
	return XDP_DROP;
}

SEC("xdp")
int uelink_hear(struct xdp_md *ctx)
{
	const __u8 *frame = (const __u8 *)(long)ctx->data;
	const __u8 *end = (const __u8 *)(long)ctx->data_end;
	const __u8 *c = frame + CONTROL_HEADER_LEN;
	__u32 seq;

	if (frame + CONTROL_LEN > end || ethertype(frame) != ETHERTYPE_CONTROL)
		return XDP_PASS;
	if (frame[15] != 1 || (c[1] != LLR_ACK && c[1] != LLR_NACK))
		return XDP_PASS;
	seq = (c[2] << 12 | c[3] << 4 | c[4] >> 4) + 1;
	receiver.next = seq & SEQ_MASK;
	if (c[1] == LLR_NACK)
		receiver.rewind = 1u << 31 | (seq & SEQ_MASK);
	return XDP_DROP;
}

static __always_inline int acknowledge(struct xdp_md *ctx, __u32 seq)
{
	int longer = (int)(ctx->data_end - ctx->data) - CONTROL_LEN;
	__u8 *frame;

	if (bpf_xdp_adjust_tail(ctx, -longer))
		return XDP_DROP;
	frame = (__u8 *)(long)ctx->data;
	if (frame + CONTROL_LEN > (__u8 *)(long)ctx->data_end)
		return XDP_DROP;
	for (int i = 0; i < CONTROL_LEN; i++)
		frame[i] = ack[i];
	frame[CONTROL_HEADER_LEN + 2] = seq >> 12;
	frame[CONTROL_HEADER_LEN + 3] = seq >> 4;
	frame[CONTROL_HEADER_LEN + 4] |= seq << 4;
	put32(frame + CONTROL_HEADER_LEN + CTLOS_LEN, crc_of(seq));
	return XDP_TX;
}

SEC("xdp")
int uelink_receive(struct xdp_md *ctx)
{
	const __u8 *frame = (const __u8 *)(long)ctx->data;
	__u32 seq;

	if (frame + SEQ_OFFSET + 4 > (const __u8 *)(long)ctx->data_end || ethertype(frame) != ETHERTYPE_DATA)
		return XDP_PASS;
	seq = frame[SEQ_OFFSET] << 16 | frame[SEQ_OFFSET + 1] << 8 | frame[SEQ_OFFSET + 2];
	if (seq != receiver.next) { /* sent again: the last ones were not acknowledged */
		counted.wrong++;
		return acknowledge(ctx, (receiver.next - 1) & SEQ_MASK);
	}
	receiver.next = (seq + 1) & SEQ_MASK;
	count(ctx);
	time_delay(ctx, DATA_HEADER_LEN);
	if (counted.frames % ack_every == 0)
		return acknowledge(ctx, seq);
	return XDP_DROP;
}

static __always_inline void turn(__u8 *frame)
{
	for (int i = 0; i < 6; i++) {
		__u8 octet = frame[i];

		frame[i] = frame[i + 6];
		frame[i + 6] = octet;
	}
}

static __always_inline void time_round(__u8 *stamp)
{
	__u64 now = bpf_ktime_get_ns();
	__u64 then = get32(stamp) | (__u64)get32(stamp + 4) << 32;

	if (then)
		take(&rounds, now - then);
	put32(stamp, now);
	put32(stamp + 4, now >> 32);
}

SEC("xdp")
int uelink_reflect(struct xdp_md *ctx)
{
	__u8 *frame = (__u8 *)(long)ctx->data;
	__u32 id;

	if (frame + HEADER_LEN + 12 > (__u8 *)(long)ctx->data_end || ethertype(frame) != ETHERTYPE_PROBE)
		return XDP_PASS;
	id = get32(frame + HEADER_LEN);
	if (id != expected)
		counted.wrong++;
	expected = id + 1 == circulating ? 0 : id + 1;
	count(ctx);
	if (stop) {
		absorbed++;
		return XDP_DROP;
	}
	if (timed)
		time_round(frame + HEADER_LEN + 4);
	turn(frame);
	return XDP_TX;
}

/* A veth takes redirected frames if there is a program at their far end. */
SEC("xdp")
int uelink_pass(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_PASS;
}

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} egress SEC(".maps");

SEC("xdp")
int uelink_redirect(struct xdp_md *ctx)
{
	(void)ctx;
	return bpf_redirect_map(&egress, 0, 0);
}

char __license[] SEC("license") = "Dual BSD/GPL";
