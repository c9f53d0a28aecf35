package dcbnl

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/lldp/dcbx/ieee"
)

// IEEE are settings in the IEEE form of DCBNL.
type IEEE struct {
	ETS            ieee.Configuration // operational tables, with the configured willing bit
	Recommendation ieee.ETS
	PFC            ieee.PFC // operational priorities
	App            []ieee.AppEntry
}

// Nested attributes of attrIEEE.
const (
	attrETS      = 1
	attrFlow     = 2
	attrAppTable = 3
	attrApp      = 1 // within attrAppTable
)

// Lengths of struct ieee_ets, struct ieee_pfc and struct dcb_app of linux/dcbnl.h, which have no padding but before the
// counters of ieee_pfc.
const (
	etsLen  = 59
	flowLen = 136
	appLen  = 4

	flowSettings = 6 // octets of struct ieee_pfc that can be set; counters of the driver follow
)

// etsOctets returns struct ieee_ets. The shares of receiving are those of sending.
func (s *IEEE) etsOctets() []byte {
	willing, cbs := uint8(0), uint8(0)
	if s.ETS.Willing {
		willing = 1
	}
	if s.ETS.CBS {
		cbs = 1
	}
	b := []byte{willing, s.ETS.MaxTCs, cbs}
	for _, table := range [][8]uint8{s.ETS.Bandwidth, s.ETS.Bandwidth, s.ETS.Algorithm, s.ETS.Class,
		s.Recommendation.Bandwidth, s.Recommendation.Algorithm, s.Recommendation.Class} {
		b = append(b, table[:]...)
	}
	return b
}

// flowOctets returns struct ieee_pfc. The counters are the driver's.
func (s *IEEE) flowOctets() []byte {
	b := make([]byte, flowLen)
	b[0], b[1] = s.PFC.Cap, s.PFC.Enable
	if s.PFC.MBC {
		b[2] = 1
	}
	return b
}

// appOctets returns struct dcb_app, whose protocol has the octet order of the machine.
func appOctets(e ieee.AppEntry) []byte {
	return binary.NativeEndian.AppendUint16([]byte{e.Selector, e.Priority}, e.Protocol)
}

// present are a driver's settings as read from it.
type present struct {
	ets  []byte
	flow []byte
	app  [][]byte
}

// applyIEEE makes the host run DCBX in its IEEE version and sets ETS and PFC in one message, then the entries of the
// Application table one by one, because the kernel does not set a table of several entries as a whole. Entries that are
// neither wanted nor former are removed: earlier calls have set them. applyIEEE reads the result and returns an error
// if the driver has other settings.
func applyIEEE(ask asker, ifname string, s *IEEE, f *Former) error {
	if err := takeMode(ask, ifname, modeHostIEEE); err != nil {
		return err
	}
	nest := nl.NewRtAttr(attrIEEE, nil)
	nest.AddRtAttr(attrETS, s.etsOctets())
	nest.AddRtAttr(attrFlow, s.flowOctets())
	if err := run(ask, ifname, setIEEE, nest); err != nil {
		return err
	}
	now, err := readIEEE(ask, ifname)
	if err != nil {
		return err
	}
	if f.Unknown {
		f = &Former{App: now.app} // keep all entries for other protocols: another program may have set them
	}
	if err := replaceApp(ask, ifname, now.app, f.table(s.App)); err != nil {
		return err
	}
	return s.compare(now)
}

func appAttr(octets []byte) *nl.RtAttr {
	nest := nl.NewRtAttr(attrIEEE, nil)
	nest.AddRtAttr(attrAppTable, nil).AddRtAttr(attrApp, octets)
	return nest
}

// compare returns an error that says how the driver's settings differ from s.
func (s *IEEE) compare(now present) error {
	if len(now.flow) >= 2 && now.flow[1] != s.PFC.Enable {
		programmed := s.PFC
		programmed.Enable = now.flow[1]
		return fmt.Errorf("%w: priorities with PFC: %s in the NIC, %s by DCBX: see dcb pfc show", ErrDiffers,
			flowText(programmed), flowText(s.PFC))
	}
	// Shares of sending, algorithms and classes are octets 3 to 10 and 19 to 34.
	want := s.etsOctets()
	if len(now.ets) >= 35 && (!slices.Equal(now.ets[3:11], want[3:11]) || !slices.Equal(now.ets[19:35], want[19:35])) {
		return fmt.Errorf("%w: ETS tables differ: see dcb ets show", ErrDiffers)
	}
	return nil
}

// readIEEE reads the driver's settings: ETS, PFC and the entries of the Application table, each as the octets of its C
// structure; nil: the driver reports none.
func readIEEE(ask asker, ifname string) (now present, err error) {
	answer, err := ask(message(getIEEE, ifname, nil))
	if err != nil {
		return now, fmt.Errorf("%s: %w", getIEEE, advised(err))
	}
	nest := attribute(body(answer), attrIEEE)
	now.ets, now.flow = attribute(nest, attrETS), attribute(nest, attrFlow)
	for rest := attribute(nest, attrAppTable); ; {
		var kind uint16
		var value []byte
		var ok bool
		if kind, value, rest, ok = cutAttribute(rest); !ok {
			return now, nil
		}
		if kind == attrApp && len(value) == appLen {
			now.app = append(now.app, value)
		}
	}
}

// body returns the attributes of an answer, the octets after struct dcbmsg.
func body(answer []byte) []byte { return answer[min(4, len(answer)):] }

// attribute returns the value of the first attribute of a kind in b, nil if there is none.
func attribute(b []byte, kind uint16) []byte {
	for {
		k, value, rest, ok := cutAttribute(b)
		if !ok {
			return nil
		}
		if k == kind {
			return value
		}
		b = rest
	}
}

// cutAttribute returns the first attribute of b and the octets after it; ok is false for none.
func cutAttribute(b []byte) (kind uint16, value, rest []byte, ok bool) {
	if len(b) < unix.SizeofRtAttr {
		return 0, nil, nil, false
	}
	length := int(binary.NativeEndian.Uint16(b))
	if length < unix.SizeofRtAttr || length > len(b) {
		return 0, nil, nil, false
	}
	const typeBits = 0x3fff // the others are flags
	kind = binary.NativeEndian.Uint16(b[2:]) & typeBits
	return kind, b[unix.SizeofRtAttr:length], b[min(len(b), (length+3)&^3):], true
}
