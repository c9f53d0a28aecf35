//go:build ignore

/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/*
 * The load of the benchmarks, in the kernel, so that it costs little and is the
 * same for every forwarder.
 *
 *   uelink_source     run by BPF_PROG_TEST_RUN: sends one frame over and over
 *   uelink_spread     the same in bursts at a rate, to several interfaces in turns
 *   uelink_sequence   an LLR transmitter: shim, numbers, FCS image, no more than a
 *                     window ahead of the acknowledgements
 *   uelink_feed       uelink_source, numbered, and only so many
 *   uelink_sink       the far end: counts and drops
 *   uelink_hear       the far end of uelink_sequence: takes LLR_ACK and LLR_NACK
 *   uelink_receive    an LLR receiver: checks the numbers, answers LLR_ACK by XDP_TX
 *   uelink_reflect    a host: sends every frame back and times its round
 *   uelink_pass       a host whose stack takes what is redirected to it
 *   uelink_lose       one direction of a wire: loses every so manyeth frame
 *
 * LLR_INIT and LLR_INIT_ECHO go to a packet socket.
 */
#include "../../bpf/kernel.h"

static __u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static long (*const bpf_redirect)(__u32 ifindex, __u64 flags) = (void *)23;
static long (*const bpf_xdp_adjust_tail)(struct xdp_md *ctx, int delta) = (void *)65;

#define HEADER_LEN 14
#define FCS_LEN 4
#define CONTROL_LEN 60
#define CONTROL_HEADER_LEN 16
#define CTLOS_LEN 8
#define ETHERTYPE_DATA 0x88B5
#define ETHERTYPE_CONTROL 0x88B6
#define ETHERTYPE_PROBE 0x88B7
#define LLR_ACK 1
#define LLR_NACK 2
#define SEQ_MASK 0xFFFFF
#define SEQ_OFFSET 18 /* of a data frame */
#define MAX_SPREAD 32 /* interfaces */

/* Written by the loader. */
volatile const __u32 ifindex;     /* where frames leave */
volatile const __u32 length;      /* of uelink_sequence's frames, octets */
volatile const __u32 window;      /* frames that uelink_sequence may be ahead */
volatile const __u32 ack_every;   /* frames */
volatile const __u32 circulating; /* frames between two uelink_reflect */
volatile const __u32 timed;       /* this uelink_reflect takes the times */

/* Of uelink_spread. */
volatile const __u32 ifindexes[MAX_SPREAD];
volatile const __u32 spread_over; /* how many of them */
volatile const __u32 burst;       /* frames that leave together by one of them */
volatile const __u64 interval;    /* ns between the beginnings of two bursts */

/* CRC-32 is linear: what a number adds to that of a frame is that of its upper
 * and of its lower 10 bits. */
volatile const __u32 crc_high[1024];
volatile const __u32 crc_low[1024];
volatile const __u8 ack[64]; /* an LLR_ACK of number 0 */

#define ALIGNED __attribute__((aligned(64)))

struct counts {
	__u64 frames;
	__u64 octets;
	__u64 wrong; /* in number or order */
};

/* Of the far end, in a cache line of its own. */
struct counts counted ALIGNED;

/* Of uelink_spread. */
struct {
	__u64 due;    /* when the next burst begins */
	__u64 frames; /* sent */
	__u32 left;   /* of the burst */
	__u32 to;     /* which interface */
} spread ALIGNED;

/* Of uelink_sequence. */
struct {
	__u32 next;
	__u32 idle;
} sender ALIGNED;

/* Of uelink_receive and uelink_hear. */
struct state {
	__u32 next;   /* expected here, or by the device */
	__u32 rewind; /* 1 << 31 | number to go back to */
	__u64 rewinds;
};

struct state receiver ALIGNED;

__u32 fed ALIGNED;
__u32 expected; /* by uelink_reflect */
volatile __u32 stop;
volatile __u32 lose_every; /* frames; 0 = uelink_lose loses none */
__u64 absorbed; /* after stop */

struct {
	volatile __u64 at; /* when it was lost; 0 = nothing is */
	volatile __u32 id;
	__u32 passed;
	__u64 frames;
} lost ALIGNED;

/* A distribution of times: steps of 2^6 ns, then of 2^16 ns. */
#define FINE 8192
#define COARSE 4096

struct times {
	__u64 fine[FINE];
	__u64 coarse[COARSE];
};

struct times rounds ALIGNED;
struct times recoveries ALIGNED;

static __always_inline void take(struct times *t, __u64 ns)
{
	__u64 fine = ns >> 6, coarse = ns >> 16;

	/* The verifier has to see the bounds of the numbers that are used. */
	asm volatile("" : "+r"(fine), "+r"(coarse));
	if (fine < FINE)
		t->fine[fine]++;
	else if (coarse < COARSE)
		t->coarse[coarse]++;
	else
		t->coarse[COARSE - 1]++;
}

