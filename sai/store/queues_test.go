package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/lab/simulated"
	"uelink/sai"
)

// queueListID is SAI_PORT_ATTR_QOS_QUEUE_LIST.
const queueListID = 0x5

// queue returns the object of a queue of a port.
func (b *bed) queue(port string, queue int) sai.OID {
	b.t.Helper()
	list := b.get(b.oid(sai.TypePort, port), queueListID).OIDs
	if queue >= len(list) {
		b.t.Fatalf("%s has %d queues", port, len(list))
	}
	return list[queue]
}

// stops returns the stopped and the closed queues of a port, by its settings in force.
func (b *bed) stops(port string) model.QueueStops { return b.plane.port(port).Stops }

// Each port has a queue object for each of its queues, under ids that are the same in every process. They are listed,
// cannot be made or removed, and grow in number with the channels of a link.
func TestQueuesOfEveryPort(t *testing.T) {
	a, b := newBed(t), newBed(t)
	seen := map[sai.OID]bool{}
	for port, want := range map[string]int{"link0": 1, "link1": 2, "edge0": 8} {
		oid := a.oid(sai.TypePort, port)
		list := a.get(oid, queueListID).OIDs
		if n := a.get(oid, 0x4).Number; len(list) != want || int(n) != want {
			t.Errorf("%s: %d queues, and the number is %d, want %d", port, len(list), n, want)
		}
		if !slices.Equal(list, b.get(oid, queueListID).OIDs) {
			t.Errorf("%s has other queues in another process", port)
		}
		for i, q := range list {
			seen[q] = true
			if q.Type() != sai.TypeQueue || a.get(q, queuePort).OID != oid || a.get(q, 0x3).OID != oid ||
				a.get(q, queueIndex).Number != int64(i) || a.get(q, queueType).Number != 0 ||
				a.get(q, queueDequeue).Number != 1 ||
				a.get(q, queueEnqueue).Number != 1 || a.get(q, queuePause).Number != 0 {
				t.Errorf("queue %d of %s reads otherwise", i, port)
			}
		}
	}
	if all := a.OIDs(sai.TypeQueue); len(all) != 11 || len(seen) != 11 || !slices.IsSorted(all) ||
		a.Room(sai.TypeQueue) != 0 {
		t.Errorf("%d queues are listed, room for %d", len(all), a.Room(sai.TypeQueue))
	}
	link := a.oid(sai.TypePort, "link1")
	a.make(sai.TypeVC, attr(vcPort, sai.Value{OID: link}), attr(vcIndex, number(5)))
	if n := len(a.get(link, queueListID).OIDs); n != 6 {
		t.Errorf("a link with VC 5 has %d queues", n)
	}
	vc := a.OIDs(sai.TypeVC)
	a.set(a.queue("link1", 5), queueDequeue, sai.Value{})
	if err := a.Remove(vc[len(vc)-1]); err != nil || a.stops("link1") != (model.QueueStops{}) {
		t.Errorf("a queue that the link has lost: %+v, %v", a.stops("link1"), err)
	}
	a.refused("remove", a.Remove(a.queue("edge0", 0)), sai.NotSupported)
	_, err := a.Get(queueOID(link, 6), []uint32{queueIndex})
	a.refused("a queue that the link lacks", err, sai.InvalidObjectID)
	_, err = a.Get(queueOID(0, 0), []uint32{queueIndex})
	a.refused("a queue of no port", err, sai.InvalidObjectID)
}

