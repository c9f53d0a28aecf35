/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* What the programs of bench.c have in common. */
#include "../../../bpf/kernel.h"

static __u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static long (*const bpf_redirect)(__u32 ifindex, __u64 flags) = (void *)23;

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
#define DATA_HEADER_LEN 24 /* of a data frame, up to the payload that it carries */
#define ADDRESS_LEN 6
#define MAX_SPREAD 32 /* interfaces */

/* Written by the loader. */
volatile const __u32 ifindex;     /* where frames leave */
volatile const __u32 length;      /* of uelink_sequence's frames, octets */
volatile const __u32 window;      /* frames that uelink_sequence may be ahead */
volatile const __u32 ack_every;   /* frames */
volatile const __u32 circulating; /* frames between two uelink_reflect */
volatile const __u32 timed;       /* this uelink_reflect takes the times */
volatile const __u32 stamped;     /* frames of uelink_spread begin with the time that they leave */

/* CRC-32 is linear: the CRC of a frame with a number is the XOR of an entry for the
 * number's upper and an entry for its lower 10 bits. */
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

/* Of uelink_receive and uelink_hear. */
struct state {
	__u32 next;   /* expected here, or by the device */
	__u32 rewind; /* 1 << 31 | number to go back to */
	__u64 rewinds;
};

struct state receiver ALIGNED;

__u32 expected; /* by uelink_reflect */
volatile __u32 stop;
__u64 absorbed; /* after stop */

/* A distribution of times: steps of 2^6 ns, then of 2^16 ns. */
#define FINE 8192
#define COARSE 4096

struct times {
	__u64 fine[FINE];
	__u64 coarse[COARSE];
};

struct times rounds ALIGNED; /* of uelink_reflect; of the other far ends, the delays */

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

/* Writes the present time, if there is room for it. */
static __always_inline void stamp(struct xdp_md *ctx)
{
	__u64 *at = (__u64 *)((__u8 *)(long)ctx->data + HEADER_LEN);

	if (stamped && (__u8 *)(at + 1) <= (__u8 *)(long)ctx->data_end)
		*at = bpf_ktime_get_ns();
}

/* Takes the time since the frame left. */
static __always_inline void time_delay(struct xdp_md *ctx, __u32 offset)
{
	__u64 *at = (__u64 *)((__u8 *)(long)ctx->data + offset);

	if (stamped && (__u8 *)(at + 1) <= (__u8 *)(long)ctx->data_end)
		take(&rounds, bpf_ktime_get_ns() - *at);
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
