package guest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/cable"
)

// The tests of a bad wire in the kernel: a cable between the veths of two hosts, on a kernel without TCX:
//
//	hostA ── uelink cable ── hostB
//	 eth0  wireA   wireB   eth0

// Names of the results of the tests of a bad wire in the kernel.
const (
	CableClean = "cable, no loss"
	CableLossy = "cable, loss 10 %"
)

// Load of the tests of a bad wire in the kernel.
const (
	cableLoss      = 0.1
	cableDatagrams = 10_000           // number of datagrams, both ways together
	cableBuffer    = 32 << 20         // octets of a receiver's buffer: room for all datagrams of a test
	cableSilence   = 2 * time.Second  // time without arrivals after which no datagram is under way
	cableStream    = 4 << 20          // octets of the TCP stream, each way
	cableDuration  = 60 * time.Second // longest time of the TCP stream
)

// cableHosts are two hosts, and the namespace between them with the other ends of their veths.
type cableHosts struct {
	hosts [2]*netns.NS
	wire  *netns.NS
	log   *output
}

// cables runs the tests of a bad wire in the kernel, and reports each result. Without loss everything arrives; with
// loss the cable has dropped as many frames as the hosts miss. A cable that is killed leaves a filter behind, which
// does not hinder later cables.
func (s *session) cables() error {
	h, err := newCableHosts()
	if err != nil {
		return err
	}
	for _, c := range []Cell{{Fault: CableClean}, {Fault: CableLossy}} {
		if err := bounded(func() error { return h.cell(&c) }); err != nil {
			c.Outcome, c.Why, c.Log = Failed, err.Error(), h.log.tail(20)
		}
		s.send(Message{Cell: &c})
	}
	return nil
}

// newCableHosts makes two hosts and a wire between them, with addresses and without frames crossing.
func newCableHosts() (*cableHosts, error) {
	h := &cableHosts{log: &output{}}
	for ns, name := range map[**netns.NS]string{&h.hosts[0]: "cableA", &h.hosts[1]: "cableB", &h.wire: "cable"} {
		var err error
		if *ns, err = netns.New(name); err != nil {
			return nil, err
		}
	}
	err := errors.Join(netns.Veth(h.hosts[0], "eth0", h.wire, "wireA", edgeMTU),
		netns.Veth(h.hosts[1], "eth0", h.wire, "wireB", edgeMTU))
	for i, host := range h.hosts {
		err = errors.Join(err, host.AddAddr("eth0", plainAddresses[i]+"/24"))
	}
	return h, err
}

// cell runs the test of c: it kills a first cable, plugs in a second, lets the hosts send, and compares the frames that
// the hosts miss with those that the second cable has dropped. A cable without loss must carry a TCP stream, too.
func (h *cableHosts) cell(c *Cell) error {
	loss := 0.0
	if c.Fault == CableLossy {
		loss = cableLoss
	}
	killed, err := h.plug(loss)
	if err != nil {
		return err
	}
	killed.kill()
	p, err := h.plug(loss)
	if err != nil {
		return err
	}
	err = h.datagrams(c)
	report, pullErr := p.pull()
	if err = errors.Join(err, pullErr); err != nil {
		return err
	}
	var dropped uint64
	for _, d := range report.Directions {
		if d.Path != "clsact" {
			return fmt.Errorf("the cable took frames from %s by %s, not by clsact", d.From, d.Path)
		}
		dropped += d.Dropped
	}
	c.Notice = fmt.Sprintf("%d datagrams, %d lost; the cable dropped %d frames by clsact", c.Sent, c.Lost, dropped)
	if err := lossIsRight(c.Sent, c.Lost, dropped, loss); err != nil {
		return err
	}
	c.Outcome = Clean
	if loss > 0 {
		return nil
	}
	return h.stream()
}

