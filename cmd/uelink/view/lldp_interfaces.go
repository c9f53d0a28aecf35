package view

import (
	"fmt"
	"io"

	"uelink/control/api"
	"uelink/lldp"
)

// WriteLLDPInterfaces prints the LLDP agents in the form in which lldpcli prints its interfaces.
func WriteLLDPInterfaces(w io.Writer, interfaces []api.LLDPInterface, detail Detail) {
	chapter(w, "LLDP interfaces:")
	for _, i := range interfaces {
		writeLLDPInterface(w, i, detail)
		rule(w)
	}
}

// writeLLDPInterface prints an LLDP agent: its state, number of neighbours, problems and UE agreement, and what it
// sends of this station; in full also its timers and states.
func writeLLDPInterface(w io.Writer, i api.LLDPInterface, detail Detail) {
	o := outline{w: w}
	o.line("Interface", fmt.Sprintf("%s, via: LLDP, port: %s", i.Interface, i.Port))
	in := outline{w, 1}
	in.line("Status", i.Status+", "+adminWords(i.Mode))
	in.line("Destination", i.Destination)
	in.line("Neighbors", neighborsWords(i))
	writeTroubles(in, i)
	writeNegotiation(in, i.UE, detail)
	writeDescription(in, i.LLDPDescription, detail)
	if detail == Full {
		in.line("TX interval", fmt.Sprintf("%d s, hold %d", i.TxInterval, i.TxHold))
		in.line("TX state", i.TxState)
		in.line("RX state", i.RxState)
	}
}

// adminWords returns an agent's mode (rx-tx, off) in lldpcli's words.
func adminWords(mode string) string {
	words := map[string]string{"rx-tx": "RX and TX", "rx-only": "RX only", "tx-only": "TX only", "off": "disabled"}
	if w, ok := words[mode]; ok {
		return w
	}
	return mode
}

func neighborsWords(i api.LLDPInterface) string {
	s := fmt.Sprint(i.Neighbors)
	if i.TooManyNeighbors {
		s += ", more than there is room for"
	}
	return s
}

// writeTroubles prints the problems of an LLDP agent: a fault, another agent, a loop.
func writeTroubles(o outline, i api.LLDPInterface) {
	o.line("Trouble", i.Trouble)
	o.line("Other agent", i.OtherAgent)
	if i.Loop {
		o.line("Loop", "frames with this port's own chassis id and port id arrive")
	}
}

// writeNegotiation prints the result of the UE negotiation: the features that both ends can use. It prints nothing
// if neither end sends UE TLVs.
func writeNegotiation(o outline, r api.UEResult, detail Detail) {
	if !r.Own.Speaks() && !r.Advertised.Speaks() {
		return
	}
	in := o.under("UE negotiation")
	in.line("Partner", r.Partner.String())
	in.line("LLR", fmt.Sprintf("local %s, remote %s%s", onOff(r.LLR.Local), onOff(r.LLR.Remote), draining(r.LLR.Drain)))
	if r.CBFC.On {
		in.line("CBFC", fmt.Sprintf("on, %d VCs, credit pool %d, lossless VCs %s",
			r.CBFC.VCs, r.CBFC.Pool, r.CBFC.LosslessList))
	} else {
		in.line("CBFC", "off"+draining(r.CBFC.Drain))
	}
	if detail == Full {
		writeUE(in, "Sent", r.Own)
		writeUE(in, "Received", r.Advertised)
	}
}

func draining(drain bool) string {
	if drain {
		return ", after having been on"
	}
	return ""
}

// WriteLLDPStatistics prints LLDP counters in lldpcli's form; with details, all counters under the names of
// 802.1AB.
func WriteLLDPStatistics(w io.Writer, statistics []api.LLDPStatistics, detail Detail) {
	if detail == Summary {
		chapter(w, "LLDP global statistics:")
		writeStatistics(outline{w: w}, together(statistics))
		rule(w)
		return
	}
	chapter(w, "LLDP statistics:")
	for _, s := range statistics {
		outline{w: w}.line("Interface", fmt.Sprintf("%s, port: %s, to: %s", s.Interface, s.Port, s.Destination))
		if detail == Full {
			WriteFields(w, s)
		} else {
			writeStatistics(outline{w, 1}, s.Counters)
		}
		rule(w)
	}
}

// together returns the sums over all LLDP agents of those counters that the summary of WriteLLDPStatistics prints.
func together(statistics []api.LLDPStatistics) (sum lldp.Counters) {
	for _, s := range statistics {
		sum.Tx.TotalFrames += s.Tx.TotalFrames
		sum.Rx.TotalFrames += s.Rx.TotalFrames
		sum.Rx.TotalDiscardedFrames += s.Rx.TotalDiscardedFrames
		sum.Rx.TotalUnrecognizedTLVs += s.Rx.TotalUnrecognizedTLVs
		sum.Rx.TotalAgeouts += s.Rx.TotalAgeouts
		sum.Remote.Inserts += s.Remote.Inserts
		sum.Remote.Deletes += s.Remote.Deletes
		sum.Remote.Drops += s.Remote.Drops
	}
	return sum
}

// writeStatistics prints the counters that lldpcli has, under its names.
func writeStatistics(in outline, s lldp.Counters) {
	for _, line := range []struct {
		key   string
		value uint64
	}{
		{"Transmitted", s.Tx.TotalFrames}, {"Received", s.Rx.TotalFrames}, {"Discarded", s.Rx.TotalDiscardedFrames},
		{"Unrecognized", s.Rx.TotalUnrecognizedTLVs}, {"Ageout", s.Rx.TotalAgeouts},
		{"Inserted", s.Remote.Inserts}, {"Deleted", s.Remote.Deletes}, {"Dropped", s.Remote.Drops},
	} {
		in.line(line.key, Count(line.value))
	}
}