// A queue is stopped or closed until it is enabled again, its client detaches, or its client has been gone for a while.
func TestStopsEndWithTheirClient(t *testing.T) {
	b := newBed(t)
	edge, link := b.queue("edge0", 2), b.queue("link1", 1)
	stop := func(client string, oid sai.OID, id uint32, on bool) {
		t.Helper()
		if err := b.SetFor(client, oid, attr(id, truth(on))); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, edge, link model.QueueStops) {
		t.Helper()
		if e, l := b.stops("edge0"), b.stops("link1"); e != edge || l != link {
			t.Errorf("%s: edge %+v, link %+v", what, e, l)
		}
	}
	stop("x", edge, queueDequeue, false)
	stop("y", link, queueEnqueue, false)
	stop("y", link, queueDequeue, false)
	want("stopped", model.QueueStops{Stopped: 4}, model.QueueStops{Stopped: 2, Closed: 2})
	stop("z", link, queueDequeue, true)
	want("one enabled by another client", model.QueueStops{Stopped: 4}, model.QueueStops{Closed: 2})
	stop("w", link, queueDequeue, false)
	stop("w", link, queueDequeue, true)
	if b.holds("w") {
		t.Error("a client whose queue works again holds it")
	}
	b.set(b.oid(sai.TypePort, "link0"), portCCTimer, number(7))
	b.reload(func(*dataplane.Settings) {})
	want("a reload", model.QueueStops{Stopped: 4}, model.QueueStops{Closed: 2})
	b.Detach("x")
	want("x detached", model.QueueStops{}, model.QueueStops{Closed: 2})
	if n := b.get(edge, queueDequeue).Number + b.get(link, queueEnqueue).Number; n != 1 {
		t.Error("the attributes do not show it")
	}
	b.plane.refuse = errors.New("no")
	b.Detach("y")
	want("refused by the data plane", model.QueueStops{}, model.QueueStops{Closed: 2})
	if b.clients.timers["y"] == nil {
		t.Error("a refused end is not tried again")
	}
	b.Detach("y")
	want("y detached", model.QueueStops{}, model.QueueStops{})
	for _, o := range b.Objects() {
		if o.Type == sai.TypeQueue {
			t.Errorf("%s is left", o.Name)
		}
	}
	b.plane.refuse = errors.New("no")
	b.refused("stop", b.SetFor("x", edge, attr(queueDequeue, sai.Value{})), sai.Failure)
	if b.get(edge, queueDequeue).Number != 1 {
		t.Error("a refused stop is read")
	}
}

// gone waits until no value of a client is left.
func (b *bed) gone(what string, stops func() model.QueueStops) {
	b.t.Helper()
	for end := time.Now().Add(10 * time.Second); stops() != (model.QueueStops{}); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("%s: %+v", what, stops())
		}
	}
}

// A client lives while a stream is open: the queue of a client without one, and of one whose last stream has ended,
// opens after the time of grace, also in another process. A client that is back in time keeps its stop.
func TestClientThatIsGone(t *testing.T) {
	b := newBed(t)
	b.clients.grace = time.Millisecond
	stops := func() model.QueueStops { return b.stops("edge0") }
	stop := func(client string) {
		t.Helper()
		if err := b.SetFor(client, b.queue("edge0", 2), attr(queueDequeue, sai.Value{})); err != nil {
			t.Fatal(err)
		}
	}
	stop("")
	b.gone("a client without a name", stops)
	b.Enter("idle")()
	leave, again := b.Enter("x"), b.Enter("x")
	stop("x")
	if len(b.clients.timers) != 0 {
		t.Errorf("%d clients are waited for: x has a stream, and the other one no value", len(b.clients.timers))
	}
	b.clients.timers["x"] = time.AfterFunc(time.Hour, func() {})
	b.clients.expired("x") // its stream was opened meanwhile
	if stops().Stopped != 4 {
		t.Error("a client with a stream has expired")
	}
	leave()
	time.Sleep(5 * time.Millisecond)
	if stops().Stopped != 4 {
		t.Error("a client with a stream counts as gone")
	}
	again()
	b.gone("a client whose streams have ended", stops)

	b.clients.grace = time.Hour
	leave = b.Enter("x")
	stop("x")
	leave()
	if b.clients.timers["x"] == nil {
		t.Error("nobody waits for the end of x")
	}
	leave = b.Enter("x")
	if len(b.clients.timers) != 0 || stops().Stopped != 4 {
		t.Error("a client that is back counts as gone")
	}
	after := b.another()
	if got := after.stops("edge0"); got.Stopped != 4 || after.clients.timers["x"] == nil {
		t.Errorf("in another process: %+v, %d timers", got, len(after.clients.timers))
	}
	after.Enter("x")
	if len(after.clients.timers) != 0 {
		t.Error("in another process a client that is back counts as gone")
	}
	leave()
	b.clients.expired("x")
	if stops() != (model.QueueStops{}) || len(b.clients.streams) != 0 {
		t.Errorf("%+v, streams %v", stops(), b.clients.streams)
	}
}

