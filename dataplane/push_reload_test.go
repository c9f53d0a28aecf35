package dataplane

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/internal/netns/nstest"
)

// crowd is how many frames the host sends at once: more than window, queues, RX ring and veth hold together.
const crowd = 6000

// pushingBed is a linkBed in which host a waits, with frames in the veth and in its queueing discipline, because the
// partner's worker stands still until goOn.
func pushingBed(t *testing.T) (l *linkBed, goOn func()) {
	t.Helper()
	if err := netif.Pushes(); err != nil {
		nstest.Missing(t, "a veth that pushes back: "+err.Error())
	}
	l = newLinkBed(t, func(*model.PortSettings) {})
	l.must(unix.SetsockoptInt(l.from, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, 64<<20))
	l.must(unix.SetsockoptInt(int(l.to.Fd()), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20))
	l.must(unix.SetNonblock(int(l.to.Fd()), true))
	l.must(l.a.Reload(l.a.changed(func(_, edge *model.PortSettings) {
		edge.PushBack, edge.RxRingSize = model.PushBackOn, 512
	})))
	if sockets := l.state(l.a, "ea").Sockets; sockets.Push != model.PushOn {
		t.Fatalf("%+v", sockets)
	}
	goOn = l.holdFrames(40)
	l.send(crowd - 40)
	return l, goOn
}

// allDropped returns how many frames end a counts as dropped.
func (l *linkBed) allDropped() (n int) {
	for _, s := range l.a.Ports() {
		rx, tx := s.Dropped()
		n += int(rx + tx)
	}
	return n
}

// A reload that takes the XDP program, the sockets or the queueing discipline away from an edge whose host waits, with
// frames in the veth and in the discipline, loses none of them uncounted. Where push back ends it loses none: it ends
// when the frames have left.
func TestFramesLostByReloadsCount(t *testing.T) {
	for name, change := range map[string]func(lnk, edge *model.PortSettings){
		"push_back":   func(_, edge *model.PortSettings) { edge.PushBack = model.PushBackOff },
		"generic":     func(_, edge *model.PortSettings) { edge.XDP = attach.ModeGeneric },
		"driver":      func(_, edge *model.PortSettings) { edge.XDP = attach.ModeDriver },
		"promiscuous": func(_, edge *model.PortSettings) { edge.Promiscuous = model.PromiscuousOff },
		"offloads":    func(_, edge *model.PortSettings) { edge.Offloads = model.OffloadsLeave },
		"ring_size":   func(_, edge *model.PortSettings) { edge.RingSize = 128 },
	} {
		t.Run(name, func(t *testing.T) {
			l, goOn := pushingBed(t)
			l.must(l.a.Reload(l.a.changed(change)))
			ends := name == "push_back"
			if sockets := l.state(l.a, "ea").Sockets; ends && (sockets.Push != model.PushOn || sockets.PushWhy == "") {
				t.Errorf("frames wait, and push_back is %s: %q", sockets.Push, sockets.PushWhy)
			}
			goOn()
			came, buf := 0, make([]byte, 2048)
			l.eventually("frames that came or are counted", func() bool {
				l.must(l.to.SetReadDeadline(time.Now().Add(50 * time.Millisecond)))
				for {
					if _, err := l.to.Read(buf); errors.Is(err, os.ErrDeadlineExceeded) {
						break
					}
					came++
				}
				t.Logf("%d came, %d are counted", came, l.allDropped())
				return came+l.allDropped() == crowd
			})
			if !ends {
				return
			}
			if came != crowd {
				t.Errorf("%d frames came", came)
			}
			l.eventually("the end of push back", func() bool {
				l.a.survey(surveyEvery)
				return l.state(l.a, "ea").Sockets.Push == model.PushOff
			})
		})
	}
}
