package path

import (
	"errors"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/hippi"
)

// heardAdmin returns the texts of the events about Admin micropackets since the last call.
func (e *hippiEnd) heardAdmin() (texts []string) {
	for {
		select {
		case ev := <-e.events:
			if ev.Kind == model.EventAdmin {
				texts = append(texts, ev.Text)
			}
		default:
			return texts
		}
	}
}

// An Admin micropacket crosses the link while frames fill its virtual channel, and an event at the other end has it.
func TestHIPPIAdminCrossesUnderTraffic(t *testing.T) {
	inOneGoroutine(t)
	o := hippiDefaults().jumbo()
	o.wire.Loss, o.wire.Duplicate = 0.02, 0.02
	p := readyPair(t, o)
	a, b := p.ends[0], p.ends[1]
	var command, response model.AdminData
	command[0], response[31] = 0xC0, 0xFE
	asked := false
	if err := p.run(300, time.Minute, func() {
		if !asked && a.sent[1] > 50 {
			asked = true
			if err := errors.Join(a.h.SendAdmin(1, command, p.now), b.h.SendAdmin(2, response, p.now)); err != nil {
				t.Error(err)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.atRest(); err != nil {
		t.Fatal(err)
	}
	atB, atA := b.heardAdmin(), a.heardAdmin()
	if len(atB) != 1 || atB[0] != "Admin command on VC1: c0"+strings.Repeat("00", 31) {
		t.Errorf("B heard %q", atB)
	}
	if len(atA) != 1 || atA[0] != "Admin response on VC2: "+strings.Repeat("00", 31)+"fe" {
		t.Errorf("A heard %q", atA)
	}
	if a.h.count.RxAdmin != 1 || b.h.count.RxAdmin != 1 || a.missing+b.missing != 0 {
		t.Errorf("rx_admin %d and %d, %d frames missing", a.h.count.RxAdmin, b.h.count.RxAdmin, a.missing+b.missing)
	}
}

// A second Admin micropacket waits its turn, and a link that is not in Normal takes none.
func TestHIPPIAdminRefused(t *testing.T) {
	p := readyPair(t, hippiDefaults())
	a := p.ends[0]
	a.h.out.leaves |= 1 << 1 // a frame that never leaves
	if err := a.h.SendAdmin(1, model.AdminData{}, p.now); err != nil {
		t.Fatal(err)
	}
	if err := a.h.SendAdmin(1, model.AdminData{}, p.now); !errors.Is(err, hippi.ErrTurn) {
		t.Errorf("a second one: %v", err)
	}
	if err := a.h.Command(hippi.CommandReset, p.now); err != nil {
		t.Fatal(err)
	}
	if err := a.h.SendAdmin(2, model.AdminData{}, p.now); !errors.Is(err, hippi.ErrNotReady) {
		t.Errorf("during a Link Reset: %v", err)
	}
}

// Of many Admin micropackets at once some have an event, and all are counted.
func TestManyAdminMicropackets(t *testing.T) {
	p := readyPair(t, hippiDefaults())
	a, b := p.ends[0], p.ends[1]
	const all = 500
	for sent := 0; sent < all; p.round() {
		if a.h.SendAdmin(1, model.AdminData{byte(sent)}, p.now) == nil {
			sent++
		}
	}
	if !p.until(func() bool { return b.h.count.RxAdmin == all }, time.Second) {
		t.Fatalf("%d of %d arrived", b.h.count.RxAdmin, all)
	}
	p.until(func() bool { return b.h.admin.unkept == 0 }, time.Second) // the limit of the rate of events
	text := strings.Join(b.heardAdmin(), "\n")
	if !strings.Contains(text, "more Admin micropackets came in quick succession") || strings.Count(text, "\n") > all/2 {
		t.Errorf("%d lines: %.1000s", strings.Count(text, "\n"), text)
	}
}
