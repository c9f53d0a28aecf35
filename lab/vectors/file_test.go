package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Link types of the pcapng. Both are for private use: they mean nothing without a setting of Wireshark.
const (
	linkTypeCtlOS = layers.LinkType(147) // DLT_USER0
	linkTypeBlock = layers.LinkType(148) // DLT_USER1
)

// The interfaces of the pcapng, in their order. The first two are Ethernet, named after the dialect of their packets.
var interfaces = []pcapgo.NgInterface{
	{Name: "seed", LinkType: layers.LinkTypeEthernet, TimestampResolution: 9},
	{Name: "ue1", LinkType: layers.LinkTypeEthernet, TimestampResolution: 9},
	{Name: LinkCtlOS, LinkType: linkTypeCtlOS, TimestampResolution: 9},
	{Name: LinkBlock, LinkType: linkTypeBlock, TimestampResolution: 9},
}

// Interface returns the number of the vector's interface in the pcapng.
func (v *Vector) Interface() int {
	switch {
	case v.Link == LinkCtlOS:
		return 2
	case v.Link == LinkBlock:
		return 3
	case v.Dialect == "ue1":
		return 1
	}
	return 0
}

// JSON returns the list of vectors as an array with one object a line. A field is an array of its name, first bit,
// bits and value; "packet" is the number of the vector in the pcapng.
func JSON(list []Vector) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("[\n")
	for i := range list {
		line, err := json.Marshal(list[i].object(i + 1))
		if err != nil {
			return nil, err
		}
		b.Write(line)
		if i+1 < len(list) {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	return b.Bytes(), nil
}

// object is the JSON form of a vector.
type object struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Dialect string   `json:"dialect"`
	Format  string   `json:"format"`
	Link    string   `json:"link"`
	Packet  int      `json:"packet"`
	Octets  string   `json:"octets"`
	Fields  [][4]any `json:"fields"`
	Faults  []string `json:"faults"`
}

func (v *Vector) object(packet int) object {
	o := object{v.Name, v.Kind, v.Dialect, v.Format, v.Link, packet, hex.EncodeToString(v.Octets), [][4]any{},
		[]string{}}
	for _, f := range v.Fields {
		o.Fields = append(o.Fields, [4]any{f.Name, f.At, f.Bits, fmt.Sprintf("0x%x", f.Value)})
	}
	o.Faults = append(o.Faults, v.Faults...)
	return o
}

// epoch is the time of the first packet of the pcapng. Any day would do; a fixed day keeps the file the same.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// PCAPNG returns the vectors as a capture, one a millisecond, with their names as comments.
func PCAPNG(list []Vector) ([]byte, error) {
	var b bytes.Buffer
	info := pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "uelink"}}
	w, err := pcapgo.NewNgWriterInterface(&b, interfaces[0], info)
	if err != nil {
		return nil, err
	}
	for _, intf := range interfaces[1:] {
		if _, err := w.AddInterface(intf); err != nil {
			return nil, err
		}
	}
	for i := range list {
		v := &list[i]
		ci := gopacket.CaptureInfo{Timestamp: epoch.Add(time.Duration(i) * time.Millisecond),
			CaptureLength: len(v.Octets),
			Length:        len(v.Octets), InterfaceIndex: v.Interface()}
		if err := w.WritePacketWithOptions(ci, v.Octets,
			pcapgo.NgPacketOptions{Comments: []string{v.Name}}); err != nil {
			return nil, err
		}
	}
	err = w.Flush()
	return b.Bytes(), err
}
