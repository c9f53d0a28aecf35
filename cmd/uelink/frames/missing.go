package frames

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/gopacket/gopacket/pcapgo"

	"uelink/cmd/uelink/view"
)

// missing counts the frames that are missing in a capture, by its statistics, for each interface.
type missing struct {
	frames map[int]uint64
	fresh  []int // interfaces with a count that was not printed yet
}

// record records the count of dropped packets in a capture's statistics of an interface, if it has grown, and notes the
// interface in fresh, for showMissing to print the count.
func (m *missing) record(intf int, s pcapgo.NgInterfaceStatistics) {
	if s.PacketsDropped == pcapgo.NgNoValue64 || s.PacketsDropped <= m.frames[intf] {
		return
	}
	if m.frames == nil {
		m.frames = map[int]uint64{}
	}
	m.frames[intf] = s.PacketsDropped
	m.fresh = append(m.fresh, intf)
}

// missingFrames is the number of missing frames of an interface, in -o json.
type missingFrames struct {
	Interface string `json:"interface"`
	Missing   uint64 `json:"missing"`
}

// showMissing prints how many frames of each interface a capture lacks, for the counts that are new since the last
// call.
func (d *decoder) showMissing(out io.Writer, r *pcapgo.NgReader, m *missing) (err error) {
	for _, i := range m.fresh {
		entry := missingFrames{Missing: m.frames[i]}
		if intf, err := r.Interface(i); err == nil {
			entry.Interface = intf.Name
		}
		if d.asJSON {
			err = json.NewEncoder(out).Encode(entry)
		} else {
			_, err = fmt.Fprintf(out,
				"       %d frames of %s are missing so far: they came faster than this command took them\n",
				entry.Missing, view.OrDash(entry.Interface))
		}
		if err != nil {
			return err
		}
	}
	m.fresh = m.fresh[:0]
	return nil
}
