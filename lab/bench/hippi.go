package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uelink/hippi"
	"uelink/lab/bench/report"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// hippiSizes returns the frame sizes of the table of HIPPI-6400-PH, octets.
func hippiSizes() []int { return []int{64, 256, 1500, 3400} }

// microCirculating is how many frames circulate in the experiment "hippi". Fewer are too few for the windows of both
// directions: 128 frames of 64 octets are only 384 micropackets.
const microCirculating = 240

// microWindow is a window of a circuit, with the counts of the link of HIPPI-6400-PH in the window. machine is the CPU
// time that the protocol machines of both ends need for a micropacket, measured in memory, without a data plane, in the
// same round.
type microWindow struct {
	window
	micropackets
	machine time.Duration
}

// micropackets is the sum of the counts of both ends of a link of HIPPI-6400-PH: micropackets sent for the first time,
// micropackets sent again, measured loops (from a micropacket sent once to its acknowledgement), and the sum of the
// loop times.
type micropackets struct {
	sent, repeated, loops uint64
	loopsTime             time.Duration
}

// since returns the growth of the counts since before.
func (m micropackets) since(before micropackets) micropackets {
	return micropackets{
		sent: m.sent - before.sent, repeated: m.repeated - before.repeated,
		loops: m.loops - before.loops, loopsTime: m.loopsTime - before.loopsTime,
	}
}

// loop returns the mean time from sending a micropacket to its acknowledgement.
func (m micropackets) loop() time.Duration { return m.loopsTime / time.Duration(max(1, m.loops)) }

// hippi runs the experiment "hippi" and adds its table to the report: a link of HIPPI-6400-PH beside one of LLR, and
// beside the upper bounds of its rate: by the protocol's window, and by the CPU time of the protocol machines.
func (s *session) hippi() error {
	t := s.hippiTable()
	for _, octets := range hippiSizes() {
		s.progress("  %d octets", octets)
		measured, err := s.hippiOf(octets)
		if err != nil {
			return fmt.Errorf("%d octets: %w", octets, err)
		}
		t.Add(hippiRow(measured, s.cores.prevailing(), octets)...)
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Add(t)
	s.progress("  bad wires")
	return s.hippiLoss()
}

// hippiOf starts two daemons with LLR and two with HIPPI-6400-PH, measures them in turns with frames of a length in
// octets, and removes them. It returns the windows by pair, LLR first, and round.
func (s *session) hippiOf(octets int) (t turns[microWindow], err error) {
	list := pairs()[2:]
	defer func() {
		for _, p := range list {
			err = errors.Join(err, p.close(err))
		}
	}()
	for i, p := range list {
		if err := p.open(s, fmt.Sprint(i), microCirculating, octets); err != nil {
			return t, err
		}
	}
	return inTurns(s, len(list), s.rounds, func(i, _ int) (microWindow, error) {
		w, err := list[i].microTurn(s)
		if err != nil {
			err = fmt.Errorf("%s: %w", list[i].name, err)
		}
		return w, err
	})
}

// microTurn lets a pair of daemons run, measures a window with its counts of micropackets, and freezes the daemons
// again. Before, while both daemons are frozen, it measures the protocol machines in memory.
func (p *pair) microTurn(s *session) (w microWindow, err error) {
	if w.machine, err = machineTime(); err != nil {
		return w, err
	}
	p.circuit.thaw()
	defer p.circuit.freeze()
	if err := p.circuit.moving(); err != nil {
		return w, err
	}
	before, err := p.micropackets()
	if err != nil {
		return w, err
	}
	if w.window, err = p.circuit.watch(s.over); err != nil {
		return w, err
	}
	after, err := p.micropackets()
	w.micropackets = after.since(before)
	return w, err
}

// micropackets returns the counts of both ends of a link so far; zeros for a link of LLR.
func (p *pair) micropackets() (m micropackets, err error) {
	if p.isLLR {
		return m, nil
	}
	for _, f := range p.circuit.devices {
		l, err := f.(*daemon).client.HIPPIOf(context.Background(), "link0")
		if err != nil {
			return m, err
		}
		n := &l.HIPPI.Counters
		m.repeated += n.TxRetransmitted
		m.sent += n.TxMicropackets - n.TxRetransmitted - n.TxNull
		m.loops += n.Loops
		m.loopsTime += time.Duration(n.LoopsTime)
	}
	return m, nil
}

// micropacketsOf returns the number of micropackets of a frame of a length in octets.
func micropacketsOf(octets int) int { return 1 + micropacket.DataMicropackets(octets-wire.HeaderLen) }

// atATime is how many micropackets machineTime hands from one machine to the other at a time, and machineFor how long
// it measures.
const (
	atATime    = 32
	machineFor = 50 * time.Millisecond
)

// machineTime returns the CPU time that a micropacket in Messages of 1500 octets costs the protocol machines of both
// ends together, without data plane, frames or system calls.
func machineTime() (time.Duration, error) {
	profile := hippi.Software()
	profile.Silence, profile.Activity = 0, 0
	a, b := hippi.NewLink(profile, 1), hippi.NewLink(profile, 2)
	a.SetCarrier(true, 0)
	b.SetCarrier(true, 0)
	now := wire.Time(1)
	for ; now < wire.Time(time.Second) && !(a.Ready() && b.Ready()); now = now.Add(profile.Turn) {
		exchangeMicropackets(a, b, now)
	}
	data, chunk := make([]byte, 1500), make([]byte, 1500)
	before := a.Counters.TxMicropackets
	begun := time.Now()
	for time.Since(begun) < machineFor {
		if err := a.TransferRequest(0, hippi.Message{Data: data}, now); err != nil {
			return 0, err
		}
		carryMicropackets(a, b, chunk, now)
		exchangeMicropackets(a, b, now) // acknowledgements and credits
		_, arrived := b.TransferIndicate(0)
		_, left := a.TransferConfirm(0)
		if !arrived || !left {
			return 0, errors.New("between two HIPPI-6400-PH machines in memory, a Message did not arrive")
		}
		b.TransferResponse(0, now)
	}
	return time.Since(begun) / time.Duration(a.Counters.TxMicropackets-before), nil
}

// carryMicropackets passes the micropackets of a Message from one HIPPI-6400-PH machine to the other, as daemons do:
// in bursts, and the Message has its chunk as soon as its Header has arrived.
func carryMicropackets(from, to *hippi.Link, chunk []byte, now wire.Time) {
	var frame [atATime * micropacket.Len]byte
	for {
		n := from.TransmitBurst(now, frame[:])
		if n == 0 {
			return
		}
		for left := frame[:n*micropacket.Len]; len(left) > 0; to.Accept(0, chunk, now) {
			left = left[to.ReceiveBurst(now, left, len(left)/micropacket.Len, hippi.Whole)*micropacket.Len:]
		}
	}
}

// exchangeMicropackets passes micropackets between two HIPPI-6400-PH machines in memory, both ways, until neither has
// more to send.
func exchangeMicropackets(a, b *hippi.Link, now wire.Time) {
	var list [atATime]micropacket.Micropacket
	for busy := true; busy; {
		busy = false
		for _, way := range [2][2]*hippi.Link{{a, b}, {b, a}} {
			n := 0
			for n < len(list) && way[0].Transmit(now, &list[n]) {
				n++
			}
			for i := range n {
				way[1].Receive(now, &list[i], hippi.Whole)
			}
			busy = busy || n > 0
		}
	}
}

// hippiTable returns the table without rows.
func (s *session) hippiTable() report.Table {
	return report.Table{
		Name: "hippi", Title: "HIPPI-6400-PH beside LLR, both directions, both ends of a link, a core each",
		Columns: report.Columns("octets", "%d", "Gbit/s, both ways", "%.2f", "Gbit/s of LLR, both ways", "%.2f",
			"paired ratio of HIPPI's goodput to LLR's", "%.2f", "quartiles", "%s",
			"million micropackets a second, each way", "%.2f",
			"million micropackets a second that the loop time allows", "%.2f",
			"million micropackets a second that the state machines allow", "%.2f",
			"share of the lower of these two limits", "%.2f",
			"micropackets sent again, of 1000", "%.2f", "windows", "%d"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds or more. The two pairs of daemons run in turns, and the idle pair is frozen. "+
				"%d frames go round.",
				s.rounds, microCirculating),
			"A micropacket, the unit of HIPPI-6400-PH, has 32 octets of data. The loop time, from sending a micropacket to " +
				"the acknowledgement, allows 254 micropackets for each mean loop time. The state machines of both ends " +
				"allow the rate at which they handle micropackets in memory, without data plane, frames and system " +
				"calls; the rate is measured before each window.",
		},
	}
}

