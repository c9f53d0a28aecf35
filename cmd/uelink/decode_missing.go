package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/gopacket/gopacket/pcapgo"
)

// missing is how many frames the statistics of a capture say that it lacks, by interface.
type missing struct {
	frames map[int]uint64
	fresh  []int // interfaces of which that is to be told
}

// hear takes statistics of an interface.
func (m *missing) hear(intf int, s pcapgo.NgInterfaceStatistics) {
	if s.PacketsDropped == pcapgo.NgNoValue64 || s.PacketsDropped <= m.frames[intf] {
		return
	}
	if m.frames == nil {
		m.frames = map[int]uint64{}
	}
	m.frames[intf] = s.PacketsDropped
	m.fresh = append(m.fresh, intf)
}

// missingFrames is how many frames of an interface are missing, as -o json shows it.
type missingFrames struct {
	Interface string `json:"interface"`
	Missing   uint64 `json:"missing"`
}

// showMissing prints what has been heard since it was called last.
func (d *decoder) showMissing(out io.Writer, r *pcapgo.NgReader, m *missing) (err error) {
	for _, i := range m.fresh {
		of := missingFrames{Missing: m.frames[i]}
		if intf, err := r.Interface(i); err == nil {
			of.Interface = intf.Name
		}
		if d.tool.output == asJSON {
			err = json.NewEncoder(out).Encode(of)
		} else {
			_, err = fmt.Fprintf(out, "       %d frames of %s are missing so far: they came faster than they were taken\n",
				of.Missing, orDash(of.Interface))
		}
		if err != nil {
			return err
		}
	}
	m.fresh = m.fresh[:0]
	return nil
}
