package dataplane

import (
	"testing"

	"uelink/dataplane/path"
	"uelink/wire"
)

// Frames that lie in the RX ring of an edge when the end begins are delivered.
func TestWhatTheRingsHaveIsDeliveredAtTheEnd(t *testing.T) {
	l := newLinkBed(t, func(*path.PortSettings) {})
	w := l.a.workers[0]
	waiting := func(n int) func() bool {
		return func() bool { return w.Queued() == n }
	}
	// The worker carries out the second hold and the beginning of the end without a round in between.
	first := holdWorker(w)
	<-first.begun
	second := holdWorker(w)
	l.eventually("the second hold to wait", waiting(1))
	drained := make(chan bool)
	go func() { drained <- l.a.Drain() }()
	l.eventually("the end to have begun", waiting(2))
	close(first.over)
	<-second.begun
	l.send(20)
	close(second.over)
	if !<-drained {
		t.Error("not all is delivered")
	}
	l.whole()
}

// hold is a command that keeps a worker from its rounds.
type hold struct{ begun, over chan struct{} }

// holdWorker gives a worker such a command. It lasts until over is closed.
func holdWorker(w *path.Worker) *hold {
	h := &hold{make(chan struct{}), make(chan struct{})}
	go w.Do(func(wire.Time) { close(h.begun); <-h.over })
	return h
}
