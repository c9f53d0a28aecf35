package pcap

import "time"

// MaxComment is the longest comment of a frame, in octets. Longer ones are cut.
const MaxComment = 4096

// Recorder writes frames of several interfaces to a capture. The caller hands over the frames one by one, with
// comments. The file has the frames in the order of the calls, whatever their interface. A Recorder belongs to one
// goroutine.
type Recorder struct {
	tap        *Device
	interfaces []uint32
}

// Recorder returns a recorder of interfaces with these names, one at least. The capture's Close writes its last frames.
func (c *Capture) Recorder(names ...string) *Recorder {
	r := &Recorder{tap: newTap(c)}
	c.add(r.tap, names[0])
	r.interfaces = append(r.interfaces, r.tap.intf)
	for _, name := range names[1:] {
		r.interfaces = append(r.interfaces, c.addInterface(name))
	}
	return r
}

// Received captures a frame that interface i, from 0, has received. comment is text, or empty.
func (r *Recorder) Received(i int, octets []byte, at time.Time, comment []byte) {
	r.record(i, inbound, octets, at, comment)
}

// Sent captures a frame that interface i sends.
func (r *Recorder) Sent(i int, octets []byte, at time.Time, comment []byte) {
	r.record(i, outbound, octets, at, comment)
}

// Noted captures a frame of interface i that it has neither received nor sent.
func (r *Recorder) Noted(i int, octets []byte, at time.Time, comment []byte) {
	r.record(i, 0, octets, at, comment)
}

func (r *Recorder) record(i int, way direction, octets []byte, at time.Time, comment []byte) {
	d := r.tap
	if d.capture.stopped.Load() {
		return
	}
	p := captured{r.interfaces[i], at.UnixNano(), way, octets, comment[:min(len(comment), MaxComment)]}
	d.keep(d.add(d.filling.Swap(nil), p))
}
