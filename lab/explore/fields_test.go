package explore

import (
	"reflect"
	"strings"
	"time"
	"unsafe"

	"uelink/cbfc"
	"uelink/llr"
	"uelink/wire"
)

// at returns a pointer to a field of a machine, by its path.
func at[T any](v any, path string) *T {
	f := reflect.ValueOf(v).Elem()
	for name := range strings.SplitSeq(path, ".") {
		if f = f.FieldByName(name); !f.IsValid() {
			panic("there is no field " + path)
		}
	}
	if want := reflect.TypeFor[T](); f.Kind() != want.Kind() || f.Type().Size() != want.Size() {
		panic(path + " is " + f.Type().String() + ", not " + want.String())
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}

// held is a frame of LLR's replay buffer.
type heldFrame struct {
	slot     uint32
	length   uint32
	pushed   wire.Time
	poisoned bool
}

// channel holds the fields of a VC that are moved or cleared.
type channel struct {
	// Of its sender.
	scc, scf             *uint32
	used                 *int
	limit                *int
	watermark            *int
	phase                *cbfc.Phase
	op                   *wire.ChannelOp
	number               *uint8
	since, next, retryAt *wire.Time
	backoff              *time.Duration
	counters             [2]*cbfc.Counters // at both ends
	// Of its receiver.
	rcc, rcf, reported *uint32
	question, doubted  *wire.Channel
	sightings          *int
	most               *int
}

// fields holds pointers to the fields of the machines that the exploration changes.
type fields struct {
	zero []*int64 // times and durations that are cleared
	vc   [vcs]channel
	ring []heldFrame

	seq, hello, next, first, last, early, gapEnd *uint32 // sequence numbers
	misfit                                       *uint32
	misfits                                      *int
	freed, oldest, tail, cursor, again           *uint32 // positions in the window
	reach, apart, acked, most                    *uint32
	row                                          *int
	flags                                        []*bool // flags that are cleared
	replaying                                    *bool
	live                                         *bool
	interval                                     *time.Duration
	due                                          *wire.Time
	octets                                       *int
	twice                                        *uint32
	echoes                                       []wire.CtlOS
	waiting                                      *int

	on, forget, asked, ready, dueCF *uint32
	refresh                         *time.Duration
	repeat                          *wire.Time
	ccAt                            *wire.Time
	astray                          *bool
	plain, counted                  *uint32

	selective selectiveFields
}

func newFields(w *world) fields {
	tx, rx := w.tx, w.rx
	f := fields{
		seq: at[uint32](tx, "seq"), hello: at[uint32](tx, "hello.seq"), next: at[uint32](rx, "next"),
		first: at[uint32](rx, "first"), last: at[uint32](rx, "repeated.last"), early: at[uint32](rx, "repeated.early"),
		gapEnd: at[uint32](rx, "gapEnd"),
		misfit: at[uint32](tx, "misfit.seq"), misfits: at[int](tx, "misfit.runs"),
		freed: at[uint32](tx, "window.freed"), oldest: at[uint32](tx, "window.first"), tail: at[uint32](tx, "window.tail"),
		cursor: at[uint32](tx, "replay.cursor"), again: at[uint32](tx, "replay.repeatedTo"), reach: at[uint32](tx, "replay.reach"),
		apart: at[uint32](tx, "replay.apart"), acked: at[uint32](tx, "replay.acked"), most: at[uint32](tx, "replay.most"),
		row: at[int](tx, "replay.row"), replaying: at[bool](rx, "replaying"), live: at[bool](rx, "live"),
		interval: at[time.Duration](tx, "hello.interval"), due: at[wire.Time](tx, "hello.due"), octets: at[int](rx, "octets"),
		twice: at[uint32](rx, "arrivals.twice"),
		on:    at[uint32](&w.to.Rx, "on"), forget: at[uint32](&w.to.Rx, "forget"), asked: at[uint32](&w.to.Rx, "asked"),
		ready: at[uint32](&w.to.Rx, "ready"), dueCF: at[uint32](&w.to.Rx, "due"), refresh: at[time.Duration](&w.to.Rx, "refresh"),
		repeat: at[wire.Time](&w.to.Rx, "repeatAt"), ccAt: at[wire.Time](&w.from.Tx, "ccAt"), astray: at[bool](&w.from.Tx, "astray"),
		plain: at[uint32](&w.from.Tx, "plain"), counted: at[uint32](&w.from.Tx, "counted"),
	}
	for _, path := range []string{
		"timer", "busy", "hello.last", "now", "port.downAt", "replay.began", "replay.countFrom", "replay.stuckFrom", "misfit.at",
		"patience.least", "patience.wait", "patience.slow", "patience.at", "patience.maybe",
	} {
		f.zero = append(f.zero, at[int64](tx, path))
	}
	f.zero = append(f.zero, at[int64](rx, "delay.since"), at[int64](rx, "now"), at[int64](&w.from.Rx, "now"),
		at[int64](&w.to.Rx, "now"))
	for _, p := range []*cbfc.Port{w.from, w.to} {
		f.zero = append(f.zero, at[int64](&p.Tx, "now"), at[int64](&p.Tx, "polled"))
	}
	for _, path := range []string{"rearm", "replay.counted", "replay.timed", "replay.begun", "replay.expired"} {
		f.flags = append(f.flags, at[bool](tx, path))
	}
	f.flags = append(f.flags, at[bool](rx, "delay.on"), at[bool](rx, "asks"))
	echoes := reflect.ValueOf(rx).Elem().FieldByName("echo").FieldByName("list")
	f.echoes, f.waiting = unsafe.Slice((*wire.CtlOS)(echoes.Index(0).Addr().UnsafePointer()), echoes.Len()),
		at[int](rx, "echo.waiting")
	ring := reflect.ValueOf(tx).Elem().FieldByName("window").FieldByName("frames")
	f.ring = unsafe.Slice((*heldFrame)(ring.Index(0).Addr().UnsafePointer()), ring.Len())
	for vc := range f.vc {
		f.vc[vc] = newChannel(w, vc)
	}
	f.selective = newSelectiveFields(w)
	return f
}

func newChannel(w *world, vc int) channel {
	s := reflect.ValueOf(&w.from.Tx).Elem().FieldByName("vc").Index(vc).Addr()
	r := reflect.ValueOf(&w.to.Rx).Elem().FieldByName("vc").Index(vc).Addr()
	other := reflect.ValueOf(&w.to.Tx).Elem().FieldByName("vc").Index(vc).Addr()
	sender, receiver := expose(s), expose(r)
	return channel{
		scc: at[uint32](sender, "cc"), scf: at[uint32](sender, "cf"), used: at[int](sender, "used"),
		limit:     at[int](sender, "limit"),
		watermark: at[int](sender, "watermark"), phase: at[cbfc.Phase](sender, "channel.phase"),
		op:     at[wire.ChannelOp](sender, "channel.op"),
		number: at[uint8](sender, "channel.number"), since: at[wire.Time](sender, "channel.since"),
		next:    at[wire.Time](sender, "channel.next"),
		retryAt: at[wire.Time](sender, "channel.retryAt"), backoff: at[time.Duration](sender, "channel.backoff"),
		counters: [2]*cbfc.Counters{at[cbfc.Counters](sender, "counters"), at[cbfc.Counters](expose(other), "counters")},
		rcc:      at[uint32](receiver, "cc"), rcf: at[uint32](receiver, "cf"), reported: at[uint32](receiver, "reported"),
		question: at[wire.Channel](receiver, "question"), doubted: at[wire.Channel](receiver, "doubted"),
		sightings: at[int](receiver, "sightings"), most: at[int](receiver, "limit"),
	}
}

// expose returns a pointer found in an unexported field as an ordinary pointer.
func expose(v reflect.Value) any {
	return reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Interface()
}

// state of LLR's receiver and transmitter, in short.
func (w *world) running() bool {
	return w.tx.State() == llr.TxAdvance || w.tx.State() == llr.TxReplay
}