// A port that goes takes its stopped queues along.
func TestQueueOfAPortThatGoes(t *testing.T) {
	b := newBed(t)
	oid := b.queue("edge0", 2)
	b.set(oid, queueDequeue, sai.Value{})
	b.reload(func(s *dataplane.Settings) { s.Ports = s.Ports[:2] })
	_, err := b.Get(oid, []uint32{queueDequeue})
	b.refused("a queue of a port that is gone", err, sai.InvalidObjectID)
}

// PAUSE_STATUS is PFC of the host.
func TestPauseStatusOfAQueue(t *testing.T) {
	b := newBed(t)
	b.plane.mu.Lock()
	b.plane.ports[2].PFC = &model.PFCState{Stopped: 1 << 3}
	b.plane.mu.Unlock()
	if b.get(b.queue("edge0", 3), queuePause).Number != 1 || b.get(b.queue("edge0", 2), queuePause).Number != 0 {
		t.Error("PAUSE_STATUS is not what PFC says")
	}
}

// TestQueuesAct: DEQUEUE off holds the frames of a channel back and no others, ENQUEUE off drops new ones; the
// statistics count both, and what waits leaves when the queue is open again.
func TestQueuesAct(t *testing.T) {
	w, _, _ := credited(t, plain)
	slow, free := w.a.queue("link0", slowVC), w.a.queue("link0", freeVC)
	w.a.set(slow, queueDequeue, sai.Value{})
	held := w.slow(40)
	w.Begin(held)
	w.carried(w.free(300))
	w.Run(20*time.Millisecond, held)
	counts := func(oid sai.OID) string {
		w.t.Helper()
		text := ""
		for _, name := range []string{"PACKETS", "BYTES", "DROPPED_PACKETS", "DROPPED_BYTES", "CURR_OCCUPANCY_BYTES"} {
			text += fmt.Sprint(w.a.stat(oid, name), " ")
		}
		return text
	}
	const octets = simulatedSize
	if held.Sent != 40 || held.Delivered != 0 ||
		counts(slow) != fmt.Sprint(0, " ", 0, " ", 0, " ", 0, " ", 40*octets, " ") {
		t.Errorf("stopped: %d of %d frames arrived; %s", held.Delivered, held.Sent, counts(slow))
	}
	if got := counts(free); got != fmt.Sprint(300, " ", 300*octets, " ", 0, " ", 0, " ", 0, " ") {
		t.Errorf("the other queue: %s", got)
	}
	w.a.set(slow, queueEnqueue, sai.Value{})
	w.a.set(slow, queueDequeue, truth(true))
	w.Resume(held)
	if !w.WaitIdle() || held.Delivered != 40 || w.a.stat(slow, "WATERMARK_BYTES") != 40*octets {
		t.Errorf("closed: %d of 40 waiting frames arrived", held.Delivered)
	}
	lost := w.slow(25)
	w.Begin(lost)
	w.Run(20*time.Millisecond, lost)
	if lost.Delivered != 0 || counts(slow) != fmt.Sprint(40, " ", 40*octets, " ", 25, " ", 25*octets, " ", 0, " ") {
		t.Errorf("closed: %d new frames arrived; %s", lost.Delivered, counts(slow))
	}
	w.a.set(slow, queueEnqueue, truth(true))
	w.carried(w.slow(30))
}

// simulatedSize is the octets of a frame of these streams, without FCS.
const simulatedSize = 996

