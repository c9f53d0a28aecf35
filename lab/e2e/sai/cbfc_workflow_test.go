package sai

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// Numbers of the attributes of queues, virtual channels and ports in the workflow of CBFC.
const (
	queueDequeue = 0xf
	queueEnqueue = 0x10

	vcProfile  = 3
	vcReceiver = 4
	vcSender   = 5

	portTotal      = 0xcd
	portTCToQueue  = 0x4c
	portQueueToVC  = 0xd8
	portTCToVC     = 0xd9
	portDot1pDEI   = 0xda
	portQueues     = 5
	portRXSize     = 0xce
	portRXOverhead = 0xcf
	portTXSize     = 0xd1
	portTXOverhead = 0xd2
	portLimit      = 0xd3
)

// Numbers of the statistics of queues.
const (
	queuePackets   = 0
	queueBytes     = 1
	queueDropped   = 2
	queueOccupancy = 24
)

// queue returns a queue of a port.
func (c *client) queue(port string, number int) string {
	c.t.Helper()
	return c.must("get %s %d=objlist", port, portQueues)[number]
}

// edge returns the object of edge0, whose lane is 1.
func (c *client) edge() string {
	c.t.Helper()
	return c.must("get 0x%x 2=objlist", uint64(sai.SwitchOID))[1]
}

// walk is the walk through SAI's workflow of CBFC: A sends to B.
type walk struct {
	*testing.T
	bed.Pair
	a, b         *client
	hostA, hostB *bed.Packets
	vcA, vcB     string // VC 3, of which the workflow is
	number       uint32
	arrived      map[uint32]bool
}

// Frames of the walk: octets without FCS, with a tag, and the credits of one with a size of 256 and an overhead of 64.
const (
	probeOctets = 300
	frameOctets = probeOctets + 4
	frameCost   = 2
)

// The virtual channels of the walk, by their frames' DEI.
const (
	otherVC = 2 // DEI 0
	walkVC  = 3 // DEI 1
)

// send sends frames of priority 1 with a DEI from A's host, and returns their numbers.
func (w *walk) send(dei uint16, frames int) (numbers []uint32) {
	w.Helper()
	for range frames {
		w.number++
		w.hostA.Send(bed.Tag(bed.Probe(w.number, probeOctets), 0x8100, 1<<13|dei<<12))
		numbers = append(numbers, w.number)
	}
	return numbers
}

// read reads the frames that B's host has got.
func (w *walk) read() {
	w.Helper()
	for _, f := range w.hostB.Drain() {
		if len(f) == frameOctets {
			f = append(f[:12:12], f[16:]...)
		}
		if len(f) == probeOctets {
			w.arrived[bed.ProbeNumber(f)] = true
		}
	}
}

// came waits until frames have arrived at B's host.
func (w *walk) came(numbers []uint32) {
	w.Helper()
	bed.Eventually(w.T, "frames at the other host", func() string {
		w.read()
		missing := 0
		for _, n := range numbers {
			if !w.arrived[n] {
				missing++
			}
		}
		if missing > 0 {
			return fmt.Sprintf("%d of %d are missing", missing, len(numbers))
		}
		return ""
	})
}

// none demands that none of these frames has arrived at B's host.
func (w *walk) none(name string, numbers []uint32) {
	w.Helper()
	w.read()
	for _, n := range numbers {
		if w.arrived[n] {
			w.Errorf("%s: frame %d has arrived", name, n)
		}
	}
}

// counts demands statistics of an object: name is the step.
func (w *walk) counts(step string, c *client, oid, ids string, want ...uint64) {
	w.Helper()
	bed.Eventually(w.T, "step "+step, func() string {
		if got := strings.Join(c.must("stats %s 1 %s", oid, ids), " "); got != strings.Trim(fmt.Sprint(want), "[]") {
			return fmt.Sprintf("statistics %s are %s, want %v", ids, got, want)
		}
		return ""
	})
}

// received returns how many frames have left B by the queue of its edge for the class of a virtual channel.
func (w *walk) received(vc int) uint64 {
	w.Helper()
	return w.b.stats(sai.StatRead, w.b.queue(w.b.edge(), vc), queuePackets)[0]
}

// TestCBFCWorkflow walks the 26 steps of SAI's workflow of CBFC (doc/CBFC beside its headers) at both ends of a link,
// and frames show what each step does on the wire.
func TestCBFCWorkflow(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	s := bed.Settings{Profile: bed.Lossless.Profile, Link: "vcs: 2, " +
		"cbfc: {mode: static, total_credits: 600, vcs: [{index: 1, lossless: true}]}"}
	w := &walk{T: t, Pair: bed.Pair{A: bed.NewDaemon(t, top.A, "A", s), B: bed.NewDaemon(t, top.B, "B", s)},
		arrived: map[uint32]bool{}}
	w.Start()
	program := compile(t, "testdata/driver.c")
	w.a, w.b = attach(t, program, w.A), attach(t, program, w.B)
	w.hostA = bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	w.hostB = bed.Open(t, top.HostB, "eth0", unix.ETH_P_ALL)
	w.capabilities()
	w.initialize()
	w.lossless()
	w.remove()
	w.NoFlush(t)
}

