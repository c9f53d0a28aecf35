package controltest

import (
	"fmt"
	"time"

	"uelink/dataplane"
	"uelink/dataplane/model"
)

// TracedFrames returns traced frames: one acknowledged after a replay, one dropped, one flooded.
func TracedFrames() []model.TracedFrame {
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	frame := func(n int, result string) model.TracedFrame {
		return model.TracedFrame{
			Number: n, Time: at.Add(time.Duration(n) * time.Millisecond), Port: "edge0", Octets: 1514, EtherType: 0x0800,
			From: model.Address{2, 0, 0, 0, 0, 0x21}, To: model.Address{2, 0, 0, 0, 0, 0x22}, RxSequence: -1, Result: result,
			Counters: []model.TracedCount{}, Copies: []model.TracedCopy{},
		}
	}
	acknowledged, dropped, flooded := frame(1, model.TraceAcknowledged), frame(2, model.TraceDropped),
		frame(3, model.TraceWaits)
	acknowledged.Copies = []model.TracedCopy{{
		Port: "link0", Queue: 3, Result: model.TraceAcknowledged, Waited: true, Sequence: 4711, Replays: 1,
		SentNS: 12_345, EndNS: 2_345_678, Counters: []model.TracedCount{},
	}}
	dropped.Counters = []model.TracedCount{{Port: "edge0", Counter: "rx_oversized"}}
	flooded.RxSequence = 99
	flooded.Copies = []model.TracedCopy{
		{Port: "edge1", Result: model.TraceSent, Sequence: -1, Counters: []model.TracedCount{}},
		{Port: "edge2", Result: model.TraceWaits, Waited: true, Sequence: -1, SentNS: -1, EndNS: -1,
			Counters: []model.TracedCount{}},
	}
	return []model.TracedFrame{acknowledged, dropped, flooded}
}

// TraceFrames returns a trace of the frames that TracedFrames returns: the last one is under way until the end.
func (b *Backend) TraceFrames(port string, s model.TraceSettings) (dataplane.FramesTrace, error) {
	if err := b.record(port, false, fmt.Sprintf("TraceFrames %s %d %+v", port, s.Count, s.Filter)); err != nil {
		return dataplane.FramesTrace{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.traced {
		return dataplane.FramesTrace{}, fmt.Errorf("port %s: %w", port, dataplane.ErrTraced)
	}
	b.traced = true
	frames := TracedFrames()[:min(3, s.Count)]
	return dataplane.FramesTrace{
		Take: func(all bool) (list []model.TracedFrame, goesOn bool) {
			n := min(len(frames), 2)
			if all {
				n = len(frames)
			}
			list, frames = frames[:n], frames[n:]
			return list, len(frames) > 0
		},
		Stop: func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.traced = false
		},
	}, nil
}
