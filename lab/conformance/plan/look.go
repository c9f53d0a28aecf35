package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"uelink/wire"
)

// seen is a frame that a link port has sent or received.
type seen struct {
	at       time.Time
	out      bool // sent
	data     bool // a data frame with a sequence number
	seq      uint32
	bad      bool         // the FCS image is wrong
	repeated bool         // a frame with this number was seen before in this direction
	sets     []wire.CtlOS // of a control frame
}

// look is the frames of one link port, shown live by its daemon.
type look struct {
	body io.ReadCloser
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	frames  []seen
	numbers [2]map[uint32]bool // sequence numbers received (0) and sent (1) so far
}

// look begins to watch the frames of the link port of end i.
func (t *trial) look(ctx context.Context, i int) (*look, error) {
	ctx, stop := context.WithCancel(ctx)
	body, err := t.ends[i].client.WatchFrames(ctx, t.ends[i].port, 1)
	if err != nil {
		stop()
		return nil, fmt.Errorf("watch the frames of %s: %w", t.ends[i].name, err)
	}
	l := &look{body: body, stop: stop, done: make(chan struct{}), numbers: [2]map[uint32]bool{{}, {}}}
	go l.read()
	return l, nil
}

// read decodes frames until the stream ends.
func (l *look) read() {
	defer close(l.done)
	r, err := pcapgo.NewNgReader(l.body, pcapgo.NgReaderOptions{WantMixedLinkType: true})
	for err == nil {
		octets, info, options, next := r.ReadPacketDataWithOptions()
		if err = next; err == nil {
			out := options.Flags != nil && options.Flags.Direction == pcapgo.NgEpbFlagDirectionOutbound
			l.add(seen{at: info.Timestamp, out: out}, octets)
		}
	}
}

// add records a frame, if it is a numbered data frame or a control frame.
func (l *look) add(f seen, octets []byte) {
	switch wire.EtherType(octets) {
	case wire.EtherTypeData:
		p, fault := wire.ParseData(octets, wire.DialectSeed)
		if fault != wire.NoFault || !p.Sequenced {
			return
		}
		f.data, f.seq, f.bad = true, p.Seq, wire.JudgeFCS(octets, p, true) == wire.FCSBad
	case wire.EtherTypeControl:
		var list [wire.MaxCtlOS]wire.CtlOS
		n, _, fault := wire.ParseControl(octets, &list)
		if fault != wire.NoFault {
			return
		}
		f.sets = append(f.sets, list[:n]...)
	default:
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.data {
		numbers := l.numbers[0]
		if f.out {
			numbers = l.numbers[1]
		}
		f.repeated, numbers[f.seq] = numbers[f.seq], true
	}
	l.frames = append(l.frames, f)
}

// settle is how long no data frame must be shown before the watch counts as complete.
const settle = 50 * time.Millisecond

// end waits until the daemon shows no more data, ends the watch and returns the frames in their order.
func (l *look) end(ctx context.Context) ([]seen, error) {
	last, since := -1, time.Now()
	err := await(ctx, "the watch of frames comes to an end", func() (bool, string) {
		l.mu.Lock()
		n := 0
		for _, f := range l.frames {
			if f.data {
				n++
			}
		}
		l.mu.Unlock()
		if n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > settle, fmt.Sprintf("%d frames", n)
	})
	l.stop()
	<-l.done
	return l.frames, errors.Join(err, l.body.Close())
}

// dataSent returns the data frames sent by the port, in their order.
func dataSent(frames []seen) (all []seen) {
	for _, f := range frames {
		if f.data && f.out {
			all = append(all, f)
		}
	}
	return all
}

// set is a control ordered set with the time and direction of its frame.
type set struct {
	wire.CtlOS
	at     time.Time
	repeat bool // a repeated LLR_NACK, as the STATION item in the same frame says: a copy, or a second request
}

// sets returns the control ordered sets of a type that were sent (out) or received, in their order.
func sets(frames []seen, kind wire.CtlOSType, out bool) (all []set) {
	number := uint8(0) // of the last LLR_NACK
	for _, f := range frames {
		if f.out != out {
			continue
		}
		var received wire.Received
		for _, c := range f.sets {
			if r, ok := c.Received(); ok {
				received = r
			}
			if c.Type != kind {
				continue
			}
			s := set{CtlOS: c, at: f.at}
			if kind == wire.LLRNack {
				s.repeat = received.Again || received.Nack > 0 && received.Nack == number
				number = received.Nack
			}
			all = append(all, s)
		}
	}
	return all
}

// countRepeated returns how many of the frames were sent or received before.
func countRepeated(frames []seen) (n int) {
	for _, f := range frames {
		if f.repeated {
			n++
		}
	}
	return n
}

// median returns the middle of times; 0 for none.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := append([]time.Duration(nil), times...)
	sortTimes(sorted)
	return sorted[len(sorted)/2]
}
