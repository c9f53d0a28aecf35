package main

import (
	"errors"
	"fmt"

	"uelink/dataplane/fault"
	"uelink/lab/bench/report"
)

// hippiWires returns the faults of the wires in the table of HIPPI-6400-PH over bad wires: single losses.
func hippiWires() []fault.Config {
	return []fault.Config{{}, {Loss: 1e-5}, {Loss: 1e-4}, {Loss: 1e-3}, {Loss: 1e-2}}
}

// hippiLoss runs the second part of the experiment "hippi" and adds its table to the report: the goodput of a link of
// HIPPI-6400-PH beside one of LLR, both over wires that lose frames.
func (s *session) hippiLoss() (err error) {
	list, wires := pairs()[2:], hippiWires()
	// The pair with LLR gets a short replay timer, as in the experiment "loss".
	list[0].start = func(s *session, _ int) starter { return s.daemons(reliable(eager)) }
	defer func() {
		for _, p := range list {
			err = errors.Join(err, p.endWired(s, err))
		}
	}()
	for i, p := range list {
		if p.circuit, err = newCircuit(fmt.Sprint("bad", i)); err != nil {
			return err
		}
		if err := p.circuit.start(p.start(s, mbufFor(lossOctets))); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		p.circuit.freeze()
	}
	t, err := inTurns(s, len(list)*len(wires), s.rounds, func(i, round int) (microWindow, error) {
		bad := wires[i/len(list)]
		bad.Seed = uint64(round*len(wires) + i/len(list))
		return list[i%len(list)].microTurnOver(s, bad)
	})
	if err != nil {
		return err
	}
	s.reportHIPPILoss(wires, t)
	return nil
}

// microTurnOver measures a window of a pair of daemons over a wire with faults, while the other pairs are frozen.
func (p *pair) microTurnOver(s *session, bad fault.Config) (w microWindow, err error) {
	p.circuit.thaw()
	defer p.circuit.freeze()
	before, err := p.micropackets()
	if err != nil {
		return w, err
	}
	if w.window, err = s.windowOver(p.circuit, bad); err != nil {
		return w, fmt.Errorf("%s, loss %g: %w", p.name, bad.Loss, err)
	}
	after, err := p.micropackets()
	w.micropackets = after.since(before)
	return w, err
}

// endWired stops a pair. Unless before is an error, endWired first checks that every circulating frame is at one of the
// hosts, once and in order.
func (p *pair) endWired(s *session, before error) (err error) {
	if p.circuit == nil {
		return nil
	}
	p.circuit.thaw()
	if before == nil {
		_, err = s.settled(p.circuit)
	}
	err = errors.Join(err, p.circuit.close())
	p.circuit = nil
	return err
}

// reportHIPPILoss adds the table of HIPPI-6400-PH over bad wires to the report. measured has the windows of LLR and of
// HIPPI-6400-PH by turns, wire by wire.
func (s *session) reportHIPPILoss(wires []fault.Config, measured turns[microWindow]) {
	t := report.Table{
		Name: "hippiloss", Title: "HIPPI-6400-PH beside LLR over wires that lose frames",
		Columns: report.Columns("loss of the wire", "%g", "Gbit/s, both ways", "%.3f", "ratio to the clean wire", "%.2f",
			"Gbit/s of LLR, both ways", "%.3f", "LLR, ratio to the clean wire", "%.2f",
			"micropackets sent again, of 1000", "%.1f", "windows", "%d"),
		Notes: []string{fmt.Sprintf("Medians of %d windows of %v. The wires and the two pairs come in turns. %d frames of %d "+
			"octets go round over a cable in the kernel that loses frames both ways, acknowledgements too. At the end all frames "+
			"were there, none twice, none out of order. HIPPI-6400-PH has a timeout and no negative acknowledgement, and sends "+
			"up to 254 micropackets again for each loss.", s.rounds, (s.over / lossWindows).Round(millisecond), circulating, lossOctets)},
	}
	rate := func(i int) float64 {
		rounds, _ := measured.count(s.cores.prevailing(), i)
		return median(measured.values(i, rounds, func(w microWindow) float64 { return w.pps() })) * lossOctets * 8 / 1e9
	}
	for i, wire := range wires {
		llr, micro := 2*i, 2*i+1
		rounds, astray := measured.count(s.cores.prevailing(), micro)
		repeats := measured.values(micro, rounds, func(w microWindow) float64 {
			return 1000 * float64(w.repeated) / float64(max(1, w.sent))
		})
		t.Add(wire.Loss, rate(micro), rate(micro)/rate(1), rate(llr), rate(llr)/rate(0), median(repeats),
			windows(rounds, astray))
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Add(t)
}
