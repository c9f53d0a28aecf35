package e2e

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
	stream *stream
	at     *talker
}

// talk is streams between talkers. All talkers receive from its beginning on.
type talk struct {
	t       testing.TB
	streams []*stream
	mu      sync.Mutex
	heard   map[ears]*heard
	frames  uint64        // number of received frames
	silence chan struct{} // closed: stop sending
	over    chan struct{} // closed: stop receiving
	senders sync.WaitGroup
	hearers sync.WaitGroup
}

// newTalk makes talkers receive until the end of the test.
func newTalk(t testing.TB, talkers ...*talker) *talk {
	c := &talk{t: t, heard: map[ears]*heard{}, silence: make(chan struct{}), over: make(chan struct{})}
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

// stream adds a stream: to the address of one talker, or, for several, as broadcasts.
func (c *talk) stream(from *talker, tci uint16, to ...*talker) *stream {
	s := &stream{id: uint16(len(c.streams)), from: from, da: broadcast, tci: tci, to: to}
	if len(to) == 1 {
		s.da = to[0].mac
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams = append(c.streams, s)
	return s
}

// everyPair adds a stream from each of the talkers to each other one.
func (c *talk) everyPair(talkers ...*talker) {
	for _, from := range talkers {
		for _, to := range talkers {
			if from != to {
				c.stream(from, 0, to)
			}
		}
	}
}

// listen records the frames received by a talker, until the talk is over.
func (c *talk) listen(at *talker) {
	for {
		f, err := at.read()
		if err != nil {
			c.t.Errorf("%s: %v", at.name, err)
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

// note records a frame of a stream, and ignores any other frame.
func (c *talk) note(at *talker, f []byte) {
	bare := untagged(f)
	if wire.EtherType(bare) != probeType || len(bare) < wire.MinFrameLen {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id := int(binary.BigEndian.Uint16(bare[wire.HeaderLen+4:]))
	if id >= len(c.streams) {
		return
	}
	key := ears{c.streams[id], at}
	if c.heard[key] == nil {
		c.heard[key] = &heard{}
	}
	c.frames++
	c.heard[key].take(key.stream, f, c.frames)
}

// at returns the frames of a stream received by a talker so far.
func (c *talk) at(s *stream, at *talker) heard {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h := c.heard[ears{s, at}]; h != nil {
		return *h
	}
	return heard{}
}

// say sends the next n frames of a stream.
func (c *talk) say(s *stream, n int) {
	for range n {
		if err := s.from.write(s.frame(s.sent.Add(1) - 1)); err != nil {
			c.t.Errorf("%s: %v", s.from.name, err)
		}
	}
}

// start sends a frame of every present stream, again and again, with a pause in between. It returns when 20 frames of
// each have arrived.
func (c *talk) start(pause time.Duration) {
	c.t.Helper()
	streams := slices.Clone(c.streams)
	c.senders.Go(func() {
		for ; ; time.Sleep(pause) {
			select {
			case <-c.silence:
				return
			default:
			}
			for _, s := range streams {
				c.say(s, 1)
			}
		}
	})
	c.reach(20)
}

// reach waits until n frames of every stream have arrived.
func (c *talk) reach(frames uint32) {
	c.t.Helper()
	c.each(func(s *stream, to *talker) {
		eventually(c.t, fmt.Sprintf("%d frames from %s at %s", frames, s.from.name, to.name), func() string {
			if h := c.at(s, to); h.frames < frames {
				return fmt.Sprintf("%d have come", h.frames)
			}
			return ""
		})
	})
}

// stop ends the sending.
func (c *talk) stop() {
	select {
	case <-c.silence:
	default:
		close(c.silence)
	}
	c.senders.Wait()
}

// end ends the sending and demands that every stream has arrived at its talkers, each frame once, in order and
// unchanged. The lossy talkers may lack frames.
func (c *talk) end(lossy ...*talker) {
	c.t.Helper()
	c.stop()
	c.each(func(s *stream, to *talker) {
		if !slices.Contains(lossy, to) {
			c.complete(s, to)
		}
	})
	time.Sleep(20 * time.Millisecond) // time for duplicates to arrive
	c.each(func(s *stream, to *talker) {
		h := c.at(s, to)
		if h.wrong != "" || h.frames != s.sent.Load() && !slices.Contains(lossy, to) {
			c.t.Errorf("%s to %s: of %d frames %d came; %s", s.from.name, to.name, s.sent.Load(), h.frames, h.wrong)
		}
	})
}

// each calls f for every stream and each of its talkers.
func (c *talk) each(f func(s *stream, to *talker)) {
	for _, s := range c.streams {
		for _, to := range s.to {
			f(s, to)
		}
	}
}

// account returns how many frames were sent to a talker, and how many of them have arrived.
func (c *talk) account(to *talker) (sent, came uint64) {
	c.each(func(s *stream, at *talker) {
		if at == to {
			sent += uint64(s.sent.Load())
			came += uint64(c.at(s, to).frames)
		}
	})
	return sent, came
}

// complete waits until a talker has received all sent frames of a stream.
func (c *talk) complete(s *stream, to *talker) {
	c.t.Helper()
	eventually(c.t, fmt.Sprintf("all frames from %s at %s", s.from.name, to.name), func() string {
		if h := c.at(s, to); h.frames < s.sent.Load() {
			return fmt.Sprintf("of %d %d have come; %s", s.sent.Load(), h.frames, h.wrong)
		}
		return ""
	})
}
