/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The programs of bench.c that number frames, and check the numbers. */

/* A frame is a header and then words: its number, and words made of number and place. */
#define WORD 8
#define MAX_WORDS 32
#define MIX 0x9E3779B97F4A7C15ULL

__u64 numbered ALIGNED; /* frames that uelink_number has sent */

/* Of uelink_check. */
struct arrivals {
	__u64 next;    /* number of the next frame */
	__u64 missing; /* numbers that were passed over */
	__u64 behind;  /* frames with a number below next: twice, or out of order */
	__u64 damaged; /* frames with a wrong word or length */
	__u64 last;    /* time of the latest frame, ns */
	__u64 gap;     /* longest time between two frames since the loader has changed span, ns */
	__u32 span;    /* in which gap was measured */
	__u32 octets;  /* of the first frame */
};

struct arrivals arrivals ALIGNED;

volatile __u32 span ALIGNED;

static __always_inline __u64 word_of(__u64 number, __u32 at)
{
	return (number + at) * MIX;
}

SEC("xdp")
int uelink_number(struct xdp_md *ctx)
{
	__u8 *frame = (__u8 *)(long)ctx->data;
	__u8 *end = (__u8 *)(long)ctx->data_end;
	__u64 *words = (__u64 *)(frame + HEADER_LEN);
	__u64 number = numbered;

	/* The program is on the loopback interface, too, whose frames are others. */
	if ((__u8 *)(words + 1) > end || ethertype(frame) != ETHERTYPE_PROBE)
		return XDP_PASS;
	words[0] = number;
	for (__u32 i = 1; i < MAX_WORDS; i++) {
		if ((__u8 *)(words + i + 1) > end)
			break;
		words[i] = word_of(number, i);
	}
	numbered = number + 1;
	return bpf_redirect(ifindex, 0);
}

static __always_inline int damaged(struct xdp_md *ctx, __u64 *words)
{
	__u8 *end = (__u8 *)(long)ctx->data_end;
	__u32 octets = ctx->data_end - ctx->data;

	if (!arrivals.octets)
		arrivals.octets = octets;
	if (arrivals.octets != octets)
		return 1;
	for (__u32 i = 1; i < MAX_WORDS; i++) {
		if ((__u8 *)(words + i + 1) > end)
			break;
		if (words[i] != word_of(words[0], i))
			return 1;
	}
	return 0;
}

static __always_inline void measure_gap(__u64 now)
{
	if (arrivals.span != span) {
		arrivals.span = span;
		arrivals.gap = 0;
	}
	if (arrivals.last && now - arrivals.last > arrivals.gap)
		arrivals.gap = now - arrivals.last;
	arrivals.last = now;
}

SEC("xdp")
int uelink_check(struct xdp_md *ctx)
{
	__u8 *frame = (__u8 *)(long)ctx->data;
	__u64 *words = (__u64 *)(frame + HEADER_LEN);
	__u64 number;

	if ((__u8 *)(words + 1) > (__u8 *)(long)ctx->data_end || ethertype(frame) != ETHERTYPE_PROBE)
		return XDP_PASS;
	count(ctx);
	measure_gap(bpf_ktime_get_ns());
	if (damaged(ctx, words)) {
		arrivals.damaged++;
		return XDP_DROP;
	}
	number = words[0];
	if (number < arrivals.next) {
		arrivals.behind++;
		return XDP_DROP;
	}
	arrivals.missing += number - arrivals.next;
	arrivals.next = number + 1;
	return XDP_DROP;
}