// TestPriorityAndDEIMapActs: frames have the class of DOT1P_DEI_TO_TC, by both. Of this map and DOT1P_TO_TC the last
// set acts, and null of the acting one ends it.
func TestPriorityAndDEIMapActs(t *testing.T) {
	w, slow, free := credited(t, plain)
	moved := w.movedBy(slow[0], free[0])
	w.a.set(w.a.edge, portDSCP, sai.Value{})
	tagged := func(dei bool) *simulated.Stream {
		s := w.stream(50)
		s.Tagged, s.PCP, s.DEI = true, 6, dei
		return s
	}
	dei := w.a.make(sai.TypeQoSMap, attr(mapType, number(mapDot1pDEI)),
		attr(mapList, sai.Value{Map: []sai.Pair{pair(6<<1, 1), pair(6<<1|1, 2)}}))
	w.a.set(w.a.edge, portDot1pDEI, sai.Value{OID: dei})
	moved("PCP 6", tagged(false), 50, 0)
	moved("PCP 6, DEI", tagged(true), 0, 50)
	dot1p := w.a.make(sai.TypeQoSMap, attr(mapType, number(mapDot1p)),
		attr(mapList, sai.Value{Map: []sai.Pair{pair(6, 2)}}))
	w.a.set(w.a.edge, portDot1p, sai.Value{OID: dot1p})
	moved("the map without DEI", tagged(false), 0, 50)
	if w.a.get(w.a.edge, portDot1pDEI).OID != 0 {
		t.Error("both maps act")
	}
	w.a.set(w.a.edge, portDot1pDEI, sai.Value{})
	moved("null of the map that does not act", tagged(false), 0, 50)
	w.a.set(w.a.edge, portDot1pDEI, sai.Value{OID: dei})
	moved("the map with DEI again", tagged(false), 50, 0)
	if w.a.get(w.a.edge, portDot1p).OID != 0 {
		t.Error("both maps act")
	}
	w.a.set(dei, mapList, sai.Value{Map: []sai.Pair{pair(6<<1|1, 1)}})
	moved("a missing key is class 0", tagged(false), 0, 0)
	moved("a changed map", tagged(true), 50, 0)
	w.a.set(w.a.edge, portDot1pDEI, sai.Value{})
	moved("null", tagged(true), 0, 0)
}

// movedBy returns a function that carries a stream and demands how many of its frames went by the two channels.
func (w *world) movedBy(slow, free sai.OID) func(what string, s *simulated.Stream, slowly, freely uint64) {
	counts := func() [2]uint64 {
		w.WaitIdle()
		return [2]uint64{w.a.stat(slow, "SENDER_CREDITS_CONSUMED"), w.a.stat(free, "SENDER_CREDITS_CONSUMED")}
	}
	return func(what string, s *simulated.Stream, slowly, freely uint64) {
		w.t.Helper()
		before := counts()
		w.carried(s)
		after := counts()
		if after[0]-before[0] != slowly || after[1]-before[1] != freely {
			w.t.Errorf("%s: %v frames by the two channels before, %v after, want %d and %d more", what, before, after,
				slowly,
				freely)
		}
	}
}

// TestQueueToVCActs: frames go by the channel of QUEUE_TO_VC, whose queue is that of TC_TO_QUEUE, and without it the
// number of the class; null gives them to TC_TO_VC again.
func TestQueueToVCActs(t *testing.T) {
	w, slow, free := credited(t, plain)
	moved := w.movedBy(slow[0], free[0])
	moved("TC_TO_VC", w.slow(50), 50, 0)
	toVC := w.a.make(sai.TypeQoSMap, attr(mapType, number(mapQueueToVC)),
		attr(mapList, sai.Value{Map: []sai.Pair{pair(1, freeVC), pair(7, slowVC)}}))
	w.a.set(w.a.link, portQueueToVC, sai.Value{OID: toVC})
	moved("queue 1 of class 1", w.slow(50), 0, 50)
	moved("a queue without a channel: VC 0", w.free(50), 0, 0)
	toQueue := w.a.make(sai.TypeQoSMap, attr(mapType, number(mapTCToQueue)),
		attr(mapList, sai.Value{Map: []sai.Pair{pair(1, 7), pair(2, 1)}}))
	w.a.set(w.a.link, portTCToQueue, sai.Value{OID: toQueue})
	moved("queue 7 of class 1", w.slow(50), 50, 0)
	moved("queue 1 of class 2", w.free(50), 0, 50)
	w.a.set(toQueue, mapList, sai.Value{Map: []sai.Pair{pair(1, 7)}})
	moved("class 2 without a queue: queue 0, and VC 0", w.free(50), 0, 0)
	w.a.set(toQueue, mapList, sai.Value{Map: []sai.Pair{pair(1, 7), pair(2, 1)}})
	if w.a.get(w.a.link, portTCToVC).OID == 0 {
		t.Error("TC_TO_VC does not read back")
	}
	w.a.set(toVC, mapList, sai.Value{Map: []sai.Pair{pair(7, freeVC)}})
	moved("a changed map", w.slow(50), 0, 50)
	w.a.set(w.a.link, portQueueToVC, sai.Value{})
	moved("TC_TO_VC again", w.slow(50), 50, 0)
	moved("TC_TO_VC again", w.free(50), 0, 50)
}

