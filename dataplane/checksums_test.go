package dataplane

import (
	"strings"
	"testing"

	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/internal/events"
	"uelink/wire"
)

// A host that leaves checksums unfinished is reported once while its interface is attached; the port's state says
// whether it still does.
func TestUnfinishedChecksumsAreReportedOnce(t *testing.T) {
	b := newCreatedBed(t)
	g, a := b.d.find("ue0")
	reported, _ := g.worker.Hub.Subscribe()
	tick := 0
	look := func(frames uint64) {
		g.worker.Do(func(wire.Time) { a.port.Counters.RxUnfinishedChecksum += frames })
		tick += surveyEvery
		a.checksums.survey(g, a, tick)
	}
	look(0)
	if e := b.edge(); e.Finishes || e.NoticeReason == model.NoticeChecksum {
		t.Errorf("nothing is unfinished: %v, %q", e.Finishes, e.Notice)
	}
	look(3)
	e := b.edge()
	if !e.Finishes || e.NoticeReason != model.NoticeChecksum || !strings.Contains(e.Notice, "ethtool -K ") {
		t.Errorf("unfinished checksums: %v, %q", e.Finishes, e.Notice)
	}
	if event := <-reported; event.Kind != model.EventNotice || event.Level != events.Info {
		t.Errorf("the event is %+v: nothing is wrong", event)
	}
	a.notice.text, a.notice.reason = "", model.NoNotice
	for range trouble.DropsQuiet/surveyEvery + 1 {
		look(0)
	}
	if b.edge().Finishes {
		t.Error("the host has finished its checksums for long")
	}
	look(1)
	if e := b.edge(); !e.Finishes || e.NoticeReason != model.NoNotice {
		t.Errorf("again unfinished: %v, %q", e.Finishes, e.Notice)
	}
	for _, adopted := range []bool{false, true} { // by the same process, which reports again, or from another one
		a.notice.text, a.notice.reason = "", model.NoticeChecksum
		a.checksums = a.checksums.attached(adopted)
		if look(0); b.edge().Finishes {
			t.Errorf("adopted %v: frames of the past count", adopted)
		}
		if look(1); !b.edge().Finishes || (b.edge().Notice == "") != adopted {
			t.Errorf("adopted %v: %v, %q", adopted, b.edge().Finishes, b.edge().Notice)
		}
	}
}
