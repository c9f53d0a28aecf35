package netif

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/checksum"
	"uelink/dataplane/netdev"
	"uelink/wire"
)

// budget is the number of frames that NAPI takes in one poll; a recv polls at most twice.
const budget = attach.MostAsked / 2

// busyPoll is SO_BUSY_POLL of a pump, µs: any value but 0 makes recv run NAPI, and MSG_DONTWAIT makes it run once.
const busyPoll = 20

// Pump runs the NAPI instance of one RX queue of a veth: by recv on a UDP socket that belongs to the instance. As long
// as calls of Ask or Hold follow each other within Watchdog, the kernel does not run the instance by itself
// (SO_PREFER_BUSY_POLL, napi_defer_hard_irqs): frames of the host stay in the veth's ring of 256 frames, the veth stops
// the TX queue of the host's end when the ring is full, and the host's queueing discipline makes the senders wait. A
// Pump belongs to one goroutine at a time.
type Pump struct {
	fd     int
	napi   int // ID of the NAPI instance
	queue  int
	before netdev.NAPI // settings of the NAPI instance before push back, to be restored
	value  int32       // scratch of set: the value for setsockopt
	octet  [1]byte     // scratch of recv: the octet read
}

// Ask makes the kernel put up to attach.MostAsked of the host's waiting frames into the RX ring, which must have room
// for them, and leave later frames with the host. If no call of Ask, Hold or Rest follows within the time Watchdog, the
// kernel hands over frames by itself.
func (p *Pump) Ask() { p.recv() }

// Hold makes the kernel hand over at most 2 frames, and restarts its watchdog, after which it would hand over all
// frames.
func (p *Pump) Hold() {
	p.set(unix.SO_BUSY_POLL_BUDGET, 1)
	p.recv()
	p.set(unix.SO_BUSY_POLL_BUDGET, budget)
}

// Rest makes the kernel hand over arriving frames by itself, until the next Ask or Hold. If the RX ring has frames
// after Rest, these have come during the call, and the kernel may wait for another call: call Ask, or Rest again.
func (p *Pump) Rest() {
	p.set(unix.SO_PREFER_BUSY_POLL, 0)
	p.recv()
	p.set(unix.SO_PREFER_BUSY_POLL, 1)
}

// recv makes the kernel poll the queue's NAPI instance, by reading from the pump's UDP socket. The raw system call
// spares the Go scheduler.
func (p *Pump) recv() {
	_, _, _ = unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(p.fd), uintptr(unsafe.Pointer(&p.octet)), 1,
		unix.MSG_DONTWAIT, 0, 0)
}

// set sets an option of the pump's UDP socket, by a raw system call as in recv. It ignores errors.
func (p *Pump) set(option uintptr, value int32) {
	p.value = value
	_, _, _ = unix.RawSyscall6(unix.SYS_SETSOCKOPT, uintptr(p.fd), unix.SOL_SOCKET, option,
		uintptr(unsafe.Pointer(&p.value)), unsafe.Sizeof(p.value), 0)
}

func (p *Pump) close() { _ = unix.Close(p.fd) }

// openPump opens a pump: a UDP socket on an interface of the calling thread's network namespace, bound later to the
// NAPI instance (RX queue) of the first frame it receives. It returns the socket's port, to which that frame must be
// sent; until then Ask has no effect.
func openPump(ifname string) (p *Pump, port int, err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, 0, fmt.Errorf("open the UDP socket for busy polling: %w", err)
	}
	p = &Pump{fd: fd}
	err = errors.Join(unix.BindToDevice(fd, ifname), unix.Bind(fd, &unix.SockaddrInet4{}),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_BUSY_POLL, busyPoll),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_BUSY_POLL_BUDGET, budget),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PREFER_BUSY_POLL, 1))
	address, nameErr := unix.Getsockname(fd)
	a, ok := address.(*unix.SockaddrInet4)
	if err = errors.Join(err, nameErr); err != nil || !ok {
		p.close()
		return nil, 0, fmt.Errorf("set up the UDP socket for busy polling: %w", err)
	}
	return p, a.Port, nil
}

// learn waits, at most for d, for a frame sent to the pump's port, and records which NAPI instance (RX queue) has
// received it.
func (p *Pump) learn(d time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}
	for end := time.Now().Add(d); fds[0].Revents == 0 && time.Now().Before(end); {
		if _, err := unix.Poll(fds, int(max(1, time.Until(end).Milliseconds()))); err != nil && err != unix.EINTR {
			return fmt.Errorf("wait for the frame that the daemon sends by the host's end of the veth: %w", err)
		}
	}
	if fds[0].Revents == 0 {
		return errNoFrame
	}
	p.recv() // takes the frame
	id, err := unix.GetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_INCOMING_NAPI_ID)
	if err != nil || id == 0 {
		return fmt.Errorf("the kernel does not tell the NAPI instance of a frame: %w", err)
	}
	p.napi = id
	return nil
}

// errNoFrame is the error when the pump's frame does not arrive.
var errNoFrame = errors.New("no broadcast frame of the host's end arrives at a UDP socket here: does a firewall drop " +
	"it (nft list ruleset), or a filter of tc on the host's end?")

// pumpFrame returns a broadcast frame that the XDP program of an edge passes to the kernel: UDP from the address
// 0.0.0.0 and the port from, to the port to.
func pumpFrame(from, to uint16) []byte {
	f := make([]byte, wire.MinFrameLen)
	source := bpf.PumpAddress()
	copy(f, []byte{255, 255, 255, 255, 255, 255})
	copy(f[6:], source[:])
	binary.BigEndian.PutUint16(f[12:], unix.ETH_P_IP)
	ip := f[wire.HeaderLen:]
	copy(ip, []byte{0x45, 0, 0, 28, 0, 0, 0, 0, 64, unix.IPPROTO_UDP, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255})
	binary.LittleEndian.PutUint16(ip[10:], ^checksum.Fold(checksum.Sum(ip[:20])))
	udp := ip[20:]
	binary.BigEndian.PutUint16(udp, from)
	binary.BigEndian.PutUint16(udp[2:], to)
	binary.BigEndian.PutUint16(udp[4:], 8)
	return f
}

// sendRoom is the send buffer of sendFrames, in octets: the frames of a trial take room in it while they wait in the
// veth and its queueing discipline.
const sendRoom = 4 << 20

// sendFrames sends n times a frame by an interface of the calling thread's network namespace, through its queueing
// discipline.
func sendFrames(ifindex int, f []byte, n int) error { return sendBy(ifindex, f, n, 0) }

// sendPast sends a frame by an interface of the calling thread's network namespace, past the frames that wait in its
// queueing discipline. The kernel chooses the TX queue by the CPU.
func sendPast(ifindex int, f []byte) error { return sendBy(ifindex, f, 1, 1) }

// sendBy sends n times the frame f by an interface. bypass is the value of PACKET_QDISC_BYPASS: 1 sends past the
// queueing discipline.
func sendBy(ifindex int, f []byte, n, bypass int) error {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a packet socket at the host's end: %w", err)
	}
	defer unix.Close(fd)
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendRoom)
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, bypass); err != nil {
		return os.NewSyscallError("bypass the queueing discipline of the host's end", err)
	}
	for range n {
		err := unix.Sendto(fd, f, unix.MSG_DONTWAIT, &unix.SockaddrLinklayer{Ifindex: ifindex})
		if err != nil {
			return os.NewSyscallError("send a frame at the host's end", err)
		}
	}
	return nil
}