// TestQueuesOfAnEdgeAct: frames leave an edge by the queue that TC_TO_QUEUE has for their class; without a map by that
// of the same number.
func TestQueuesOfAnEdgeAct(t *testing.T) {
	w, _, _ := credited(t, plain)
	left := func(what string, want ...uint64) {
		t.Helper()
		w.carried(w.slow(50))
		for queue, n := range want {
			if got := w.b.stat(w.b.queue("edge0", queue), "PACKETS"); got != n {
				t.Errorf("%s: %d frames have left by queue %d, want %d", what, got, queue, n)
			}
		}
	}
	left("the queue of the configuration", 0, 0, 0, 50, 0, 0, 0, 0)
	toQueue := w.b.make(sai.TypeQoSMap, attr(mapType, number(mapTCToQueue)),
		attr(mapList, sai.Value{Map: []sai.Pair{pair(slowVC, 6)}}))
	w.b.set(w.b.edge, portTCToQueue, sai.Value{OID: toQueue})
	left("a map", 0, 0, 0, 50, 0, 0, 50, 0)
	w.b.set(toQueue, mapList, sai.Value{Map: []sai.Pair{pair(slowVC, 1)}})
	left("another value of the map", 0, 50, 0, 50, 0, 0, 50, 0)
	w.b.set(w.b.edge, portTCToQueue, sai.Value{})
	left("without a map", 0, 50, 0, 100, 0, 0, 50, 0)
}

// A QUEUE_TO_VC gives the link the channels that it names. A queue that an edge lacks is refused, in a map that it gets
// and in one that it has; without a map each class has the queue of its number.
func TestTCToQueueOfAnEdge(t *testing.T) {
	b := newBed(t)
	edge, link := b.oid(sai.TypePort, "edge0"), b.oid(sai.TypePort, "link0")
	toVC := b.make(sai.TypeQoSMap, attr(mapType, number(mapQueueToVC)),
		attr(mapList, sai.Value{Map: []sai.Pair{pair(31, 31)}}))
	b.set(link, portQueueToVC, sai.Value{OID: toVC})
	if p := b.plane.port("link0"); p.VCs != 32 || p.QoS.Queue[31] != 31 || p.QoS.Queue[30] != 0 {
		t.Errorf("%d channels, class 31 on VC %d", p.VCs, p.QoS.Queue[31])
	}
	own := b.get(edge, portTCToQueue).OID
	big := b.make(sai.TypeQoSMap, attr(mapType, number(mapTCToQueue)),
		attr(mapList, sai.Value{Map: []sai.Pair{pair(1, 8)}}))
	b.refused("queue 8 of an edge", b.SetAttribute(edge, attr(portTCToQueue, sai.Value{OID: big})), invalidValue)
	b.set(link, portTCToQueue, sai.Value{OID: big})
	b.set(big, mapList, sai.Value{Map: []sai.Pair{pair(1, 31), pair(2, 5)}})
	b.refused("in the map of the configuration", b.SetAttribute(own,
		attr(mapList, sai.Value{Map: []sai.Pair{pair(1, 8)}})), invalidValue)
	b.set(big, mapList, sai.Value{Map: []sai.Pair{pair(1, 7), pair(2, 5)}})
	b.set(edge, portTCToQueue, sai.Value{OID: big})
	if m := b.plane.port("edge0").QoS.Queue; m[1] != 7 || m[2] != 5 || m[3] != 0 {
		t.Errorf("the queues are %v", m)
	}
	b.refused("queue 9 of a map in use", b.SetAttribute(big, attr(mapList, sai.Value{Map: []sai.Pair{pair(1, 9)}})),
		invalidValue)
	b.set(edge, portTCToQueue, sai.Value{})
	if m := b.plane.port("edge0").QoS.Queue; m != sameQueue(8) {
		t.Errorf("without a map the queues are %v", m)
	}
	for of, key := range map[int64]uint8{mapDot1pDEI: 16, mapTCToQueue: 32, mapQueueToVC: 32} {
		_, err := b.Create(sai.TypeQoSMap, []sai.Set{attr(mapType, number(of)),
			attr(mapList, sai.Value{Map: []sai.Pair{pair(key, 1)}})}, false)
		b.refused(fmt.Sprintf("key %d of a map of type %d", key, of), err, invalidValue.At(1))
		_, err = b.Create(sai.TypeQoSMap, []sai.Set{attr(mapType, number(of)),
			attr(mapList, sai.Value{Map: []sai.Pair{pair(key-1, 32)}})}, false)
		b.refused(fmt.Sprintf("value 32 of a map of type %d", of), err, invalidValue.At(1))
		other := b.make(sai.TypeQoSMap, attr(mapType, number(mapDSCP)), attr(mapList, sai.Value{}))
		id := map[int64]uint32{mapDot1pDEI: portDot1pDEI, mapTCToQueue: portTCToQueue, mapQueueToVC: portQueueToVC}[of]
		b.refused("a map of another type", b.SetAttribute(link, attr(id, sai.Value{OID: other})), invalidValue)
	}
}

