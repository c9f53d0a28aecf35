package bed

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"uelink/wire"
)

// ears is a stream and a talker that receives it.
type ears struct {
	stream *Stream
	at     *Talker
}

// Talk is streams between talkers. All talkers receive from its beginning on.
type Talk struct {
	T       testing.TB
	Streams []*Stream
	mu      sync.Mutex
	heard   map[ears]*Heard
	frames  uint64        // frames of all streams received so far, by all talkers
	silence chan struct{} // closed: stop sending
	over    chan struct{} // closed: stop receiving
	senders sync.WaitGroup
	hearers sync.WaitGroup
}

// NewTalk makes talkers (hosts played by the test) receive until the end of the test. Streams between them are
// added by Stream and EveryPair.
func NewTalk(t testing.TB, talkers ...*Talker) *Talk {
	c := &Talk{T: t, heard: map[ears]*Heard{}, silence: make(chan struct{}), over: make(chan struct{})}
	for _, at := range talkers {
		c.hearers.Go(func() { c.listen(at) })
	}
	t.Cleanup(func() {
		c.stop()
		close(c.over)
		c.hearers.Wait()
	})
	return c
}

// Stream adds a stream of numbered frames from a talker: to the address of one talker, or, for several, as
// broadcasts. tci is the tag control information of a VLAN tag, 0 for none. It sends nothing yet.
func (c *Talk) Stream(from *Talker, tci uint16, to ...*Talker) *Stream {
	s := &Stream{ID: uint16(len(c.Streams)), From: from, DA: Broadcast, TCI: tci, to: to}
	if len(to) == 1 {
		s.DA = to[0].MAC
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Streams = append(c.Streams, s)
	return s
}

// EveryPair adds a stream of numbered frames from each of the talkers to each of the others. It sends nothing yet.
func (c *Talk) EveryPair(talkers ...*Talker) {
	for _, from := range talkers {
		for _, to := range talkers {
			if from != to {
				c.Stream(from, 0, to)
			}
		}
	}
}

// listen receives and records the frames that arrive at a talker, until the end of the test.
func (c *Talk) listen(at *Talker) {
	for {
		f, err := at.Read()
		if err != nil {
			c.T.Errorf("%s: %v", at.Name, err)
			return
		}
		if f != nil {
			c.note(at, f)
			continue
		}
		select {
		case <-c.over:
			return
		default:
		}
	}
}

// note records a frame received by a talker if it belongs to a stream, and ignores any other frame.
func (c *Talk) note(at *Talker, f []byte) {
	bare := untagged(f)
	if wire.EtherType(bare) != ProbeType || len(bare) < wire.MinFrameLen {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id := int(binary.BigEndian.Uint16(bare[wire.HeaderLen+4:]))
	if id >= len(c.Streams) {
		return
	}
	key := ears{c.Streams[id], at}
	if c.heard[key] == nil {
		c.heard[key] = &Heard{}
	}
	c.frames++
	c.heard[key].take(key.stream, f, c.frames)
}

// At returns the counts of the frames of a stream that a talker has received so far, and the first fault among
// them.
func (c *Talk) At(s *Stream, at *Talker) Heard {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.heard[ears{s, at}]; h != nil {
		return *h
	}
	return Heard{}
}

// SendNext sends the next n frames of a stream.
func (c *Talk) SendNext(s *Stream, n int) {
	for range n {
		if err := s.From.Write(s.Frame(s.Sent.Add(1) - 1)); err != nil {
			c.T.Errorf("%s: %v", s.From.Name, err)
		}
	}
}

// Start sends, in the background until End, a frame of every stream added so far, again and again, with a pause
// after each round. It returns when 20 frames of each stream have arrived.
func (c *Talk) Start(pause time.Duration) {
	c.T.Helper()
	streams := slices.Clone(c.Streams)
	c.senders.Go(func() {
		for ; ; time.Sleep(pause) {
			select {
			case <-c.silence:
				return
			default:
			}
			for _, s := range streams {
				c.SendNext(s, 1)
			}
		}
	})
	c.Reach(20)
}

// Reach waits until the given number of frames of every stream has arrived at each of its receivers.
func (c *Talk) Reach(frames uint32) {
	c.T.Helper()
	c.each(func(s *Stream, to *Talker) {
		Eventually(c.T, fmt.Sprintf("%d frames from %s at %s", frames, s.From.Name, to.Name), func() string {
			if h := c.At(s, to); h.Frames < frames {
				return fmt.Sprintf("%d have come", h.Frames)
			}
			return ""
		})
	})
}

// stop ends the sending of all streams and waits for the end of the sending goroutines.
func (c *Talk) stop() {
	select {
	case <-c.silence:
	default:
		close(c.silence)
	}
	c.senders.Wait()
}

// End ends the sending and reports errors of the test unless every sent frame of every stream has arrived at each
// of its receivers once, in order and unchanged. The lossy talkers may lack frames.
func (c *Talk) End(lossy ...*Talker) {
	c.T.Helper()
	c.stop()
	c.each(func(s *Stream, to *Talker) {
		if !slices.Contains(lossy, to) {
			c.Complete(s, to)
		}
	})
	time.Sleep(20 * time.Millisecond) // time for duplicates to arrive
	c.each(func(s *Stream, to *Talker) {
		h := c.At(s, to)
		if h.Wrong != "" || h.Frames != s.Sent.Load() && !slices.Contains(lossy, to) {
			c.T.Errorf("%s to %s: of %d frames %d came; %s", s.From.Name, to.Name, s.Sent.Load(), h.Frames, h.Wrong)
		}
	})
}

// each calls f for every stream and each of its receivers.
func (c *Talk) each(f func(s *Stream, to *Talker)) {
	for _, s := range c.Streams {
		for _, to := range s.to {
			f(s, to)
		}
	}
}

// Account returns how many frames of all streams were sent to a talker, and how many of these have arrived there.
func (c *Talk) Account(to *Talker) (sent, came uint64) {
	c.each(func(s *Stream, at *Talker) {
		if at == to {
			sent += uint64(s.Sent.Load())
			came += uint64(c.At(s, to).Frames)
		}
	})
	return sent, came
}

// Complete waits until a talker has received as many frames of a stream as were sent.
func (c *Talk) Complete(s *Stream, to *Talker) {
	c.T.Helper()
	Eventually(c.T, fmt.Sprintf("%[2]s receives all frames in a stream of %[1]s", s.From.Name, to.Name), func() string {
		if h := c.At(s, to); h.Frames < s.Sent.Load() {
			return fmt.Sprintf("%d of %d frames have come, and the socket of %s has dropped %d; %s", h.Frames, s.Sent.Load(),
				to.Name, to.Dropped(), h.Wrong)
		}
		return ""
	})
}
