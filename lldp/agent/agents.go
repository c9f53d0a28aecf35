package agent

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/events"
	"uelink/lldp/ue"
)

const (
	second = int64(time.Second)
	never  = int64(math.MaxInt64)
)

// How often the interfaces are looked at: not more often than reconcileSpacing
// when they change, and every retryPeriod while one of them cannot be used.
const (
	reconcileSpacing = 50 * int64(time.Millisecond)
	retryPeriod      = second
)

// Agents are the LLDP agents of a station. Its methods may be called from any
// goroutine.
type Agents struct {
	log    *zap.Logger
	hub    events.Hub[Event]
	links  *links
	waiter *waiter
	start  time.Time // monotonic; 0 of the agents' time

	mu           sync.Mutex
	config       Config
	station      *station
	ports        []*port
	dirty        bool  // the interfaces have changed since they were looked at
	reconciledAt int64 // when they were looked at
	retry        bool  // something could not be done then
	closed       bool
	buf          [frameRoom]byte
	message      [8192]byte // netlink
	programs     sync.WaitGroup
}

// Open makes the agents. Interfaces that are not there are waited for. An error is
// one line that says what to do; an *Error carries the exit code 2 or 3. It has to
// be called in the network namespace of the interfaces, and so have Run and Reload.
func Open(c Config, log *zap.Logger) (*Agents, error) {
	if err := c.complete(); err != nil {
		return nil, &Error{exitConfiguration, err}
	}
	w, err := newWaiter()
	if err != nil {
		return nil, err
	}
	l, err := openLinks()
	if err != nil {
		w.close()
		return nil, err
	}
	a := &Agents{log: log, links: l, waiter: w, start: time.Now(), config: c, station: newStation(c.System)}
	if err := a.apply(c); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// apply makes the ports of c the ports that there are, and takes their interfaces.
func (a *Agents) apply(c Config) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.setPorts(c); err != nil {
		return err
	}
	err := a.reconcile(a.now())
	if errors.As(err, new(*Error)) {
		return err
	}
	return nil // what can become better by itself is the port's trouble
}

// now is the agents' time.
func (a *Agents) now() int64 { return int64(time.Since(a.start)) }

// SetOffer replaces what a port offers to its UE partner.
func (a *Agents) SetOffer(name string, o ue.Options) error {
	if o.CBFC {
		if err := o.Credit.Validate(); err != nil {
			return fmt.Errorf("port %s: %w", name, err)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.port(name)
	if err != nil {
		return err
	}
	p.offer(o)
	a.tellNegotiation(p, a.now())
	a.waiter.wake()
	return nil
}

// OfferLLR replaces what a port offers to its UE partner as far as LLR is concerned.
// A port without UE TLVs stays without.
func (a *Agents) OfferLLR(name string, on bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.port(name)
	if err != nil {
		return err
	}
	o := p.config.UE
	o.LLR = on && o.Advertise
	p.offer(o)
	a.tellNegotiation(p, a.now())
	a.waiter.wake()
	return nil
}

// LocalChange has the agents of a port send a frame soon: what one of its
// providers contributes has changed.
func (a *Agents) LocalChange(name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.port(name)
	if err != nil {
		return err
	}
	p.localChange()
	a.waiter.wake()
	return nil
}

// FastStart has the agents of a port send frames in quick succession, as for a new neighbour: one that
// has started anew, and is the same neighbour, has forgotten what it heard.
func (a *Agents) FastStart(name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.port(name)
	if err != nil {
		return err
	}
	for _, one := range p.agents {
		one.FastStart()
	}
	a.waiter.wake()
	return nil
}

func (a *Agents) port(name string) (*port, error) {
	if i := slices.IndexFunc(a.ports, func(p *port) bool { return p.config.Name == name }); i >= 0 {
		return a.ports[i], nil
	}
	return nil, fmt.Errorf("port %s: %w", name, ErrNoPort)
}

// Close says good-bye on every port and ends Run.
func (a *Agents) Close() error {
	defer a.programs.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil
	}
	a.closed = true
	for _, p := range a.ports {
		p.leave(a.now())
		a.tellDCB(p)
	}
	a.ports = nil
	a.links.close()
	a.waiter.wake()
	a.waiter.close()
	return nil
}
