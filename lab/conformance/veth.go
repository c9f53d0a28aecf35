package conformance

import (
	"context"
	"errors"
	"strconv"

	"uelink/control/api"
	"uelink/dataplane/fault"
	"uelink/lab/demo"
	"uelink/lab/traffic"
	"uelink/wire"
)

// Programs are the executables of veth ends.
type Programs struct {
	Daemon string // uelinkd; "" = beside the running program
	Tool   string // uelink; "" = the running program
}

// OverVeth runs cases with two real daemons in network namespaces and returns the results; it needs root. Cases
// that only run in memory are left out. If a case cannot run at all, it returns the error and the results so far.
func OverVeth(ctx context.Context, cases []Case, p Programs) (r Report, err error) {
	for _, c := range cases {
		if c.veth == nil {
			continue
		}
		t := &trial{id: c.ID, ends: endsVeth}
		err := c.veth(ctx, t, p)
		r.Results = append(r.Results, t.rows...)
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// vethLongest is the longest frame carried by the edges of package demo, octets with FCS.
const vethLongest = 1518

// withDaemons starts two daemons joined by a wire with faults f, calls use with them, and stops them. It returns the
// error of use, or of the start.
func (t *trial) withDaemons(ctx context.Context, p Programs, f fault.Config,
	use func(context.Context, *demo.Bed) error) error {
	o := demo.DefaultOptions()
	o.Fault, o.Daemon, o.Tool = f, p.Daemon, p.Tool
	return demo.With(ctx, o, use)
}

// sent is the result of a stream from host A to host B, with the state of the links before and after.
type sent struct {
	traffic.Direction
	before, after [2]api.Port
}

// send carries that many frames of the trial's size between the hosts, both ways at once. It returns the result of
// the way from A to B, and the state of both links before and after.
func (t *trial) send(ctx context.Context, b *demo.Bed, frames uint64) (s sent, err error) {
	c := demo.DefaultOptions().Traffic
	c.Frames, c.Size = frames, strconv.Itoa(t.size-wire.FCSLen)
	if s.before, err = b.Links(ctx); err != nil {
		return s, err
	}
	result, err := b.Stream(ctx, c)
	if err != nil {
		return s, err
	}
	if len(result.Directions) == 0 {
		return s, errors.New("the stream of test frames has ended without a result")
	}
	s.Direction = result.Directions[0]
	s.after, err = b.Links(ctx)
	return s, err
}

// wholeSent records whether all of that many frames arrived once, in order and undamaged.
func (t *trial) wholeSent(s *sent, frames uint64) {
	t.exact("frames delivered", frames, s.Delivered)
	t.exact("frames lost", 0, s.Lost)
	t.exact("frames out of order, doubled or damaged", 0, s.Reordered+s.Duplicated+s.CorruptedDelivered)
}

// goodFramesVeth runs LLR-01 with real daemons and records the results.
func goodFramesVeth(ctx context.Context, t *trial, p Programs) error {
	return t.withDaemons(ctx, p, fault.Config{}, func(ctx context.Context, b *demo.Bed) error {
		for _, t.size = range []int{64, vethLongest} {
			s, err := t.send(ctx, b, 100)
			if err != nil {
				return err
			}
			a, z := s.after[0].LLR, s.after[1].LLR
			// A daemon that gets no CPU for longer than the replay timer replays frames that have already arrived.
			duplicates := z.Counters.RxDuplicateSeq - s.before[1].LLR.Counters.RxDuplicateSeq
			t.exact("A TX_OK minus frames that B received twice", 100, a.Counters.TxOK-s.before[0].LLR.Counters.TxOK-duplicates)
			t.exact("B RX_OK minus frames that B received twice", 100, z.Counters.RxOK-s.before[1].LLR.Counters.RxOK-duplicates)
			t.flag("A llr_mode_local", true, a.Local)
			t.flag("A llr_mode_remote", true, a.Remote)
			t.text("A tx_status", "ADVANCE", a.TxStatus.String())
			t.text("B rx_status", "SEND_ACKS", z.RxStatus.String())
			t.wholeSent(&s, 100)
		}
		return nil
	})
}

// badFramesVeth runs LLR-04 with real daemons and records the results: chance decides which frames are lost and
// damaged.
func badFramesVeth(ctx context.Context, t *trial, p Programs) error {
	const frames = 50_000
	t.config = "loss=0.01 corrupt=0.001 seed=1"
	bad := fault.Config{Loss: 0.01, Corrupt: 0.001, Seed: 1}
	return t.withDaemons(ctx, p, bad, func(ctx context.Context, b *demo.Bed) error {
		for _, t.size = range []int{64, vethLongest} {
			s, err := t.send(ctx, b, frames)
			if err != nil {
				return err
			}
			t.flag("B has sent LLR_NACK", true, s.after[1].LLR.Counters.TxNackCtlOS > s.before[1].LLR.Counters.TxNackCtlOS)
			t.flag("A has replayed", true, s.after[0].LLR.Counters.TxReplay > s.before[0].LLR.Counters.TxReplay)
			t.wholeSent(&s, frames)
		}
		return nil
	})
}

// everySizeVeth runs LLR-09 with real daemons, for sizes within the MTU, and records the results.
func everySizeVeth(ctx context.Context, t *trial, p Programs) error {
	return t.withDaemons(ctx, p, fault.Config{}, func(ctx context.Context, b *demo.Bed) error {
		for _, t.size = range allSizes() {
			if t.size > vethLongest {
				break
			}
			s, err := t.send(ctx, b, 1000)
			if err != nil {
				return err
			}
			t.exact("frames that an edge socket had no room for", 0, s.EdgeOverrun)
			t.wholeSent(&s, 1000)
		}
		return nil
	})
}
