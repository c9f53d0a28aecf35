package station

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/internal/events"
	"uelink/lldp/agent"
	"uelink/lldp/ue"
	"uelink/wire"
)

// The times between two runs of reconcile: at least reconcileSpacing when interfaces change, and retryPeriod while an
// interface cannot be used.
const (
	reconcileSpacing = 50 * time.Millisecond
	retryPeriod      = time.Second
)

// Agents are the LLDP agents of a station. The methods may be called from any goroutine.
type Agents struct {
	log    *zap.Logger
	hub    events.Hub[agent.Event] // passes events to subscribers
	links  *links
	host   int       // descriptor of hostNamePath; -1: none
	waiter *waiter   // lets Run sleep
	start  time.Time // when the agents were opened, monotonic: method now counts from then on

	mu           sync.Mutex
	config       Config
	station      *station
	ports        []*port
	dirty        bool      // an interface has changed since the last reconcile
	reconciledAt wire.Time // time of the last reconcile
	retry        bool      // the last reconcile failed for a port
	closed       bool
	buf          [frameRoom]byte // scratch for received frames
	message      [8192]byte      // scratch for netlink messages
	programs     sync.WaitGroup  // goroutines that wait for drivers of NICs: see type program
}

// Open opens the LLDP agents of all configured ports. An absent interface is used as soon as it appears. An error
// is one line with the remedy; an *Error carries the exit code 2 or 3. Open, Run and Reload must be called in the
// network namespace of the interfaces.
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
	a := &Agents{log: log, links: l, host: openHostName(), waiter: w, start: time.Now(), config: c,
		station: newStation(c.System)}
	if err := a.apply(c); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// apply replaces the ports by those of configuration c and attaches their interfaces.
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
	return nil // a temporary error is shown as the port's problem, and reconcile tries again
}

// now returns the time since Open, in ns.
func (a *Agents) now() wire.Time { return wire.Time(time.Since(a.start)) }

// SetOffer replaces a port's offer to its UE partner. An unknown port, or CBFC parameters out of range, are an error.
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
	a.reportNegotiation(p, a.now())
	a.waiter.wake()
	return nil
}

// OfferLLR switches LLR in a port's offer to its UE partner on or off. A port that sends no UE TLVs does not offer LLR.
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
	a.reportNegotiation(p, a.now())
	a.waiter.wake()
	return nil
}

// LocalChange handles a change of the TLVs of a port's provider: the port's agents send a frame with the next credit.
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

// FastStart makes the agents of a port send frames in quick succession, as for a new neighbour. The caller calls it for
// a restarted neighbour with the same identity, which has lost its LLDP state.
func (a *Agents) FastStart(name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.port(name)
	if err != nil {
		return err
	}
	for _, member := range p.agents {
		member.FastStart()
	}
	a.waiter.wake()
	return nil
}

// port returns the port with a name; the error for an unknown name is ErrNoPort.
func (a *Agents) port(name string) (*port, error) {
	if i := slices.IndexFunc(a.ports, func(p *port) bool { return p.config.Name == name }); i >= 0 {
		return a.ports[i], nil
	}
	return nil, fmt.Errorf("port %s: %w", name, ErrNoPort)
}

// Close sends shutdown LLDPDUs on every port, closes the sockets, ends Run, and waits until the NICs have their former
// DCB settings again.
func (a *Agents) Close() error {
	defer a.programs.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil
	}
	a.closed = true
	for _, p := range a.ports {
		a.releaseNIC(p)
		p.detach(a.now())
		a.reportDCB(p)
	}
	a.ports = nil
	a.links.close()
	_ = unix.Close(a.host)
	a.waiter.wake()
	a.waiter.close()
	return nil
}