// lossIsRight returns an error unless the number of lost datagrams is within 5 standard deviations of share * sent, and
// the cable has dropped these and at most a few frames more: ARP requests, which hosts repeat.
func lossIsRight(sent, lost, dropped uint64, share float64) error {
	const questions = 20
	expected := share * float64(sent)
	if math.Abs(float64(lost)-expected) > 5*math.Sqrt(expected*(1-share)) {
		return fmt.Errorf("%d of %d datagrams are lost, where about %.0f were expected; the cable has dropped %d frames",
			lost, sent, expected, dropped)
	}
	if dropped < lost || dropped > lost+questions {
		return fmt.Errorf("%d datagrams are lost, but the cable has dropped %d frames", lost, dropped)
	}
	return nil
}

// datagrams sends cableDatagrams datagrams, by turns one each way, waits until none has arrived for cableSilence, and
// adds the numbers of sent and of lost ones to c.
func (h *cableHosts) datagrams(c *Cell) (err error) {
	var ends [2]*net.UDPConn
	for i, host := range h.hosts {
		if ends[i], err = listenDatagrams(host); err != nil {
			return err
		}
		defer ends[i].Close()
		if err := receiveBuffer(ends[i], cableBuffer); err != nil {
			return err
		}
	}
	var flows [2]flow
	for i := range flows {
		f := &flows[i]
		f.from, f.to = ends[i], ends[1-i]
		f.address = &net.UDPAddr{IP: net.ParseIP(plainAddresses[1-i]), Port: datagramPort}
		go f.receive()
	}
	octets := make([]byte, 64)
	for n := range cableDatagrams {
		f := &flows[n%2]
		if _, err := f.from.WriteTo(octets, f.address); err != nil {
			return err
		}
		f.sent.Add(1)
		if n%16 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	for before := int64(-1); before != flows[0].arrived.Load()+flows[1].arrived.Load(); time.Sleep(cableSilence) {
		before = flows[0].arrived.Load() + flows[1].arrived.Load()
	}
	for _, d := range sumOf(&flows).Directions {
		c.Sent += d.Sent
		c.Lost += d.Lost
	}
	return nil
}

// receiveBuffer sets the receive buffer of a socket to this many octets, above the machine's bound, too.
func receiveBuffer(c *net.UDPConn, octets int) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var refused error
	err = raw.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, octets)
	})
	return errors.Join(err, refused)
}

// stream sends a stream of octets to an echo server behind the wire, and waits for all of them to come back. The
// hosts' segments have unfinished checksums and leave as super-frames: only a cable that carries both passes this.
func (h *cableHosts) stream() error {
	p, err := h.plug(0)
	if err != nil {
		return err
	}
	if err := serveEcho(h.hosts[1]); err != nil {
		return errors.Join(err, p.end())
	}
	sent, _, err := bulk(h.hosts[0], plainAddresses[1], cableStream, cableDuration)
	if err == nil && sent < cableStream {
		err = fmt.Errorf("TCP: %d of %d octets came back within %v", sent, cableStream, cableDuration)
	}
	return errors.Join(err, p.end())
}

// pluggedCable is a running `uelink cable`.
type pluggedCable struct {
	*process
	result *output
}

// plug starts a cable between the two veths that loses this share of the frames (0 to 1), and waits until it is ready.
func (h *cableHosts) plug(loss float64) (*pluggedCable, error) {
	h.log.clear()
	p := &pluggedCable{result: &output{}, process: &process{log: h.log, ended: make(chan struct{})}}
	p.cmd = exec.Command("/bin/uelink", "cable", "--loss", fmt.Sprint(loss), "-o", "json", "wireA", "wireB")
	p.cmd.Stdout, p.cmd.Stderr = p.result, h.log
	if err := h.wire.Start(p.cmd); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // the report tells how it went
		close(p.ended)
	}()
	return p, within(establishment, "the cable", func() string {
		if text := strings.Join(h.log.tail(5), " "); !strings.Contains(text, `"ready"`) {
			return "it says " + text
		}
		return ""
	})
}

// pull ends the cable and returns its report.
func (p *pluggedCable) pull() (report cable.Report, err error) {
	if err := p.end(); err != nil {
		return report, err
	}
	err = json.Unmarshal([]byte(strings.Join(p.result.tail(math.MaxInt32), "\n")), &report)
	return report, err
}

// end ends the cable as Ctrl-C does, and waits until its process has ended.
func (p *pluggedCable) end() error {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(establishment):
		return errors.New("uelink cable does not end after SIGINT")
	}
}
