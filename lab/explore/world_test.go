package explore

import (
	"reflect"
	"time"
	"unsafe"

	"uelink/cbfc"
	"uelink/llr"
	"uelink/wire"
)

// The number spaces, and the configuration of the machines.
const (
	seqBits   = 3
	window    = 3
	countBits = 4
	vcs       = 2
)

var (
	octets = [vcs]int{60, 100} // of a frame: one credit, and two
	limits = [vcs]uint16{2, 3}
)

// now is the time, which stands still; tick is the interval of most repetitions of the machines.
const (
	now  = wire.Time(1) << 36
	tick = 10_000_000
)

// frame is a frame in LLR: a frame of a channel, with its number among all frames, or a CC_Update.
type frame struct {
	id    uint8 // modulo 16
	vc    uint8
	notes bool
	vcs   uint8 // of a CC_Update
	count [vcs]uint8
	seq   uint8
	twice bool // a copy was delivered
	plain bool // sent without credits
}

// sentPlain marks the credits of a frame sent without credits. B counts such a frame after A has given up a start
// that B has received, until the next start.
const sentPlain = 1 << 7

// list is a control frame.
type list struct {
	says  []wire.CtlOS
	twice bool
}

// world is both ends and the wire. Every state is loaded into its machines.
type world struct {
	a, b  *llr.Link
	from  *cbfc.Port // A's
	to    *cbfc.Port // B's
	tx    *llr.Tx    // a.Tx
	rx    *llr.Rx    // b.Rx
	image image
	peek  fields

	selective bool

	waiting []frame // frames that LLR holds, oldest first
	saved   []frame // frames that B keeps behind a gap, by their handles
	nextID  uint8   // of the next frame
	expect  uint8   // number of the next frame for B
	wants   uint8   // channels that A wants to be lossless
	data    []frame
	down    []list       // control from A to B
	up      []list       // from B to A
	buffer  [vcs][]uint8 // credits of the frames that B holds, oldest first, and sentPlain
	out     [wire.MaxCtlOS]wire.CtlOS
	wrong   string
}

// settings of both ends; lossless are the channels wanted by A.
func settings(lossless uint8) cbfc.Settings {
	s := cbfc.Settings{On: true, Size: cbfc.Size{Credit: 64}, Lossless: uint32(lossless), CCTimer: tick}
	copy(s.Limit[:], limits[:])
	return s
}

var profile = llr.Profile{
	MaxOutstandingFrames: window, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: time.Millisecond,
	MaxReplayCount: llr.NoReplayLimit, InitAction: llr.Block, FlushAction: llr.Block, CtlOSSpacingBytes: 1 << 20,
}

// newWorld returns the first state: LLR begins its handshake, and channels begin to start.
func newWorld(wants uint8, replay llr.ReplayKind) *world {
	profile := profile
	profile.Replay = replay
	w := &world{
		selective: replay != llr.GoBackN,
		a:         llr.NewLinkOf(seqBits, profile, 0, [2]byte{1}), b: llr.NewLinkOf(seqBits, profile, 0, [2]byte{2}),
		from: cbfc.NewPortOf(countBits, settings(wants)), to: cbfc.NewPortOf(countBits, settings(0)), wants: wants,
	}
	w.tx, w.rx = w.a.Tx, w.b.Rx
	w.tx.SetMode(true, now)
	w.rx.SetMode(true)
	if w.selective {
		w.keep()
	}
	w.from.ReceivedControl(nil, w.env(2), now)
	w.to.ReceivedControl(nil, w.env(1), now)
	w.peek = newFields(w)
	w.image = newImage(w)
	w.settle()
	return w
}

// env returns a port's view of the link.
func (w *world) env(start uint32) *cbfc.Env {
	e := &cbfc.Env{Known: true, CBFC: true, Start: start, Idle: true}
	e.LLR = w.tx.State() == llr.TxAdvance || w.tx.State() == llr.TxReplay
	for i := range w.waiting {
		if f := &w.waiting[i]; f.notes {
			e.Unacked |= 1<<vcs - 1
		} else {
			e.Unacked |= 1 << f.vc
		}
	}
	return e
}

// region is a part of a machine's memory, in words, and its content in the first state.
type region struct {
	words []uint64
	base  []uint64
}

// image is the memory of the machines that distinguishes states.
type image struct {
	regions []region
}

// part returns the memory of v from one field to another; "" is its end.
func part(v any, first, end string) []uint64 {
	value := reflect.ValueOf(v).Elem()
	at, to := uintptr(0), value.Type().Size()
	if first != "" {
		at = offset(value.Type(), first)
	}
	if end != "" {
		to = offset(value.Type(), end)
	}
	return unsafe.Slice((*uint64)(unsafe.Add(value.Addr().UnsafePointer(), at)), (to-at)/8)
}

func offset(t reflect.Type, name string) uintptr {
	f, ok := t.FieldByName(name)
	if !ok {
		panic(t.String() + " has no " + name)
	}
	return f.Offset
}

// slice returns the memory of n elements of a slice or an array field.
func slice(field reflect.Value, n int) []uint64 {
	return unsafe.Slice((*uint64)(field.Index(0).Addr().UnsafePointer()), uintptr(n)*field.Type().Elem().Size()/8)
}

// newImage leaves out fields without influence: counters, loop times, unused channels.
func newImage(w *world) (i image) {
	tx, rx := reflect.ValueOf(w.tx).Elem(), reflect.ValueOf(w.rx).Elem()
	ring := tx.FieldByName("window").FieldByName("frames")
	i.add(part(w.tx, "", "loop"), part(w.tx, "profile", ""), slice(ring, ring.Len()), part(rx.Addr().Interface(), "", ""))
	if w.selective {
		i.add(w.peek.selective.parts()...)
	}
	for _, p := range []*cbfc.Port{w.from, w.to} {
		sender, receiver := reflect.ValueOf(&p.Tx).Elem(), reflect.ValueOf(&p.Rx).Elem()
		i.add(part(&p.Tx, "", "vc"), slice(sender.FieldByName("vc"), vcs), part(&p.Tx, "plain", ""))
		i.add(part(&p.Rx, "", "vc"), slice(receiver.FieldByName("vc"), vcs), part(&p.Rx, "on", ""))
	}
	return i
}

func (i *image) add(parts ...[]uint64) {
	for _, words := range parts {
		i.regions = append(i.regions, region{words: words, base: append([]uint64(nil), words...)})
	}
}

// rebase makes the present memory that of the first state.
func (i *image) rebase() {
	for _, r := range i.regions {
		copy(r.base, r.words)
	}
}
