package path

import (
	"encoding/binary"
	"testing"
	"time"

	"uelink/dataplane/qos"
	"uelink/wire"
	"uelink/wire/uet"
)

const (
	trimmedDSCP = 16
	plainDSCP   = 8 << 2 // has class 7, which no kind of UET packet has
)

// uetFrame is a UET packet of a kind in UDP over IPv4, with a DSCP and the word of IPv4 that fragments have.
func uetFrame(kind string, dscp uint8, fragment uint16) []byte {
	f := make([]byte, wire.HeaderLen+28, 200)
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00})
	for _, h := range uet.FormatByName(wire.DialectSeed, kind).Build(wire.DialectSeed) {
		f = append(f, h.Octets...)
	}
	f = append(f, make([]byte, 40)...)
	ip := f[wire.HeaderLen:]
	ip[0], ip[1], ip[8], ip[9] = 0x45, dscp<<2, 64, 17
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
	binary.BigEndian.PutUint16(ip[6:], fragment)
	binary.BigEndian.PutUint16(ip[22:], uet.DefaultPort)
	binary.BigEndian.PutUint16(ip[24:], uint16(len(ip)-20))
	return f
}

// byKind is a pair whose edges trust the kind of UET packets.
func byKind() pairOptions {
	o := priorities(8)
	q := &o.edge.QoS
	q.Trust = qos.TrustUET
	q.DSCP[plainDSCP] = 7
	q.UET = [qos.UETKinds]uint8{qos.UETRequest: 1, qos.UETAcknowledgement: 5, qos.UETControl: 6, qos.UETTrimmed: 4}
	q.Classifier = uet.Classifier{Port: uet.DefaultPort, Protocol: uet.DefaultProtocol, Trimmed: 1 << trimmedDSCP}
	return o
}

// A kind of UET packet has a virtual channel of its own on the link, and a queue at the far edge. What cannot be
// told goes by its DSCP.
func TestUETPacketsGoByTheirKind(t *testing.T) {
	p := newPair(byKind(), 3)
	if !p.until(p.established, time.Second) {
		t.Fatal("LLR does not come up")
	}
	p.pass(5e6) // both have said how many channels they have
	for _, c := range []struct {
		name  string
		frame []byte
		want  uint8
	}{
		{"a request", uetFrame("rud_req", plainDSCP, 0), 1},
		{"an ACK", uetFrame("ack_cc", plainDSCP, 0), 5},
		{"a NACK", uetFrame("nack", plainDSCP, 0), 5},
		{"a RUDI response", uetFrame("rudi_resp", 0, 0), 5},
		{"CTRL", uetFrame("ctrl", plainDSCP, 0), 6},
		{"a trimmed request", uetFrame("rud_req", trimmedDSCP, 0), 4}, {"a fragment", uetFrame("ack", plainDSCP, 0x2000), 7},
		{"an encrypted packet", uetFrame("tss", plainDSCP, 0), 7},
		{"no UET, with a tag", tagged(3, 1), 3},
	} {
		before, beyond := p.a.l.Port.egress.counters[c.want].TxFrames, p.b.edge.egress.counters[c.want].TxFrames
		if !p.crosses(c.frame) {
			t.Fatalf("%s: lost", c.name)
		}
		if n := p.a.l.Port.egress.counters[c.want].TxFrames - before; n != 1 {
			t.Errorf("%s: %d frames on channel %d", c.name, n, c.want)
		}
		if n := p.b.edge.egress.counters[c.want].TxFrames - beyond; n != 1 {
			t.Errorf("%s: %d frames by queue %d of the far edge", c.name, n, c.want)
		}
	}
}

// Acknowledgements that come behind data leave before it, when both have had to wait.
func TestAcknowledgementsOvertakeData(t *testing.T) {
	p := up(t, byKind())
	p.pass(5e6)
	p.setCarrier(false)
	data, ack := uetFrame("rud_req", 0, 0), uetFrame("ack", 0, 0)
	for range 8 {
		p.a.host.Send(data)
	}
	p.a.host.Send(ack)
	p.round()
	p.setCarrier(true)
	var first []byte
	if !p.until(func() bool { first = p.b.host.Recv(); return first != nil }, time.Second) {
		t.Fatal("nothing comes")
	}
	c := uet.NewClassifier()
	if got := c.Classify(first).Class; got != uet.Acknowledgement {
		t.Errorf("first comes a packet of class %v", got)
	}
}
