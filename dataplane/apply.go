package dataplane

import (
	"maps"
	"slices"

	"go.uber.org/zap"
)

// Reload makes the data plane what new settings say. Ports and xconnects that
// did not change go on without an interruption, with new profiles and LLR modes;
// workers and spin stay as they were at the start. Where new ports cannot be
// opened an error says why; the rest of the settings holds.
func (d *Dataplane) Reload(s Settings) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.applyLocked(s)
}

func (d *Dataplane) apply(s Settings) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.applyLocked(s)
}

func (d *Dataplane) applyLocked(s Settings) error {
	if err := everyPortConnected(s); err != nil {
		return err
	}
	d.settings = s
	d.stations = slices.DeleteFunc(d.stations, func(st *station) bool {
		if d.keeps(st, s) {
			return false
		}
		st.close()
		return true
	})
	maps.DeleteFunc(d.agreed, func(port string, _ Negotiated) bool {
		return !slices.ContainsFunc(d.stations, func(st *station) bool { return st.link.settings.Name == port })
	})
	for i, xc := range s.XConnects {
		if slices.ContainsFunc(d.stations, func(st *station) bool { return st.link.settings.Name == xc.Link }) {
			continue
		}
		edge, lnk := s.port(xc.Edge), s.port(xc.Link)
		w, profile := d.workers[i%len(d.workers)], s.Profiles[lnk.LLR.Profile]
		st := newStation(w, edge, lnk, profile, newIdentity(), s.DrainTimeout)
		d.stations = append(d.stations, st)
		st.worker.do(func(now int64) { st.x.link.agree(d.agreed[xc.Link], now) })
		if err := st.open(d.records, d.log); err != nil {
			return err
		}
		st.reconcileBoth(d.log)
	}
	return nil
}

// keeps tells whether an xconnect is in the settings as it is, and if so gives
// it their profile and LLR modes.
func (d *Dataplane) keeps(st *station, s Settings) bool {
	if !slices.Contains(s.XConnects, XConnect{Edge: st.edge.settings.Name, Link: st.link.settings.Name}) {
		return false
	}
	edge, lnk := s.port(st.edge.settings.Name), s.port(st.link.settings.Name)
	was := st.link.settings
	was.LLR = lnk.LLR
	p := s.Profiles[lnk.LLR.Profile]
	if edge != st.edge.settings || lnk != was || p.MaxOutstandingFrames > st.window {
		return false
	}
	st.link.settings = lnk
	st.worker.do(func(now int64) { st.x.link.configure(lnk, p, int64(s.DrainTimeout), now) })
	return true
}

// everyPortConnected: a port without an xconnect has nowhere to send frames.
func everyPortConnected(s Settings) error {
	for _, p := range s.Ports {
		if !slices.ContainsFunc(s.XConnects, func(x XConnect) bool { return x.Edge == p.Name || x.Link == p.Name }) {
			return configError("port %s is in no xconnect: add one, or take the port out", p.Name)
		}
	}
	return nil
}

func (s *Settings) port(name string) PortSettings {
	i := slices.IndexFunc(s.Ports, func(p PortSettings) bool { return p.Name == name })
	return s.Ports[i]
}

func (s *station) reconcileBoth(log *zap.Logger) {
	s.reconcile(&s.edge, s.openEdge, log)
	s.reconcile(&s.link, s.openLink, log)
	s.refit(log)
}
