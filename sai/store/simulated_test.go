package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/lab/simulated"
	"uelink/llr"
	"uelink/sai"
)

// simulatedPlane is a data plane in memory: an edge edge0 and links, on the virtual clock of a bench.
type simulatedPlane struct {
	bench *simulated.Bench
	end   *simulated.End
}

func (p *simulatedPlane) Reload(s dataplane.Settings) error {
	for _, port := range s.Ports {
		var link int
		if _, err := fmt.Sscanf(port.Name, "link%d", &link); err != nil {
			p.end.ConfigureEdge(port, p.bench.Now())
			continue
		}
		p.end.ConfigureLink(link, port, s.Profiles[port.LLR.Profile], p.bench.Now())
	}
	return nil
}

func (p *simulatedPlane) Ports() []model.PortState {
	list := []model.PortState{p.end.Edge()}
	for i := range p.end.Links() {
		list = append(list, p.end.LinkTo(i))
	}
	return list
}

func (p *simulatedPlane) SetLLRLocal(_ string, on bool) error {
	p.end.SetLLRLocal(0, on, p.bench.Now())
	return nil
}

func (p *simulatedPlane) SetLLRRemote(_ string, on bool) error {
	p.end.SetLLRRemote(0, on, p.bench.Now())
	return nil
}

func (p *simulatedPlane) Subscribe() (<-chan model.Event, func()) { return nil, func() {} }

// simulatedEnd is the objects of one end of a bench.
type simulatedEnd struct {
	*bed
	link, edge sai.OID
}

// world is two ends whose LLR and CBFC are off by the configuration, with the objects of both.
type world struct {
	*simulated.Bench
	t    *testing.T
	a, b simulatedEnd
}

// newWorld makes a world; change changes its options.
func newWorld(t *testing.T, change func(*simulated.Options)) *world {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: one goroutine for many frames")
	}
	o := simulated.Defaults()
	o.Link.LLR.Mode, o.Link.LLR.Local, o.Link.LLR.Remote, o.Link.VCs = model.LLROff, false, false, 1
	change(&o)
	w := &world{Bench: simulated.New(o), t: t}
	w.a, w.b = w.objects(o, w.A), w.objects(o, w.B)
	return w
}

// objects returns the objects of an end.
func (w *world) objects(o simulated.Options, e *simulated.End) simulatedEnd {
	s := dataplane.Settings{Profiles: map[string]llr.Profile{"default": o.Profile}, Ports: []model.PortSettings{o.Edge}}
	for i := range e.Links() {
		port := o.Link
		port.Name = fmt.Sprintf("link%d", i)
		s.Ports = append(s.Ports, port)
	}
	p := &simulatedPlane{w.Bench, e}
	b := &bed{Store: New(p, s, zap.NewNop()), t: w.t}
	return simulatedEnd{b, b.oid(sai.TypePort, "link0"), b.oid(sai.TypePort, "edge0")}
}

// stat returns a statistic by its name without the prefix of its type.
func (e *simulatedEnd) stat(oid sai.OID, name string) uint64 {
	e.t.Helper()
	list := Statistics(oid.Type())
	i := slices.IndexFunc(list, func(s Statistic) bool { return strings.HasSuffix(s.Name, "_STAT_"+name) })
	if i < 0 {
		e.t.Fatalf("%s has no statistic %s", oid.Type(), name)
	}
	values, err := e.Stats(oid, []uint32{list[i].ID})
	if err != nil {
		e.t.Fatal(err)
	}
	return values[0]
}

// enable creates an LLR profile of SAI's defaults and of more attributes, whose times are in force as they are set,
// and switches LLR on with it.
func (e *simulatedEnd) enable(more ...sai.Set) (profile sai.OID) {
	e.t.Helper()
	list := []sai.Set{attr(llrFrames, number(100)), attr(llrBytes, number(1<<20))}
	for _, set := range more {
		list = slices.DeleteFunc(list, func(s sai.Set) bool { return s.ID == set.ID })
	}
	profile, err := e.Create(sai.TypeLLRProfile, append(list, more...), true)
	if err != nil {
		e.t.Fatal(err)
	}
	e.set(e.link, portLLRProfile, sai.Value{OID: profile})
	e.set(e.link, portLLRLocal, truth(true))
	e.set(e.link, portLLRRemote, truth(true))
	return profile
}

// until runs the world until a condition holds, and returns how long that took.
func (w *world) until(what string, done func() bool) time.Duration {
	w.t.Helper()
	const limit = 5 * time.Second
	from := w.Now()
	if !w.Until(done, limit) {
		w.t.Fatalf("%s: not within %v; A: %+v", what, limit, w.A.Link().LLR)
	}
	return w.Now().Sub(from)
}

// flushes reports whether the transmitter of A is in FLUSH.
func (w *world) flushes() bool { return w.a.get(w.a.link, portLLRTx).Number == 4 }

// runs waits until LLR runs both ways.
func (w *world) runs() {
	w.t.Helper()
	w.until("LLR runs", func() bool {
		return w.a.get(w.a.link, portLLRTx).Number == 2 && w.b.get(w.b.link, portLLRTx).Number == 2 &&
			w.a.get(w.a.link, portLLRRx).Number == 1 && w.b.get(w.b.link, portLLRRx).Number == 1
	})
}