// capabilities asks what can be done, before the first step.
func (w *walk) capabilities() {
	w.Helper()
	if got := w.a.must("capability %d 0", sai.TypeVC); strings.Join(got, " ") != "1 0 1" {
		w.Errorf("cap: a port of a virtual channel can %v", got)
	}
	if status, rest := w.a.call("modes %d 2", sai.TypePort); status != -8 || len(rest) == 0 || rest[0] == "2" {
		w.Errorf("cap: statistics in room for 2: %d %v", status, rest)
	}
	if got := w.a.must("enum %d 2", sai.TypeCreditProfile); strings.Join(got, " ") != "0 1" {
		w.Errorf("cap: the threshold modes are %v", got)
	}
}

// initialize is the steps I1 to I10.
func (w *walk) initialize() {
	w.Helper()
	for _, c := range []*client{w.a, w.b} {
		link := c.link()
		got := c.get(link, 0xcb, sai.U16) + " " + c.get(link, 0xcc, sai.S16) + " " + c.get(link, portTotal, sai.U16)
		if got != "2048 0 600" { // I1
			w.Errorf("I1: the native size, overhead and total are %s", got)
		}
		if got := c.get(link, 0xd0, sai.U16List); !strings.Contains(got, " 256 ") { // I2
			w.Errorf("I2: the supported sizes are %s", got)
		}
		c.must("set %s %d=s16:64", link, portTXOverhead)                                                 // I3
		c.must("set %s %d=s16:64", link, portRXOverhead)                                                 // I4
		c.must("set %s %d=u16:256", link, portTXSize)                                                    // I5
		c.must("set %s %d=u16:256", link, portRXSize)                                                    // I6
		c.must("set %s %d=u32:600", link, portLimit)                                                     // I7
		vc := c.create(sai.TypeVC, "0=oid:"+link, fmt.Sprintf("1=u8:%d", walkVC), "3=oid:0", "5=bool:0") // I8
		if c == w.a {
			w.vcA = vc
		} else {
			w.vcB = vc
		}
	}
	w.came(w.send(1, 5))
	w.counts("I8", w.a, w.vcA, "0 1 2", 0, 0, 0)
	w.counts("I8", w.b, w.vcB, "4 5", 0, 0)

	// I9: priority 1 has class 2, with DEI class 3; the queues of the link are the channels of the same numbers.
	toTC := w.a.create(sai.TypeQoSMap, "0=s32:15", fmt.Sprintf("1=qosmap:15/2>%d,3>%d", otherVC, walkVC))
	toVC := w.a.create(sai.TypeQoSMap, "0=s32:17", "1=qosmap:17/2>2,3>3")
	w.a.must("set %s %d=oid:%s", w.a.edge(), portDot1pDEI, toTC)
	w.a.must("set %s %d=oid:%s", w.a.link(), portQueueToVC, toVC)
	if got := w.a.get(toTC, 1, sai.MapList) + ", " + w.a.get(toVC, 1, sai.MapList); got != "1>2 1+dei>3, 2>2 3>3" {
		w.Errorf("I9: the maps are %s", got)
	}
	w.a.refused(-0x20000, "set %s 1=qosmap:17/2>32", toVC)
	w.mapped("I9")
	w.a.must("set %s 1=qosmap:17/2>3,3>2", toVC)
	before := w.received(otherVC)
	w.came(w.send(1, 4)) // class 3, queue 3, and by the changed map VC 2
	if n := w.received(otherVC) - before; n != 4 {
		w.Errorf("I9: by the changed map %d of 4 frames are of VC %d", n, otherVC)
	}
	w.a.must("set %s %d=oid:0", w.a.link(), portQueueToVC)

	byClass := w.a.create(sai.TypeQoSMap, "0=s32:16", "1=qosmap:16/2>2,3>3") // I10
	w.a.must("set %s %d=oid:%s", w.a.link(), portTCToVC, byClass)
	w.mapped("I10")
}

// mapped demands that frames with and without DEI go by their channels, as the sender and the receiver count.
func (w *walk) mapped(step string) {
	w.Helper()
	const frames = 20
	for dei, vc := range []int{otherVC, walkVC} {
		queue, received := w.a.queue(w.a.link(), vc), w.received(vc)
		sent := w.a.stats(sai.StatRead, queue, queuePackets, queueBytes)
		w.came(w.send(uint16(dei), frames))
		w.counts(step, w.a, queue, "0 1", sent[0]+frames, sent[1]+frames*frameOctets)
		if n := w.received(vc) - received; n != frames {
			w.Errorf("%s: the receiver counts %d frames of VC %d, want %d", step, n, vc, frames)
		}
	}
}

// bestEffort waits until channel 3 has no credits at a daemon, which then sends no CF_Update and no CC_Update of it.
func (w *walk) bestEffort(step string, d *bed.Daemon) {
	w.Helper()
	bed.Eventually(w.T, step+": best effort", func() string {
		for _, v := range d.Credits().VCs { // of the channels that have credits
			if v.VC == walkVC {
				return v.Phase
			}
		}
		return ""
	})
}

