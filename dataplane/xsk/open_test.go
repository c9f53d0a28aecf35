package xsk

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

// TestReopen opens the same queue again and again: Close has to free it, though
// asavie/xdp leaves its own mappings of the rings, which keep the socket.
func TestReopen(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		program := w.attach(w.a, attach.ModeAuto)
		for range 5 {
			s := w.open(w.a, 0, program, small(opener))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
			if left := socketMappings("self"); len(left) != 0 {
				t.Fatalf("Close left %v", left)
			}
		}
	})
}

func TestInfo(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		a, b := w.pair(small(opener))
		got, want := a.Info(), Info{Interface: "a", Opener: opener, TxBudget: a.Info().TxBudget}
		if got != want || got.BindMode() != attach.BindCopy || got.TxBudget < 32 {
			t.Errorf("%+v, want %+v", got, want)
		}
		if a.Geometry() != small(opener).Geometry || len(a.Area()) != a.Geometry().Size() || a.FD() == b.FD() {
			t.Errorf("%+v, area of %d octets, descriptors %d and %d", a.Geometry(), len(a.Area()), a.FD(), b.FD())
		}
		flags, err := unix.FcntlInt(uintptr(a.FD()), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("the descriptor goes to children: flags %#x, %v", flags, err)
		}
	})
}

// TestNoZeroCopy: a veth's driver has no zero copy, and the error names that.
func TestNoZeroCopy(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		w := newWire(t)
		w.attach(w.a, attach.ModeAuto)
		o := small(opener)
		o.Bind = attach.BindZeroCopy
		_, err := Open(w.a, 0, o)
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "bind with auto or copy") {
			t.Errorf("zero copy on a veth: %v", err)
		}
	})
}

func TestOpenNoInterface(t *testing.T) {
	forOpeners(t, func(t *testing.T, opener attach.Opener) {
		newWire(t)
		_, err := Open(4711, 0, small(opener))
		if !errors.Is(err, unix.ENODEV) || !strings.Contains(err.Error(), "interface index 4711 queue 0") {
			t.Errorf("%v", err)
		}
	})
}

func TestOptionsRefused(t *testing.T) {
	good := small(attach.OpenerAsavie)
	if err := good.check(); err != nil {
		t.Fatalf("%+v: %v", good, err)
	}
	for want, change := range map[string]func(*Options){
		"opener: ? is not possible for a socket":      func(o *Options) { o.Opener = attach.OpenerNative + 1 },
		"opener: auto is not possible for a socket":   func(o *Options) { o.Opener = attach.OpenerAuto },
		"bind mode ? is not possible for a socket":    func(o *Options) { o.Bind = attach.BindZeroCopy + 1 },
		"bind mode auto is not possible for a socket": func(o *Options) { o.Bind = attach.BindAuto },
		"ring size 0 is no power of two":              func(o *Options) { o.RingSize = 0 },
		"ring size 100 is no power of two":            func(o *Options) { o.RingSize = 100 },
		"RX ring size 100 is no power of two":         func(o *Options) { o.RxRing = 100 },
		"RX ring size -64 is no power of two":         func(o *Options) { o.RxRing = -64 },
		"ring size 2097152 is no power of two up":     func(o *Options) { o.RingSize = 1 << 21 },
		"chunk size 1024 is neither":                  func(o *Options) { o.Geometry.ChunkSize = 1024 },
		"0 RX and 32 TX chunks":                       func(o *Options) { o.Geometry.RX = 0 },
		"48 RX and 0 TX chunks":                       func(o *Options) { o.Geometry.TX = 0 },
		"48 RX and 1048576 TX chunks: want at least":  func(o *Options) { o.Geometry.TX = 1 << 20 },
	} {
		o := small(attach.OpenerAsavie)
		change(&o)
		if _, err := Open(1, 0, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
