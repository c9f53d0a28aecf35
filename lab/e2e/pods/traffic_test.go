package pods

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// datagramsEach is how many datagrams of 1,400 octets are sent each 10 ms: 22 Mbit/s, where the wire and two daemons on
// two shared cores carry some 20 times as many.
const datagramsEach = 20

// datagrams sends 4,000 UDP datagrams from a pod to another, and reports an error of the test if any is lost.
func datagrams(t *testing.T, from, to *netns.NS, address string) {
	t.Helper()
	const count = 4000
	var l net.PacketConn
	bed.Must(t, to.Do(func() (err error) {
		l, err = net.ListenPacket("udp", address+":7001")
		if err != nil {
			return err
		}
		raw, err := l.(*net.UDPConn).SyscallConn()
		return errors.Join(err, raw.Control(func(fd uintptr) {
			bed.Must(t, unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 32<<20)) // room for all
		}))
	}))
	defer l.Close()
	bed.Must(t, from.Do(func() error {
		c, err := net.Dial("udp", address+":7001")
		if err != nil {
			return err
		}
		defer c.Close()
		for i := range uint32(count) {
			if i%datagramsEach == 0 {
				time.Sleep(10 * time.Millisecond)
			}
			if _, err := c.Write(binary.BigEndian.AppendUint32(make([]byte, 1396), i)); err != nil {
				return err
			}
		}
		return nil
	}))
	bed.Must(t, l.SetReadDeadline(time.Now().Add(bed.Patience)))
	next := uint32(0)
	for buf := make([]byte, 2000); next < count; next++ {
		n, _, err := l.ReadFrom(buf)
		if err != nil || n != 1400 || binary.BigEndian.Uint32(buf[n-4:]) != next {
			t.Fatalf("datagram %d: %d octets % x, %v", next, n, buf[max(n-4, 0):n], err)
		}
	}
}

// octets sends 8 MB by TCP from a pod to another, and reports an error of the test unless all octets arrive.
func octets(t *testing.T, from, to *netns.NS, address string) {
	t.Helper()
	sent := make([]byte, 8<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(sent)
	var l net.Listener
	bed.Must(t, to.Do(func() (err error) { l, err = net.Listen("tcp", address+":7000"); return err }))
	defer l.Close()
	sum := make(chan [32]byte, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			sum <- [32]byte{}
			return
		}
		defer c.Close()
		all, _ := io.ReadAll(c)
		sum <- sha256.Sum256(all)
	}()
	bed.Must(t, from.Do(func() error {
		c, err := net.DialTimeout("tcp", address+":7000", bed.Patience)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Write(sent)
		return err
	}))
	if <-sum != sha256.Sum256(sent) {
		t.Error("other octets have arrived than were sent")
	}
}

// resolves asks a name server in a pod for 20 names, and reports an error of the test unless each is answered at once.
func resolves(t *testing.T, from, to *netns.NS, address string) {
	t.Helper()
	var server net.PacketConn
	bed.Must(t, to.Do(func() (err error) { server, err = net.ListenPacket("udp", address+":53"); return err }))
	defer server.Close()
	go func() {
		for question := make([]byte, 512); ; {
			n, client, err := server.ReadFrom(question)
			if err != nil {
				return
			}
			answer := append([]byte{}, question[:n]...)
			// An authoritative answer with one record, the A of the name in the question.
			answer[2], answer[3], answer[7] = 0x84, 0, 1
			answer = append(answer, 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 1, 2, 3)
			_, _ = server.WriteTo(answer, client)
		}
	}()
	bed.Must(t, from.Do(func() error {
		c, err := net.Dial("udp", address+":53")
		if err != nil {
			return err
		}
		defer c.Close()
		for i := range 20 {
			question := []byte{0, byte(i), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 'p', 'o', 'd', 0, 0, 1, 0, 1}
			if _, err := c.Write(question); err != nil {
				return err
			}
			answer := make([]byte, 512)
			bed.Must(t, c.SetReadDeadline(time.Now().Add(bed.Patience)))
			n, err := c.Read(answer)
			if err != nil || answer[1] != byte(i) || string(answer[n-4:n]) != "\x0a\x01\x02\x03" {
				return fmt.Errorf("name %d: % x, %w", i, answer[:n], err)
			}
		}
		return nil
	}))
}