// lossless is the steps L1 to L8: channel 3 comes under credits.
func (w *walk) lossless() {
	w.Helper()
	w.b.must("set %s %d=bool:0", w.vcB, vcReceiver) // L1
	w.came(w.send(1, 10))
	w.bestEffort("L1", w.B)
	w.b.must("clear %s 4 5", w.vcB) // L2
	w.counts("L2", w.b, w.vcB, "4 5", 0, 0)

	queue := w.a.queue(w.a.link(), walkVC)
	w.a.must("set %s %d=bool:0", queue, queueDequeue) // L3
	waiting := w.send(1, 30)
	w.counts("L3", w.a, queue, fmt.Sprint(queueDropped, queueOccupancy), 0, 30*frameOctets)
	w.came(w.send(0, 300))
	w.none("L3", waiting)
	if a := w.A.Tool("status"); !strings.Contains(a.Stdout, "a client of SAI has stopped queue 3") {
		w.Errorf("L3: uelink status: %s", a.Stdout)
	}
	w.a.must("clear %s 0 1 2", w.vcA) // L4
	w.counts("L4", w.a, w.vcA, "0 1 2", 0, 0, 0)

	for _, c := range []*client{w.a, w.b} { // L5
		pool := c.create(sai.TypeCreditPool, "0=oid:"+c.link(), "1=u64:600")
		c.refused(-0x20001, "create %d 0=oid:%s 1=u64:32768", sai.TypeCreditPool, c.link())
		c.refused(-0x20002, "create %d 0=oid:%s 1=u64:20 2=s32:2 3=s8:0", sai.TypeCreditProfile, pool)
		c.create(sai.TypeCreditProfile, "0=oid:0", "1=u64:20")
		profile := c.create(sai.TypeCreditProfile, "0=oid:"+pool, "1=u64:20", "2=s32:1", "4=u64:0")
		c.must("set %s %d=oid:%s", map[*client]string{w.a: w.vcA, w.b: w.vcB}[c], vcProfile, profile)
	}
	w.b.must("set %s %d=bool:1", w.vcB, vcReceiver) // L6
	w.a.must("set %s %d=bool:1", w.vcA, vcSender)   // L7
	lossless(w.A, walkVC)
	w.counts("L7", w.a, w.vcA, "0 1 2", 0, 0, 0)
	w.counts("L7", w.b, w.vcB, "4 5", 0, 0)
	w.none("L7", waiting)
	w.b.refused(-0x11, "clear %s 4 5", w.vcB)
	w.a.refused(-0x11, "clear %s 0 1 2", w.vcA)

	w.a.must("set %s %d=bool:1", queue, queueDequeue) // L8
	w.came(waiting)
	const credits = 30 * frameCost
	w.counts("L8", w.a, w.vcA, "0 1 2", 0, credits, credits)
	w.counts("L8", w.b, w.vcB, "4 5", credits, credits)
}

// remove is the steps R1 to R6: channel 3 leaves its credits.
func (w *walk) remove() {
	w.Helper()
	queue := w.a.queue(w.a.link(), walkVC)
	w.a.must("set %s %d=bool:0", queue, queueDequeue)
	waiting := w.send(1, 10)
	w.counts("R1", w.a, queue, fmt.Sprint(queueOccupancy), 10*frameOctets)
	w.a.must("set %s %d=bool:0", queue, queueEnqueue) // R1
	w.a.must("set %s %d=bool:1", queue, queueDequeue)
	lost := w.send(1, 7)
	w.counts("R1", w.a, queue, fmt.Sprint(queueDropped), 7)
	if n := w.A.Link().Counters.TxDropQueueClosed; n != 7 {
		w.Errorf("R1: the port has dropped %d frames", n)
	}
	w.came(waiting)
	w.none("R1", lost)
	w.counts("R2", w.a, queue, fmt.Sprint(queueOccupancy), 0) // R2
	w.counts("R2", w.a, w.vcA, "0 1", 0, 40*frameCost)

	w.a.must("set %s %d=bool:0", w.vcA, vcSender) // R3
	w.bestEffort("R3", w.A)
	w.a.must("set %s %d=oid:0", w.vcA, vcProfile)      // R4
	w.a.must("set %s %d=u32:0", w.a.link(), portLimit) // R4
	w.b.must("set %s %d=bool:0", w.vcB, vcReceiver)    // R5
	w.a.must("set %s %d=bool:1", queue, queueEnqueue)  // R6
	w.bestEffort("R5", w.B)
	w.came(w.send(1, 20))
	w.counts("R6", w.a, w.vcA, "0 1 2", 0, 0, 0)
	w.counts("R6", w.b, w.vcB, "4 5", 0, 0)
	w.a.must("remove %s", w.vcA)
	w.a.refused(-2, "remove %s", queue)
	w.a.refused(-2, "create %d", sai.TypeQueue)
}
