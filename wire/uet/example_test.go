package uet_test

import (
	"fmt"

	"uelink/wire"
	"uelink/wire/uet"
)

// A packet of a RUD request with a standard SES request, built and cut into its headers.
func ExamplePacket_Parse() {
	var octets []byte
	for _, h := range uet.FormatByName(wire.DialectUE1, "rud_req").Build(wire.DialectUE1) {
		h.Put("psn", 42)           // of the PDS header
		h.Put("job_id", 0xABC)     // of the SES header
		h.Put("request_length", 4) // octets to transfer
		octets = append(octets, h.Octets...)
	}
	octets = append(octets, "data"...)

	var p uet.Packet
	fault := p.Parse(octets, uet.Options{Dialect: wire.DialectUE1})
	fmt.Println(fault.Wrong())
	for _, h := range p.Headers() {
		fmt.Println(h.Of.Title, h.Of.Len)
	}
	ses, _ := p.Header(uet.LayerSES)
	job, _ := ses.Get("job_id")
	fmt.Printf("job %#x, payload %q\n", job, p.Payload)

	fault = p.Parse(octets[:20], uet.Options{Dialect: wire.DialectUE1})
	fmt.Println(fault.Code())
	// Output:
	// false
	// RUD request 12
	// Standard Request SOM=1 44
	// job 0xabc, payload "data"
	// truncated: req_std_som1 after 8 of 44 octets
}

// An Ethernet frame with UET over IPv4 and UDP.
func ExampleClassifier_Classify() {
	frame := make([]byte, 60)
	frame[12] = 0x08 // EtherType IPv4
	ip := frame[wire.HeaderLen:]
	ip[0], ip[3], ip[9] = 0x45, 46, 17 // version and header length, total length, UDP
	udp := ip[20:]
	udp[2], udp[3], udp[5] = 4793>>8, 4793&0xFF, 26 // destination port, length
	udp[8] = 0x07 << 3                              // PDS packet type ACK

	c := uet.NewClassifier()
	s := c.Classify(frame)
	fmt.Println(s.Class, s.Type, s.PDS, s.End)
	// Output:
	// acknowledgement 7 42 60
}
