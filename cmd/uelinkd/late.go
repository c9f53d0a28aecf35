package main

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/config"
	"uelink/control"
	"uelink/control/api"
)

// lateListener is the listener of the metrics or of the page. Its address may be in use by another program, or come to
// the host later: the daemon starts without the listener, and its ports forward frames. Accept tries again until the
// address is free, or until a reload names another address.
type lateListener struct {
	service string // name for messages, with its verb: "metrics are"
	key     string // of the configuration
	open    func(at string) (net.Listener, error)
	serving func(net.Addr) // called when the listener is open
	log     *zap.Logger
	moved   chan struct{} // has an element when a reload has named another address
	done    chan struct{} // closed by Close

	mu       sync.Mutex
	at       string       // configured address; empty: a reload has removed the key
	listener net.Listener // nil: not yet
	problem  error        // reason why the listener is not open
	announce sync.Once
	end      sync.Once
}

// lateRetry is the time between two attempts to get an address.
const lateRetry = time.Second

// listenLate opens the listener p at its address, and returns p. If the address cannot be taken now, it logs that, and
// Accept tries again later. A listener handed over by another process is open already. Settings that can never work are
// an error.
func listenLate(p *lateListener) (*lateListener, error) {
	p.moved, p.done = make(chan struct{}, 1), make(chan struct{})
	if p.listener != nil {
		return p, nil
	}
	p.try()
	if wrong := (*control.SettingError)(nil); errors.As(p.problem, &wrong) {
		return nil, p.problem
	}
	if p.problem != nil {
		p.log.Warn(p.service+" not served, and the link runs: the daemon tries again until the address is free",
			zap.Error(p.problem))
	}
	return p, nil
}

// try opens the listener at the configured address, and records the listener, or the error as the problem. Without an
// address it does nothing. A listener opened after Close is closed at once.
func (p *lateListener) try() {
	p.mu.Lock()
	at := p.at
	p.mu.Unlock()
	if at == "" {
		return
	}
	l, err := p.open(at)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed() && l != nil {
		_ = l.Close()
		return
	}
	p.listener, p.problem = l, err
}

// closed reports whether Close was called.
func (p *lateListener) closed() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Accept waits for the next connection, and returns it. While the listener is not open, Accept tries each lateRetry,
// and after each move, to open it; then it announces the address once. After Close the error is net.ErrClosed.
func (p *lateListener) Accept() (net.Conn, error) {
	for {
		if l := p.boundListener(); l != nil {
			p.announce.Do(func() { p.serving(l.Addr()) })
			return l.Accept()
		}
		select {
		case <-p.done:
			return nil, net.ErrClosed
		case <-p.moved:
		case <-time.After(lateRetry):
		}
		p.try()
	}
}

// boundListener returns the listener; nil before the address was taken.
func (p *lateListener) boundListener() net.Listener {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.listener
}

// move sets another address, empty for none, and reports whether the new address takes effect now: an open listener
// keeps its address until the next start.
func (p *lateListener) move(at string) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return false
	}
	if p.at = at; at == "" {
		p.problem = nil
	}
	select {
	case p.moved <- struct{}{}:
	default:
	}
	return true
}

// trouble returns why nothing listens yet, with the command that names another address; "" if something does.
func (p *lateListener) trouble() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.problem == nil {
		return ""
	}
	return fmt.Sprintf("%s not served: %v: the daemon tries again until the address is free; for another address, type: "+
		"uelink config set %s %s && %s",
		p.service, p.problem, p.key, config.Instead(p.at, p.problem), api.ReloadCommand)
}

// Close ends Accept and closes the listener.
func (p *lateListener) Close() (err error) {
	if p == nil {
		return nil
	}
	p.end.Do(func() {
		close(p.done)
		if l := p.boundListener(); l != nil {
			err = l.Close()
		}
	})
	return err
}

// Addr returns the address of the listener, open or awaited.
func (p *lateListener) Addr() net.Addr {
	if l := p.boundListener(); l != nil {
		return l.Addr()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return awaited(p.at)
}

// awaited is the configured address of a listener that is not open yet.
type awaited string

// Network returns "tcp".
func (awaited) Network() string { return "tcp" }

// String returns the address as it is configured.
func (a awaited) String() string { return string(a) }
