package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// askCommand is the argument by which this program becomes host A of the experiment "hosts"; the name of a congestion
// control, the number of a load and a time follow.
const askCommand = "ask"

// hostLoad is a load of the two hosts.
type hostLoad struct {
	name        string
	call        call
	fresh       bool // host A makes a new connection for each request
	connections int  // on which host A sends as fast as it can; 0: host A sends one request after the other
}

// hostLoads returns the loads of the experiment "hosts", in the order of its tables.
func hostLoads() []hostLoad {
	return []hostLoad{
		{name: "request of 143 octets, answer of 143", call: call{callExchange, 143, 143}},
		{name: "request of 143 octets, answer of 24,387", call: call{callExchange, 143, 24387}},
		{name: "request of 143 octets, answer of 2 MB, a connection for each request",
			call: call{callExchange, 143, 2_000_000}, fresh: true},
		{name: "request of 4 KiB, answer of 64 octets", call: call{callExchange, 4 << 10, 64}},
		{name: "sum of buffers of 1 MiB over a ring of 4 ranks", call: call{callRing, callOctets, ringPiece}},
		{name: "1", call: call{kind: callSink}, connections: 1},
		{name: "8", call: call{kind: callSink}, connections: 8},
	}
}

// asked is the result of a load, which host A prints as JSON. Times are in µs.
type asked struct {
	Count       int     `json:"count"` // of answers
	P50         float64 `json:"p50"`
	P99         float64 `json:"p99"`
	P999        float64 `json:"p999"`
	Octets      float64 `json:"octets"`      // octets acknowledged by host B, where host A sends as fast as it can
	BPS         float64 `json:"bps"`         // these octets in bits a second
	Retransmits float64 `json:"retransmits"` // segments sent again
	CPU         float64 `json:"cpu"`         // seconds, of host A
}

// ask runs host A: it performs a load for a time and prints the result.
func ask(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("%s needs three arguments: a congestion control, the number of a traffic load in the order of the "+
			"tables (from 0), and a duration", askCommand)
	}
	i, err := strconv.Atoi(args[1])
	if err != nil || i < 0 || i >= len(hostLoads()) {
		return fmt.Errorf("the benchmark has no traffic load with the number %q", args[1])
	}
	over, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	got, err := hostLoads()[i].perform(args[0], over)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(got)
}

// perform performs the load for a time, and longer for the answer under way. An answer that takes stallTime ends the
// load, and counts with its time so far.
func (l hostLoad) perform(control string, over time.Duration) (got asked, err error) {
	var took []time.Duration
	switch l.call.kind {
	case callSink:
		got, err = fill(control, l.connections, over)
	case callRing:
		took, err = ring(control, over)
	default:
		took, err = l.exchange(control, over)
	}
	if err != nil {
		return got, err
	}
	if l.call.kind != callSink {
		micros := make([]float64, len(took))
		for i, t := range took {
			micros[i] = micro(t)
		}
		got = asked{Count: len(took), P50: quantile(micros, 0.5), P99: quantile(micros, 0.99),
			P999: quantile(micros, 0.999)}
	}
	got.CPU, err = ownCPU()
	return got, err
}

// exchange sends one request after the other for a time, and returns the time of each answer. The time includes the
// connection, where the request makes one.
func (l hostLoad) exchange(control string, over time.Duration) (took []time.Duration, err error) {
	request, block := make([]byte, l.call.request), make([]byte, blockOctets)
	l.call.put(request)
	s := stream(-1)
	defer func() {
		if s >= 0 {
			_ = s.close()
		}
	}()
	for start, now := time.Now(), time.Now(); now.Sub(start) < over; {
		begun := now
		if s < 0 {
			s, err = dial(control)
		}
		if err == nil {
			_, err = s.Write(request)
		}
		if err == nil {
			err = receive(s, block, l.call.answer)
		}
		if err != nil && !errors.Is(err, errStalled) {
			return took, err
		}
		now = time.Now()
		if took = append(took, now.Sub(begun)); err != nil { // the answer stalls, and ends the load
			return took, nil
		}
		if l.fresh {
			err, s = s.close(), -1
		}
	}
	return took, err
}

// fill sends octets on a number of connections for a time, and returns the sums of octets, rates and retransmissions.
func fill(control string, connections int, over time.Duration) (got asked, err error) {
	type share struct {
		asked
		err error
	}
	shares, start := make(chan share, connections), time.Now()
	for range connections {
		go func() {
			got, err := fillOne(control, start, over)
			shares <- share{got, err}
		}()
	}
	for range connections {
		s := <-shares
		got.Octets, got.BPS, got.Retransmits = got.Octets+s.Octets, got.BPS+s.BPS, got.Retransmits+s.Retransmits
		err = errors.Join(err, s.err)
	}
	return got, err
}

// fillOne sends octets on a connection until the time over has passed since start, and longer while a call waits. It
// returns octets acknowledged, rate and retransmissions; zeros if host B does not accept the connection in time.
func fillOne(control string, start time.Time, over time.Duration) (got asked, err error) {
	s, err := dial(control)
	if errors.Is(err, errStalled) {
		return got, nil
	}
	if err != nil {
		return got, err
	}
	defer s.close()
	block := make([]byte, blockOctets)
	call{kind: callSink, request: callOctets}.put(block)
	octets := block[:callOctets]
	for err == nil && time.Since(start) < over {
		_, err = s.Write(octets)
		octets = block
	}
	if err != nil && !errors.Is(err, errStalled) {
		return got, err
	}
	got.Octets, got.Retransmits, err = s.sent()
	got.BPS = 8 * got.Octets / time.Since(start).Seconds()
	return got, err
}

// ownCPU returns the CPU time of this process so far, in seconds.
func ownCPU() (float64, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds(), nil
}
