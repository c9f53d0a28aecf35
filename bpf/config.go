package bpf

import "uelink/dataplane/attach"

// Config sets how frames of one interface are steered. The zero value is the setting of an edge port: all frames
// but LLDP and those from PumpAddress go to the socket.
type Config struct {
	Link             bool                // a link port: the EtherTypes below are ours
	EtherTypeData    uint16              // link: EtherType of data frames with a shim, which go to the socket
	EtherTypeControl uint16              // link: EtherType of control frames, which go to the socket
	Native           attach.NativeAction // link: what becomes of all other frames but LLDP
}

// PumpAddress returns the source address of broadcast frames that an edge port passes to the kernel, as written in
// steer.c. By these frames a socket of the kernel learns the NAPI instance of the RX queue.
func PumpAddress() [6]byte { return [6]byte{0x02, 0x75, 0x65, 0x6c, 0x70, 0x75} }

// settings returns the configuration as the map of the XDP program has it.
func (c Config) settings() steerSettings {
	s := steerSettings{
		EthertypeData:    c.EtherTypeData,
		EthertypeControl: c.EtherTypeControl,
		Native:           uint8(c.Native),
	}
	if c.Link {
		s.Link = 1
	}
	return s
}