// TestClearOfCounts: while a direction of a channel is off, its counts are cleared and read 0; while it is on, they are
// in use, and nothing is cleared. A watermark and other objects are not cleared by the daemon.
func TestClearOfCounts(t *testing.T) {
	w, slow, _ := credited(t, plain)
	w.carried(w.slow(50))
	w.WaitIdle()
	sender, receiver := []uint32{0, 1, 2}, []uint32{4, 5}
	clear := func(what string, e simulatedEnd, oid sai.OID, ids []uint32, want sai.Status) {
		t.Helper()
		e.refused(what, e.Clear(oid, ids), want)
	}
	clear("sender on", w.a, slow[0], sender, sai.ObjectInUse)
	clear("receiver on", w.b, slow[1], receiver, sai.ObjectInUse)
	if n := w.a.stat(slow[0], "SENDER_CREDITS_CONSUMED"); n != 50 {
		t.Errorf("a refused clear leaves %d", n)
	}
	w.a.set(slow[0], vcSender, truth(false))
	clear("sender off", w.a, slow[0], sender, sai.Success)
	clear("its receiver on", w.a, slow[0], append(sender, receiver...), sai.ObjectInUse)
	for _, name := range []string{"USED", "CONSUMED", "FREED"} {
		if n := w.a.stat(slow[0], "SENDER_CREDITS_"+name); n != 0 {
			t.Errorf("SENDER_CREDITS_%s is %d", name, n)
		}
	}
	if n := w.a.stat(slow[0], "SENDER_CREDITS_USED_WATERMARK"); n == 0 {
		t.Error("the watermark is 0 while the sender is off")
	}
	w.b.set(slow[1], vcReceiver, truth(false))
	clear("receiver off", w.b, slow[1], receiver, sai.Success)
	if n := w.b.stat(slow[1], "RECEIVER_CREDITS_CONSUMED") + w.b.stat(slow[1], "RECEIVER_CREDITS_FREED"); n != 0 {
		t.Errorf("the receiver counts %d", n)
	}
	clear("a watermark", w.a, slow[0], []uint32{1, 3}, sai.NotSupported)
	clear("an unknown one", w.a, slow[0], []uint32{1, 9}, sai.InvalidParameter)
	clear("a port", w.a, w.a.link, []uint32{1}, sai.NotSupported)
	clear("nothing", w.a, 5, sender, sai.InvalidObjectID)
	w.b.set(slow[1], vcReceiver, truth(true))
	w.a.set(slow[0], vcSender, truth(true))
	w.until("the channel is lossless again", func() bool { return state(w.A, slowVC).Phase.String() == "lossless" })
	w.Run(12 * time.Millisecond)
	w.carried(w.slow(20))
	if n := w.a.stat(slow[0], "SENDER_CREDITS_CONSUMED"); n != 20 {
		t.Errorf("after a clear 20 frames are %d credits", n)
	}
}

