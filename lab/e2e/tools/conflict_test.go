package tools

import (
	"encoding/binary"
	"os/exec"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// ARP operations.
const (
	arpRequest = 1
	arpReply   = 2
)

// arp returns an ARP frame to everybody, in which host number host claims an address and names another as the target.
func arp(op uint16, host byte, ip, target [4]byte) []byte {
	sender := []byte{2, 0, 0, 0, 7, host}
	f := append([]byte{255, 255, 255, 255, 255, 255}, sender...)
	f = append(binary.BigEndian.AppendUint16(f, wire.EtherTypeARP), 0, 1, 8, 0, 6, 4)
	f = append(append(binary.BigEndian.AppendUint16(f, op), sender...), ip[:]...)
	f = append(append(f, 0, 0, 0, 0, 0, 0), target[:]...)
	return append(f, make([]byte, wire.MinFrameLen-len(f))...)
}

// Two hosts at the two ends of a link with the same IP address are named at both ends, with their MAC addresses and
// without a command. An address that moves is that of one host: with a gratuitous ARP, to a new pod, between two
// routers of VRRP; and a proxy owns none of the addresses for which it answers.
func TestSameIPAtTwoHosts(t *testing.T) {
	t.Parallel()
	ping := bed.InstalledProgram(t, "ping", "iputils-ping")
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	hosts := []*bed.Packets{bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)}
	target := [4]byte{10, 77, 8, 200}
	for i, claims := range [][]struct {
		at   int  // 0: A, 1: B
		host byte // number
		op   uint16
		own  bool // the target is the address itself
	}{
		{{0, 1, arpRequest, false}, {1, 1, arpRequest, true}, {1, 1, arpRequest, false}}, // one host moves
		{{0, 1, arpRequest, false}, {1, 2, arpRequest, false}, {0, 3, arpRequest, false}, {1, 4, arpRequest, false},
			{0, 5, arpRequest, false}}, // a pod made again
		{{0, 1, arpRequest, true}, {0, 1, arpRequest, false}, {1, 2, arpRequest, true}, {1, 2, arpRequest, false},
			{0, 1, arpReply, true}, {0, 1, arpRequest, false}, {0, 1, arpReply, false}}, // VRRP, there and back
		{{0, 1, arpRequest, false}, {1, 9, arpReply, false}, {0, 1, arpRequest, false}, {1, 9, arpReply, false},
			{0, 1, arpReply, false}, {1, 9, arpReply, false}, {0, 1, arpRequest, false}, {1, 9, arpReply, false}}, // a proxy
	} {
		ip := [4]byte{10, 77, 8, byte(i)}
		for _, c := range claims {
			to := target
			if c.own {
				to = ip
			}
			hosts[c.at].Send(arp(c.op, c.host, ip, to))
			time.Sleep(20 * time.Millisecond)
		}
	}
	began := time.Now()
	for _, ns := range top.Hosts()[:2] {
		bed.Must(t, ns.AddAddr("eth0", "10.77.9.1/24"))
		pings := exec.Command(ping, "-c", "8", "-W", "1", "10.77.9.9")
		bed.Must(t, ns.Start(pings))
		t.Cleanup(func() {
			_ = pings.Process.Kill()
			_ = pings.Wait()
		})
	}
	macs := [2]string{}
	for i, ns := range top.Hosts()[:2] {
		link, err := ns.Link("eth0")
		bed.Must(t, err)
		macs[i] = link.HardwareAddr.String()
	}
	for i, d := range []*bed.Daemon{p.A, p.B} {
		says(t, d, "the IP address 10.77.9.1 is used by two hosts: "+macs[i]+" at edge0 and "+macs[1-i]+
			" behind link0: change it at one of them")
		if _, problems := commands(d); len(problems) != 1 || strings.Count(problems[0], "is used by two hosts") != 1 {
			t.Errorf("%s: %q", d.Name, problems)
		}
	}
	t.Logf("told %v after the first ping", time.Since(began).Round(10*time.Millisecond))
}

// The host of a created edge that pings an address in vain: the line of its edge says so, and is no problem; with an
// address that answers it says nothing.
func TestHostThatAsksInVain(t *testing.T) {
	t.Parallel()
	ping := bed.InstalledProgram(t, "ping", "iputils-ping")
	a, b := nstest.New(t, "A"), nstest.New(t, "B")
	bed.Must(t, netns.Veth(a, "link0", b, "link0", bed.LinkMTU))
	p := bed.Pair{A: bed.NewDaemon(t, a, "A", bed.CreatedLink("", "10.78.0.1", "fd78::1")),
		B: bed.NewDaemon(t, b, "B", bed.CreatedLink("", "10.78.0.2", "fd78::2"))}
	p.Start()
	vain := exec.Command(ping, "-c", "30", "-W", "1", "10.78.0.9")
	bed.Must(t, a.Start(vain))
	t.Cleanup(func() {
		_ = vain.Process.Kill()
		_ = vain.Wait()
	})
	bed.Run(t, a, exec.Command(ping, "-c", "3", "-W", "1", "10.78.0.2"))
	began := time.Now()
	bed.Eventually(t, "the edge says that nobody answers", func() string {
		for _, l := range p.A.Tool("status").Objects() {
			if l["port"] == "edge0" {
				text := l["problem"].(string)
				if strings.HasPrefix(text, "up, its host asks for 10.78.0.9, and nobody answers") && l["state"] == "ok" {
					return ""
				}
				return text
			}
		}
		return "no line"
	})
	t.Logf("told %v after the first pings", time.Since(began).Round(10*time.Millisecond))
}
