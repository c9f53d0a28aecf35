package dataplane

import "testing"

// Frames that lie in the RX ring of an edge when the end begins are delivered.
func TestWhatTheRingsHaveIsDeliveredAtTheEnd(t *testing.T) {
	l := newLinkBed(t, func(*PortSettings) {})
	w := l.a.workers[0]
	stopped, wait := make(chan struct{}), make(chan struct{})
	go w.do(func(int64) { close(stopped); <-wait })
	<-stopped
	l.send(20)
	drained := make(chan bool)
	go func() { drained <- l.a.Drain() }()
	l.eventually("the end to have begun", func() bool { // its first command waits for the worker
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.commands) > 0
	})
	close(wait)
	if !<-drained {
		t.Error("not all is delivered")
	}
	l.whole()
}
