/* SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause) */
/* The programs of bench.c that send, run by BPF_PROG_TEST_RUN. */

/* Of uelink_spread. */
volatile const __u32 ifindexes[MAX_SPREAD];
volatile const __u32 spread_over; /* how many of them */
volatile const __u32 burst;       /* frames that leave together by one of them */
volatile const __u32 addresses;   /* that the frames of one interface go to; 0: one */
volatile const __u32 announced;   /* frames come from those addresses, and go nowhere else */

/* Of uelink_spread and uelink_sequence: ns between the beginnings of two bursts. It may
 * be changed while nothing is sent. */
volatile __u64 interval;

/* Of uelink_spread, and of uelink_sequence with a rate. */
struct pace {
	__u64 due;    /* when the next burst begins */
	__u64 began;  /* when the first one did */
	__u64 ended;  /* when the last one did */
	__u64 frames; /* sent */
	__u64 late;   /* frames that the window held back, and that found no room to wait */
};

struct pace paced ALIGNED;

/* Of uelink_spread. */
struct {
	__u32 left;     /* of the burst */
	__u32 to;       /* which interface */
	__u32 address;  /* of those of an interface */
} spread ALIGNED;

/* Of uelink_sequence. */
struct {
	__u32 next;
	__u32 idle;
	__u32 held; /* back by the window, and has not caught up yet */
} sender ALIGNED;

__u32 fed ALIGNED;

SEC("xdp")
int uelink_source(struct xdp_md *ctx)
{
	(void)ctx;
	return bpf_redirect(ifindex, 0);
}

/* A late generator sends the frames of no more than the last LATE ns at once: after a time
 * without the CPU it does not flood the forwarder. */
#define LATE 100000

static __always_inline int due(__u64 now)
{
	return now >= paced.due;
}

/* Begins the next burst, which may be up to bound ns late. Returns how many ns it is later
 * than that; the bursts of this time are given up. */
static __always_inline __u64 begin(__u64 now, __u64 bound)
{
	__u64 late = now - paced.due;

	if (!paced.began) {
		paced.began = now;
		paced.due = now;
		late = 0;
	}
	paced.ended = now;
	late = late > bound ? late - bound : 0;
	paced.due += late + interval;
	return late;
}

static __always_inline int begin_burst(void)
{
	__u64 now = bpf_ktime_get_ns();

	if (!due(now))
		return 0;
	begin(now, LATE);
	spread.left = burst;
	spread.to = spread.to + 1 < spread_over ? spread.to + 1 : 0;
	return 1;
}

/* Writes a locally administered address, a different one for each number. */
static __always_inline void put_address(__u8 *at, __u8 first, __u32 number)
{
	at[0] = first;
	at[1] = 0;
	at[2] = number >> 24;
	at[3] = number >> 16;
	at[4] = number >> 8;
	at[5] = number;
}

#define STATION 2 /* first octet of addresses that frames go to */
#define GENERATOR 6

/* Coprime with the numbers of addresses that are asked for: all have their turn, and
 * none comes after its neighbour. */
#define STRIDE 61803

static __always_inline void address(__u8 *frame)
{
	__u32 station = spread.to * addresses + spread.address;

	put_address(frame, STATION, station);
	if (announced)
		put_address(frame + ADDRESS_LEN, STATION, station);
	else
		put_address(frame + ADDRESS_LEN, GENERATOR, spread.to);
	spread.address = (spread.address + STRIDE) % addresses;
}

SEC("xdp")
int uelink_spread(struct xdp_md *ctx)
{
	__u8 *frame = (__u8 *)(long)ctx->data;

	if (frame + HEADER_LEN + 4 > (__u8 *)(long)ctx->data_end)
		return XDP_DROP;
	if (!spread.left && !begin_burst())
		return XDP_DROP;
	spread.left--;
	paced.frames++;
	if (addresses)
		address(frame);
	stamp(ctx);
	return bpf_redirect(ifindexes[spread.to % MAX_SPREAD], 0);
}

/* After this many rounds without an acknowledgement the window is sent again. */
#define PATIENCE (1 << 20)

/* Frames that wait while the window is closed, before the next one is lost. */
#define WAITING 1024

static __always_inline void keep_pace(__u64 now)
{
	if (!sender.held) {
		begin(now, LATE);
	} else {
		if (now - paced.due <= LATE)
			sender.held = 0;
		paced.late += begin(now, WAITING * interval) / interval;
	}
	paced.frames++;
}

SEC("xdp")
int uelink_sequence(struct xdp_md *ctx)
{
	__u8 *frame = (__u8 *)(long)ctx->data;
	__u32 back = *(volatile __u32 *)&receiver.rewind;
	__u32 expects = *(volatile __u32 *)&receiver.next;
	__u64 now = interval ? bpf_ktime_get_ns() : 0;
	__u32 seq;

	if (interval && !due(now))
		return XDP_DROP;
	if (back) {
		receiver.rewind = 0;
		receiver.rewinds++;
		sender.next = back & SEQ_MASK;
	}
	seq = sender.next;
	if (((seq - expects) & SEQ_MASK) >= window) {
		sender.held = 1;
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
	if (interval)
		keep_pace(now);
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
