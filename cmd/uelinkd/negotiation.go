package main

import (
	"context"
	"errors"
	"maps"
	"sync"

	"go.uber.org/zap"

	"uelink/cbfc"
	"uelink/control"
	"uelink/dataplane"
	"uelink/dataplane/sched"
	"uelink/lldp/agent"
	"uelink/lldp/ue"
)

// discovery is the LLDP agents as the daemon drives them: agent.Agents.
type discovery interface {
	control.LLDP
	Run(ctx context.Context) error
	Close() error
	Check(c agent.Config) error
	Reload(c agent.Config) error
	OfferLLR(port string, on bool) error
	FastStart(port string) error
}

// discoverer makes the LLDP agents: agent.Open.
type discoverer func(agent.Config, *zap.Logger) (discovery, error)

// results is what LLDP has come to on its ports, on its way to the data plane: the latest of each
// port. Who tells one does not wait for the data plane.
type results[R any] struct {
	mu     sync.Mutex
	latest map[string]R
	news   chan struct{} // one place
}

func newResults[R any]() *results[R] {
	return &results[R]{latest: map[string]R{}, news: make(chan struct{}, 1)}
}

// tell is what the LLDP agents are given to call.
func (n *results[R]) tell(port string, r R) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.latest[port] = r
	select {
	case n.news <- struct{}{}:
	default: // it will be seen with what is there already
	}
}

func (n *results[R]) take() map[string]R {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := maps.Clone(n.latest)
	clear(n.latest)
	return taken
}

// run hands the results to the data plane until ctx ends. It refuses those of ports that have no
// use for them, of another role, and of ports that were just taken out.
func (n *results[R]) run(ctx context.Context, to func(port string, r R) error, log *zap.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.news:
		}
		for port, r := range n.take() {
			if err := to(port, r); err != nil {
				log.Debug("the port has no use for what LLDP has come to", zap.Error(err))
			}
		}
	}
}

// greet has LLDP speak to partners that have started anew, until ctx ends: they wait for what both ends
// can do.
func greet(ctx context.Context, of frames, to discovery) {
	events, end := of.Subscribe()
	defer end()
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-events:
			if !open {
				return
			}
			if e.Kind == dataplane.EventStart {
				_ = to.FastStart(e.Port) // a port without LLDP has nothing to say
			}
		}
	}
}

// agreed is a result as the data plane takes it.
func agreed(r ue.Result) dataplane.Negotiated {
	n := dataplane.Negotiated{
		Local: r.LLR.Local, Remote: r.LLR.Remote, Partner: r.Partner.String(),
		CBFC: dataplane.NegotiatedCBFC{On: r.CBFC.On, VCs: r.CBFC.VCs, Lossless: r.CBFC.Lossless},
	}
	if a := &r.Advertised; a.HasCBFC {
		n.CBFC.Pool = int(a.CBFC.Pool)
		n.CBFC.Size = cbfc.Size{Credit: int(a.CreditSize.Octets), Overhead: int(a.CreditSize.Overhead)}
	}
	return n
}

// negotiated is a result of the UE negotiation for a data plane.
func negotiated(to frames) func(string, ue.Result) error {
	return func(port string, r ue.Result) error {
		return to.SetNegotiated(port, agreed(r))
	}
}

// exchanged is a result of DCBX for a data plane.
func exchanged(to frames) func(string, agent.DCB) error {
	return func(port string, d agent.DCB) error {
		pg := &d.PG.Config
		return to.SetDCB(port, dataplane.DCB{
			Running: d.Running, Agreed: d.PFC.Set, PFC: d.PFC.Config.Enable,
			PG: sched.PriorityGroups{Group: pg.Group, Percentage: pg.Percentage},
		})
	}
}

// offering is a data plane whose LLR_MODE_LOCAL is offered to the partner as it is
// set.
type offering struct {
	frames
	lldp discovery
}

// SetLLRLocal is the control API's. What is withdrawn goes off at both ends after
// the partner has heard of it.
func (o offering) SetLLRLocal(port string, on bool) error {
	if err := o.frames.SetLLRLocal(port, on); err != nil {
		return err
	}
	if err := o.lldp.OfferLLR(port, on); !errors.Is(err, agent.ErrNoPort) {
		return err
	}
	return nil // the port has no LLDP, so nobody has been offered anything
}
