package vnet

import (
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/segment"
)

// mostTries is the number of tries for a frame for which the kernel has no room (EAGAIN, ENOBUFS). A veth gives the
// same errors for a frame that its other end will never take.
const mostTries = 256

// Kick sends the posted frames in order, consecutive segments of a flow together. Frames that the kernel has no room
// for stay posted for mostTries calls at most; what the kernel will not take later, either, counts as refused. After a
// refused super-frame the frames of its protocol leave one by one.
func (d *Device) Kick() error {
	if d.early || d.back {
		if err := d.below.Kick(); err != nil {
			return err
		}
	}
	sent := 0
	var err error
	for sent < len(d.posted) {
		n, errno := d.sendFrom(sent)
		if errno != 0 {
			err = outcome(errno)
			if d.tries++; err == frame.ErrDown || err == frame.ErrGone || err == nil && d.tries < mostTries {
				break
			}
			d.counts.refused.Add(1)
			if err, d.tries = nil, 0; n > 1 {
				*d.oneByOne() = true
				continue
			}
		}
		d.tries = 0
		d.complete(sent, n)
		sent += n
	}
	d.posted = d.posted[:copy(d.posted, d.posted[sent:])]
	return err
}

// oneByOne returns whether frames with the protocol of the first leave one by one, because the kernel refuses
// super-frames.
func (d *Device) oneByOne() *bool {
	if d.joiner.UDP() {
		return &d.loneUDP
	}
	return &d.loneTCP
}

// complete marks n posted frames, of index from and behind it, as left. A frame that left by the device below is marked
// there.
func (d *Device) complete(from, n int) {
	if d.passed {
		d.passed = false
		return
	}
	for i := range n {
		d.done = append(d.done, d.posted[from+i].Addr)
	}
}

// sendFrom sends a posted frame, joined with the frames behind it where they fit, and returns the number of frames
// sent.
func (d *Device) sendFrom(from int) (n int, errno unix.Errno) {
	d.joiner.Reset()
	first := d.octets(from)
	if !d.next.Parse(first) {
		return 1, d.sendOne(from)
	}
	if d.joiner.Start(&d.next); *d.oneByOne() {
		return 1, d.sendOne(from)
	}
	for i := from + 1; i < len(d.posted) && d.next.Parse(d.octets(i)) && d.joiner.Add(&d.next); i++ {
	}
	if n = d.joiner.Len(); n == 1 {
		return 1, d.sendOne(from)
	}
	length, h := d.joiner.Headers(d.headers[segment.HeaderLen:])
	h.Put(d.headers[:])
	d.iov[0] = unix.Iovec{Base: &d.headers[0], Len: uint64(segment.HeaderLen + length)}
	for i := range n {
		payload := d.octets(from + i)[length:]
		d.iov[1+i] = unix.Iovec{Base: &payload[0], Len: uint64(len(payload))}
	}
	if errno = d.socket.send(d.iov[:1+n]); errno == 0 {
		d.counts.txSuper.Add(1)
	}
	return n, errno
}

// sendOne sends posted frame i as it is; a frame longer than plain by the device below, if that takes it.
func (d *Device) sendOne(i int) unix.Errno {
	f := d.octets(i)
	if d.plain > 0 && len(f) > d.plain && d.below.Transmit(d.posted[i:i+1]) == 1 {
		d.passed = true
		_ = d.below.Kick() // the next Kick of the device below has the error again
		return 0
	}
	segment.Header{}.Put(d.headers[:])
	d.iov[0] = unix.Iovec{Base: &d.headers[0], Len: segment.HeaderLen}
	d.iov[1] = unix.Iovec{Base: &f[0], Len: uint64(len(f))}
	return d.socket.send(d.iov[:2])
}

func (d *Device) octets(i int) []byte {
	p := &d.posted[i]
	return d.area[p.Addr : p.Addr+uint64(p.Len)]
}