// TestProfileOfNoPool: a credit profile whose POOL_ID is null takes the credits of the port, bounded by
// CBFC_SENDER_CREDIT_LIMIT: what it reserves no other channel uses.
func TestProfileOfNoPool(t *testing.T) {
	w, slow, _ := credited(t, plain)
	w.a.set(w.a.link, portSenderLimit, number(40))
	profile := w.a.make(sai.TypeCreditProfile, attr(creditPool, sai.Value{}), attr(creditReserved, number(8)),
		attr(creditMode, number(thresholdStatic)), attr(creditStatic, number(12)))
	w.a.set(slow[0], vcProfile, sai.Value{OID: profile})
	if w.a.get(profile, creditPool).OID != 0 {
		t.Error("POOL_ID does not read null")
	}
	w.until("the channels are lossless", func() bool { return state(w.A, slowVC).Phase.String() == "lossless" })
	w.Run(12 * time.Millisecond)
	w.Stop(w.B, 1<<slowVC)
	s := w.slow(600)
	w.Carry(s)
	if n := w.a.stat(slow[0], "SENDER_CREDITS_USED"); n != 8+12 {
		t.Errorf("a channel that stands still uses %d credits, want those reserved and 12 of the port's", n)
	}
	w.carried(w.free(100))
	w.Stop(w.B, 0)
	w.Resume(s)
	if !w.WaitIdle() || s.Delivered != s.Frames {
		t.Errorf("%d of %d frames were delivered", s.Delivered, s.Frames)
	}
	w.a.set(slow[0], vcSender, truth(false))
	none := w.a.make(sai.TypeCreditProfile, attr(creditPool, sai.Value{}), attr(creditReserved, number(0)))
	w.a.set(slow[0], vcProfile, sai.Value{OID: none})
	w.a.refused("a channel without a credit", w.a.SetAttribute(slow[0], attr(vcSender, truth(true))), sai.Failure)
	w.a.refused("a pool above half of the count", func() error {
		_, err := w.a.Create(sai.TypeCreditPool, []sai.Set{attr(poolPort, sai.Value{OID: w.a.link}),
			attr(poolSize, number(16384))}, false)
		return err
	}(), invalidValue.At(1))
	if modes := w.a.AttributeCapability(sai.TypeCreditProfile, creditMode).Enum; !slices.Equal(modes, []int64{0, 1}) {
		t.Errorf("capability names the modes %v", modes)
	}
	_, err := w.a.Create(sai.TypeCreditProfile,
		[]sai.Set{attr(creditPool, sai.Value{}), attr(creditReserved, number(1)),
			attr(creditMode, number(2)), attr(creditDynamic, number(0))}, false)
	w.a.refused("DYNAMIC", err, invalidValue.At(2))
}

// A link of another protocol has queues, whose frames a client can stop, and no map to them.
func TestQueuesOfAnotherProtocol(t *testing.T) {
	s := configuration()
	s.Ports = append(s.Ports, model.PortSettings{
		Name: "hippi0", Role: model.RoleLink, Protocol: model.HIPPI6400, VCs: 4,
	})
	p := &plane{}
	if err := p.Reload(s); err != nil {
		t.Fatal(err)
	}
	b := &bed{New(p, s, zap.NewNop()), t, p}
	b.set(b.queue("hippi0", 3), queueDequeue, sai.Value{})
	if got := b.stops("hippi0"); got.Stopped != 1<<3 {
		t.Errorf("%+v", got)
	}
	m := b.make(sai.TypeQoSMap, attr(mapType, number(mapTCToQueue)), attr(mapList, sai.Value{}))
	b.refused("a map", b.SetAttribute(b.oid(sai.TypePort, "hippi0"), attr(portTCToQueue, sai.Value{OID: m})),
		attrNotSupported)
}
