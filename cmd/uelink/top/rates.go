// Package top shows how busy a daemon is: rates of its ports, windows, credits and queues in use, and the CPU time of
// its workers, once or live on a terminal.
package top

import (
	"time"

	"uelink/control/api"
)

// Sample is the state of a daemon at a time.
type Sample struct {
	Time    time.Time
	Ports   []api.Port
	Workers []api.Worker
}

// Load is how busy a daemon was between two samples.
type Load struct {
	Seconds float64  `json:"seconds"` // time between the two samples
	Ports   []Port   `json:"ports"`
	Workers []Worker `json:"workers"`
}

// Port is how busy a port was. Rates are per second, and 0 if the counters were cleared or the port is new.
type Port struct {
	Port         string  `json:"port"`
	Role         string  `json:"role"`
	State        string  `json:"state"` // state of the port, or of the transmitter of a link
	TxFrames     float64 `json:"tx_frames_per_second"`
	TxBits       float64 `json:"tx_bits_per_second"` // octets without FCS
	RxFrames     float64 `json:"rx_frames_per_second"`
	RxBits       float64 `json:"rx_bits_per_second"`
	Replays      float64 `json:"tx_replays_per_second"` // frames of LLR, micropackets of HIPPI-6400-PH
	Outstanding  int     `json:"outstanding"`           // frames or micropackets that are not acknowledged
	Window       int     `json:"window"`                // limit of outstanding frames or micropackets; 0: no link
	CreditsUsed  int     `json:"credits_used"`          // credits of the virtual channel with the largest share in use
	CreditLimit  int     `json:"credit_limit"`          // limit of the same channel; 0: no channel has credits
	QueuedFrames int     `json:"queued_frames"`         // frames that wait to leave by the port
	Drops        float64 `json:"drops_per_second"`      // frames dropped, received or to be sent, for any reason
	Worker       int     `json:"worker"`                // number of the worker that serves the port
}

// Worker is how busy a worker was.
type Worker struct {
	Worker int     `json:"worker"`
	CPU    float64 `json:"cpu_percent"` // of one CPU
}

// hippiWindow is the limit of outstanding micropackets on a link of HIPPI-6400-PH.
const hippiWindow = 254

// Between returns how busy the daemon was between two samples. A port or worker that is missing in the first sample
// has rates of 0.
func Between(before, after Sample) Load {
	seconds := after.Time.Sub(before.Time).Seconds()
	l := Load{Seconds: seconds, Ports: []Port{}, Workers: []Worker{}}
	earlier := map[string]*api.Port{}
	for i := range before.Ports {
		earlier[before.Ports[i].Name] = &before.Ports[i]
	}
	for i := range after.Ports {
		port := &after.Ports[i]
		p := stateOf(port)
		if old := earlier[port.Name]; old != nil && seconds > 0 {
			p.setRates(old, port, seconds)
		}
		l.Ports = append(l.Ports, p)
	}
	ran := map[int]time.Duration{}
	for _, w := range before.Workers {
		ran[w.Worker] = w.CPU
	}
	for _, w := range after.Workers {
		now := Worker{Worker: w.Worker}
		if old, ok := ran[w.Worker]; ok && w.CPU >= old && seconds > 0 { // else another process has taken over
			now.CPU = 100 * (w.CPU - old).Seconds() / seconds
		}
		l.Workers = append(l.Workers, now)
	}
	return l
}

// stateOf returns the part of a port's load that one sample is enough for: its name, its state, its window and queued
// frames, and the credits of the virtual channel that has used the largest share of its limit. The rates are 0.
func stateOf(port *api.Port) Port {
	p := Port{
		Port: port.Name, Role: port.Role, State: port.OperStatus, QueuedFrames: port.QueuedFrames, Worker: port.Worker,
	}
	switch {
	case port.LLR != nil:
		p.Outstanding, p.Window = port.LLR.OutstandingFrames, port.LLR.MaxOutstandingFrames
		if port.OperStatus == api.OperUp {
			p.State = port.LLR.TxStatus.String()
		}
	case port.HIPPI != nil:
		p.Outstanding, p.Window = port.HIPPI.Outstanding, hippiWindow
	}
	if port.CBFC != nil {
		for _, v := range port.CBFC.VCs {
			if v.SenderCreditLimit > 0 && v.CreditsUsed*max(p.CreditLimit, 1) >= p.CreditsUsed*v.SenderCreditLimit {
				p.CreditsUsed, p.CreditLimit = v.CreditsUsed, v.SenderCreditLimit
			}
		}
	}
	return p
}

// setRates computes the rates of a port from its counters in two samples, old and current, that are a number of seconds
// apart.
func (p *Port) setRates(old, current *api.Port, seconds float64) {
	rate := func(before, now uint64) float64 {
		if now < before { // cleared
			return 0
		}
		return float64(now-before) / seconds
	}
	p.TxFrames = rate(old.Counters.TxFrames, current.Counters.TxFrames)
	p.TxBits = 8 * rate(old.Counters.TxOctets, current.Counters.TxOctets)
	p.RxFrames = rate(old.Counters.RxFrames, current.Counters.RxFrames)
	p.RxBits = 8 * rate(old.Counters.RxOctets, current.Counters.RxOctets)
	p.Replays = rate(replays(old), replays(current))
	p.Drops = rate(old.RxDropped+old.TxDropped, current.RxDropped+current.TxDropped)
}

// replays returns how many frames of LLR, or micropackets of HIPPI-6400-PH, a port has sent again; 0 if it has no
// link.
func replays(p *api.Port) uint64 {
	switch {
	case p.LLR != nil:
		return p.LLR.Counters.TxReplay
	case p.HIPPI != nil:
		return p.HIPPI.Counters.TxRetransmitted
	}
	return 0
}