// hippiRow returns the cells of one row, in the order of hippiTable's columns, for frames of a length in octets. In t,
// contestant 0 is the pair with LLR and contestant 1 the pair with HIPPI-6400-PH. Only windows measured at the given
// distance between the CPUs (regime) count; if these are too few, all windows do.
func hippiRow(t turns[microWindow], in regime, octets int) []any {
	rounds, astray := t.count(in, 1, 0)
	values := func(figure func(microWindow) float64) []float64 { return t.values(1, rounds, figure) }
	pps := func(w microWindow) float64 { return w.pps() }
	rate, llr := values(pps), t.values(0, rounds, pps)
	to := ratios(rate, llr)
	gbps := float64(octets) * 8 / 1e9
	perFrame := float64(micropacketsOf(octets))
	// Micropackets a second: the two limits, and each way in the window.
	byLoop := func(w microWindow) float64 { return (hippi.Sequences - 1) / w.loop().Seconds() }
	byMachine := func(w microWindow) float64 { return 1 / w.machine.Seconds() }
	each := func(w microWindow) float64 { return w.pps() / 2 * perFrame }
	share := func(w microWindow) float64 { return each(w) / min(byLoop(w), byMachine(w)) }
	repeats := func(w microWindow) float64 { return 1000 * float64(w.repeated) / float64(w.sent) }
	return []any{octets, median(rate) * gbps, median(llr) * gbps, median(to), quartiles(to), median(values(each)) / 1e6,
		median(values(byLoop)) / 1e6, median(values(byMachine)) / 1e6, median(values(share)), median(values(repeats)),
		windows(rounds, astray)}
}
