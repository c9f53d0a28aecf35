package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/sai"
)

// flush puts the transmitter of link0 into a state.
func (p *plane) flush(state llr.TxState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ports[0].LLR.TxStatus = state
}

// A client is told of what changes, once, and of a FLUSH that is over before it is looked at both times.
func TestNotifications(t *testing.T) {
	b := newBed(t)
	w, now := b.Watch()
	wrong := func(n sai.PortNotification) bool { return n.State != portUp || n.Error != 0 }
	if len(now) != 3 || slices.ContainsFunc(now, wrong) {
		t.Errorf("at first: %+v", now)
	}
	link := b.oid(sai.TypePort, "link0")
	for i, c := range []struct {
		tx         llr.TxState
		kind, text string
		want       []sai.PortNotification
	}{
		{llr.TxFlush, model.EventLLRTxStatus, "FLUSH: replay count",
			[]sai.PortNotification{notice(link, portUp, portErrorFlush)}},
		{llr.TxFlush, model.EventOperStatus, "down", []sai.PortNotification{notice(link, portDown, portErrorFlush)}},
		{llr.TxFlush, model.EventOperStatus, "absent", []sai.PortNotification{notice(link, portNotPresent, portErrorFlush)}},
		{llr.TxFlush, model.EventPartner, "known", nil},
		{llr.TxInit, model.EventLLRTxStatus, "INIT", []sai.PortNotification{notice(link, portNotPresent, 0)}},
		{llr.TxAdvance, model.EventLLRTxStatus, "ADVANCE", nil},
		{llr.TxAdvance, model.EventOperStatus, "up", []sai.PortNotification{notice(link, portUp, 0)}},
		{llr.TxAdvance, model.EventLLRTxStatus, "FLUSH: replay count",
			[]sai.PortNotification{notice(link, portUp, portErrorFlush), notice(link, portUp, 0)}},
	} {
		b.plane.flush(c.tx)
		if got := w.Notifications(model.Event{Port: "link0", Kind: c.kind, Text: c.text}); !slices.Equal(got, c.want) {
			t.Errorf("%d: %s %q: %+v, want %+v", i, c.kind, c.text, got, c.want)
		}
	}
	if got := w.Notifications(model.Event{Port: "none", Kind: model.EventOperStatus, Text: "down"}); got != nil {
		t.Errorf("a port that is unknown: %+v", got)
	}
}

// Calls from many goroutines leave the store as the configuration made it.
func TestManyClientsAtOnce(t *testing.T) {
	b := newBed(t)
	link, before := b.oid(sai.TypePort, "link1"), len(b.Objects())
	var clients sync.WaitGroup
	errs := make(chan error, 100)
	for range 16 {
		clients.Go(func() { errs <- b.useAndRemove(link) })
	}
	clients.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if after := len(b.Objects()); after != before {
		t.Errorf("%d objects, %d before", after, before)
	}
}

// useAndRemove does what one client does: it makes a profile, uses it, and removes it when nobody else has it.
func (b *bed) useAndRemove(link sai.OID) error {
	for range 20 {
		oid, err := b.Create(sai.TypeLLRProfile, mandatory(), false)
		if err != nil {
			return err
		}
		if err := b.SetAttribute(oid, attr(llrCount, number(3))); err != nil {
			return err
		}
		if err := b.SetAttribute(link, attr(portLLRProfile, sai.Value{OID: oid})); err != nil {
			return err
		}
		if err := b.SetAttribute(link, attr(portLLRProfile, sai.Value{OID: b.defaultProfile()})); err != nil {
			return err
		}
		if _, err := b.Stats(link, []uint32{204}); err != nil {
			return err
		}
		for s := status(b.Remove(oid)); s != sai.Success; s = status(b.Remove(oid)) {
			if s != sai.ObjectInUse {
				return fmt.Errorf("remove: status %d", s)
			}
			if err := b.SetAttribute(link, attr(portLLRProfile, sai.Value{OID: b.defaultProfile()})); err != nil {
				return err
			}
		}
	}
	return nil
}

// defaultProfile returns the profile of the configuration.
func (b *bed) defaultProfile() sai.OID {
	for _, o := range b.Objects() {
		if o.Type == sai.TypeLLRProfile && o.Name == "default" {
			return o.OID
		}
	}
	return 0
}
