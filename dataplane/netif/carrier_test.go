package netif

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// carrier demands the carrier of "far", the end of the host.
func (w *world) carrier(when string, want bool) {
	w.t.Helper()
	l, err := w.far.Link("far")
	must(w.t, err)
	if got := l.RawFlags&unix.IFF_LOWER_UP != 0; got != want {
		w.t.Errorf("%s the host's carrier is %v", when, got)
	}
}

func TestTakenCarrierIsGivenBack(t *testing.T) {
	for name, give := range map[string]func(w *world, i *Interface){
		"by GiveCarrier": func(w *world, i *Interface) { must(w.t, i.GiveCarrier()); i.Release() },
		"by Release":     func(_ *world, i *Interface) { i.Release() },
		"after a kill": func(w *world, i *Interface) {
			kill(i)
			OpenRecords(w.dir, w.log).PutBack()
		},
		"after a kill, by Own": func(w *world, i *Interface) { kill(i); w.mustOwn().Release() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.do(func() {
				i := w.mustOwn()
				must(t, i.TakeCarrier())
				if !i.TakesCarrier() {
					t.Error("it is not known to be taken")
				}
				w.carrier("taken,", false)
				give(w, i)
			})
			w.carrier("given back,", true)
			w.noFiles()
			if n := w.countLogged("restored a setting of the interface"); n != 1 {
				t.Errorf("%d changes are said to be put back", n)
			}
		})
	}
}

// A carrier that the next start could not give back is not taken.
func TestCarrierIsNotTakenWithoutARecord(t *testing.T) {
	w := newWorld(t)
	w.do(func() {
		i, err := OpenRecords("", w.log).Own("near", w.log)
		must(t, err)
		if err := i.TakeCarrier(); !errors.Is(err, ErrUnrecorded) || i.TakesCarrier() {
			t.Errorf("without a directory: %v", err)
		}
		i.Release()
	})
	w.carrier("without a record", true)
}