static __always_inline __u16 ethertype(const __u8 *frame)
{
	return frame[12] << 8 | frame[13];
}

static __always_inline void put32(__u8 *at, __u32 v)
{
	at[0] = v;
	at[1] = v >> 8;
	at[2] = v >> 16;
	at[3] = v >> 24;
}

static __always_inline __u32 get32(const __u8 *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (__u32)at[3] << 24;
}

static __always_inline __u32 crc_of(__u32 seq)
{
	return crc_high[seq >> 10 & 1023] ^ crc_low[seq & 1023];
}

static __always_inline void count(struct xdp_md *ctx)
{
	counted.frames++;
	counted.octets += ctx->data_end - ctx->data;
}

SEC("xdp")
int uelink_source(struct xdp_md *ctx)
{
	(void)ctx;
	return bpf_redirect(ifindex, 0);
}

/* A burst that is later than this, in ns, is not made up for: a generator that
 * others took the CPU from does not flood the forwarder afterwards. */
#define LATE 100000

static __always_inline int begin_burst(void)
{
	__u64 now = bpf_ktime_get_ns();

	if (now < spread.due)
		return 0;
	spread.due = (now - spread.due > LATE ? now : spread.due) + interval;
	spread.left = burst;
	spread.to = spread.to + 1 < spread_over ? spread.to + 1 : 0;
	return 1;
}

SEC("xdp")
int uelink_spread(struct xdp_md *ctx)
{
	(void)ctx;
	if (!spread.left && !begin_burst())
		return XDP_DROP;
	spread.left--;
	spread.frames++;
	return bpf_redirect(ifindexes[spread.to % MAX_SPREAD], 0);
}

/* After this many rounds without an acknowledgement the window is sent again. */
#define PATIENCE (1 << 20)

SEC("xdp")
int uelink_sequence(struct xdp_md *ctx)
{
	__u8 *frame = (__u8 *)(long)ctx->data;
	__u32 back = *(volatile __u32 *)&receiver.rewind;
	__u32 expects = *(volatile __u32 *)&receiver.next;
	__u32 seq;

	if (back) {
		receiver.rewind = 0;
		receiver.rewinds++;
		sender.next = back & SEQ_MASK;
	}
	seq = sender.next;
	if (((seq - expects) & SEQ_MASK) >= window) {
		if (++sender.idle < PATIENCE)
			return XDP_DROP;
		seq = expects;
	}
	sender.idle = 0;
	if (length < SEQ_OFFSET + 4 + FCS_LEN || frame + length > (__u8 *)(long)ctx->data_end)
		return XDP_DROP;
	frame[SEQ_OFFSET] = seq >> 16;
	frame[SEQ_OFFSET + 1] = seq >> 8;
	frame[SEQ_OFFSET + 2] = seq;
	put32(frame + length - FCS_LEN, crc_of(seq));
	sender.next = (seq + 1) & SEQ_MASK;
	return bpf_redirect(ifindex, 0);
}

SEC("xdp")
int uelink_feed(struct xdp_md *ctx)
{
	__u8 *frame = (__u8 *)(long)ctx->data;

	if (fed >= circulating || frame + HEADER_LEN + 4 > (__u8 *)(long)ctx->data_end)
		return XDP_DROP;
	put32(frame + HEADER_LEN, fed++);
	return bpf_redirect(ifindex, 0);
}

SEC("xdp")
int uelink_sink(struct xdp_md *ctx)
{
	const __u8 *frame = (const __u8 *)(long)ctx->data;

	if (frame + HEADER_LEN > (const __u8 *)(long)ctx->data_end || ethertype(frame) == ETHERTYPE_CONTROL)
		return XDP_PASS;
	count(ctx);
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
	if (lost.at && lost.id == id) {
		take(&recoveries, bpf_ktime_get_ns() - lost.at);
		lost.at = 0;
	}
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

/* A data frame carries the id of uelink_feed behind shim and EtherType. */
#define LOST_ID_OFFSET (SEQ_OFFSET + 4 + 2)

SEC("xdp")
int uelink_lose(struct xdp_md *ctx)
{
	const __u8 *frame = (const __u8 *)(long)ctx->data;

	if (frame + LOST_ID_OFFSET + 4 > (const __u8 *)(long)ctx->data_end || ethertype(frame) != ETHERTYPE_DATA)
		return bpf_redirect(ifindex, 0);
	if (lose_every && !lost.at && ++lost.passed >= lose_every) {
		lost.passed = 0;
		lost.frames++;
		lost.id = get32(frame + LOST_ID_OFFSET);
		lost.at = bpf_ktime_get_ns();
		return XDP_DROP;
	}
	return bpf_redirect(ifindex, 0);
}

char __license[] SEC("license") = "Dual BSD/GPL";
