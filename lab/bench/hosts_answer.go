package main

import (
	"encoding/binary"
	"fmt"
	"io"
)

// answerCommand is the argument by which this program becomes host B of the experiment "hosts"; the name of a
// congestion control follows. A host is a separate process, because a Go program cannot bind some of its goroutines
// to a CPU, and so that its CPU time is its own.
const answerCommand = "answer"

// listening is the line that host B prints when it takes connections.
const listening = "host B listens"

// blockOctets is the most that a host reads or writes by one call.
const blockOctets = 128 << 10

// call is the beginning of each request of host A: kind and sizes, each as 8 octets, big endian.
type call struct {
	kind    callKind
	request uint64 // length of the request in octets, this header of callOctets included
	answer  uint64 // length of the answer, or of a piece of the ring, in octets
}

const callOctets = 24

type callKind uint64

// Kinds of requests.
const (
	callExchange callKind = iota // read the request, send the answer
	callSink                     // read all octets until host A ends
	callRing                     // send and receive pieces of the length answer until host A ends
)

// put writes the beginning of a request, for the wire, to the first callOctets octets of b.
func (c call) put(b []byte) {
	binary.BigEndian.PutUint64(b, uint64(c.kind))
	binary.BigEndian.PutUint64(b[8:], c.request)
	binary.BigEndian.PutUint64(b[16:], c.answer)
}

func readCall(b []byte) call {
	return call{callKind(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[16:])}
}

// answer runs host B: it takes connections with a congestion control and answers the requests on each, until the
// process is ended.
func answer(control string) error {
	l, err := listen(control)
	if err != nil {
		return err
	}
	fmt.Println(listening)
	for {
		s, err := l.accept()
		if err != nil {
			return err
		}
		go func() {
			defer s.close()
			// Host A closes connections in the middle of an exchange when its time is over.
			_ = answerOn(s, make([]byte, blockOctets))
		}()
	}
}

// answerOn answers requests until the connection ends, and returns the error that ended it. block is its buffer.
func answerOn(s stream, block []byte) error {
	for {
		if _, err := io.ReadFull(s, block[:callOctets]); err != nil {
			return err
		}
		var err error
		switch c := readCall(block); c.kind {
		case callExchange:
			if err = receive(s, block, c.request-callOctets); err == nil {
				err = send(s, block, c.answer)
			}
		case callSink:
			err = sink(s, block)
		case callRing:
			err = inRing(s, s, int(c.answer), func() bool { return true })
		default:
			err = fmt.Errorf("request of unknown kind %d", c.kind)
		}
		if err != nil {
			return err
		}
	}
}

// receive reads a number of octets, block by block.
func receive(s stream, block []byte, octets uint64) error {
	for octets > 0 {
		n, err := s.Read(block[:min(uint64(len(block)), octets)])
		if err != nil {
			return err
		}
		octets -= uint64(n)
	}
	return nil
}

// send writes a number of octets, block by block.
func send(s stream, block []byte, octets uint64) error {
	for octets > 0 {
		n, err := s.Write(block[:min(uint64(len(block)), octets)])
		if err != nil {
			return err
		}
		octets -= uint64(n)
	}
	return nil
}

// sink reads until host A ends.
func sink(s stream, block []byte) error {
	for {
		if _, err := s.Read(block); err != nil {
			return err
		}
	}
}
