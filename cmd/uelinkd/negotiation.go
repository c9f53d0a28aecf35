package main

import (
	"context"
	"errors"
	"maps"
	"sync"

	"go.uber.org/zap"

	"uelink/cbfc"
	"uelink/control"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/internal/snapshot"
	"uelink/lldp/agent"
	"uelink/lldp/station"
	"uelink/lldp/ue"
)

// discovery is the part of station.Agents that the daemon uses.
type discovery interface {
	control.LLDP
	Run(ctx context.Context) error
	Close() error
	Check(c station.Config) error
	Reload(c station.Config) error
	OfferLLR(port string, on bool) error
	FastStart(port string) error
	Missed(subscriber <-chan agent.Event) uint64
	snapshot.Machine
	Freeze()
	Thaw()
	Restore(state []byte) error
}

// discoverer makes the LLDP agents: station.Open.
type discoverer func(station.Config, *zap.Logger) (discovery, error)

// results hands results of LLDP to the data plane: the latest of each port. The sender of a result does not wait for
// the data plane.
type results[R any] struct {
	mu     sync.Mutex
	latest map[string]R
	news   chan struct{} // one place
}

func newResults[R any]() *results[R] {
	return &results[R]{latest: map[string]R{}, news: make(chan struct{}, 1)}
}

// put records the latest result of a port's negotiation, and wakes run. The LLDP agents call put.
func (n *results[R]) put(port string, r R) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.latest[port] = r
	select {
	case n.news <- struct{}{}:
	default: // run will find this result with the earlier news
	}
}

// drain returns the results since the last call, by port, and forgets them.
func (n *results[R]) drain() map[string]R {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := maps.Clone(n.latest)
	clear(n.latest)
	return taken
}

// run hands each recorded result to the function to, which passes it to the data plane, until ctx ends. The data
// plane refuses results for ports of another role, and for removed ports; the refusals are logged.
// Clauses: UE-LINK/overview.11.
func (n *results[R]) run(ctx context.Context, to func(port string, r R) error, log *zap.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.news:
		}
		for port, r := range n.drain() {
			if err := to(port, r); err != nil {
				log.Debug("the data plane refuses what LLDP has negotiated for a port", zap.Error(err))
			}
		}
	}
}

// greet makes LLDP send an LLDPDU at once on ports whose partner has restarted, by the events of the data plane, until
// ctx ends: such a partner waits for the features of this end.
func greet(ctx context.Context, events <-chan model.Event, to discovery) {
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-events:
			if !open {
				return
			}
			if e.Kind == model.EventStart {
				_ = to.FastStart(e.Port) // a port without LLDP sends nothing
			}
		}
	}
}

// agreed converts a result of the UE negotiation to the form of the data plane.
func agreed(r ue.Result) path.Negotiated {
	n := path.Negotiated{
		Local: r.LLR.Local, Remote: r.LLR.Remote, Partner: r.Partner.String(),
		CBFC: model.NegotiatedCBFC{On: r.CBFC.On, VCs: r.CBFC.VCs, Lossless: r.CBFC.Lossless},
	}
	if a := &r.Advertised; a.HasCBFC {
		n.CBFC.Pool = int(a.CBFC.Pool)
		n.CBFC.Size = cbfc.Size{Credit: int(a.CreditSize.Octets), Overhead: int(a.CreditSize.Overhead)}
	}
	return n
}

// negotiated returns a function that passes results of the UE negotiation, by port, to a data plane.
func negotiated(to frames) func(string, ue.Result) error {
	return func(port string, r ue.Result) error {
		return to.SetNegotiated(port, agreed(r))
	}
}

// exchanged returns a function that passes results of DCBX, by port, to a data plane.
func exchanged(to frames) func(string, station.DCB) error {
	return func(port string, d station.DCB) error {
		pg := &d.PG.Config
		return to.SetDCB(port, model.DCB{
			Running: d.Running, Agreed: d.PFC.Set, PFC: d.PFC.Config.Enable,
			PG:           sched.PriorityGroups{Group: pg.Group, Percentage: pg.Percentage},
			Applications: qos.Applications(d.App),
		})
	}
}

// offering is a data plane that offers LLR_MODE_LOCAL to the partner by LLDP when a client sets it.
type offering struct {
	frames
	lldp discovery
}

// SetLLRLocal sets LLR_MODE_LOCAL of a port for the control API: in the data plane, and in the offer that LLDP
// sends. A withdrawn offer switches LLR off at both ends after the partner has received it.
func (o offering) SetLLRLocal(port string, on bool) error {
	if err := o.frames.SetLLRLocal(port, on); err != nil {
		return err
	}
	if err := o.lldp.OfferLLR(port, on); !errors.Is(err, station.ErrNoPort) {
		return err
	}
	return nil // a port without LLDP offers nothing
}
