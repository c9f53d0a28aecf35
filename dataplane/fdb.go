package dataplane

import (
	"errors"
	"fmt"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/wire"
)

// Bridges returns a snapshot of every bridge, in the order of the configuration.
func (d *Dataplane) Bridges() []model.BridgeState {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := []model.BridgeState{}
	for _, g := range d.groups {
		if g.bridge != nil {
			states = append(states, g.bridgeState())
		}
	}
	return states
}

// FDB returns the entries of one bridge, or of all bridges for "", in any order. The entries are read in parts, and the
// bridge goes on between the parts. The error is ErrNoBridge.
func (d *Dataplane) FDB(name string) ([]model.FDBEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	groups, err := d.bridges(name)
	list := []model.FDBEntry{}
	for _, g := range groups {
		list = g.appendFDB(list)
	}
	return list, err
}

// bridges returns the bridge with a name, or all bridges for "". The error is ErrNoBridge.
func (d *Dataplane) bridges(name string) (groups []*group, err error) {
	for _, g := range d.groups {
		if g.bridge != nil && (name == "" || name == g.bridge.Name) {
			groups = append(groups, g)
		}
	}
	if name != "" && groups == nil {
		return nil, fmt.Errorf("%s: %w", name, model.ErrNoBridge)
	}
	return groups, nil
}

// AddFDB makes the address of e static at its port, in place of a learned entry. name is the bridge, or "" for the
// bridge of the port. Errors: ErrNoBridge, ErrNoPort, ErrNotBridged and those of [bridge.Bridge.Add]. AddFDB does not
// check whether the port is in the VLAN.
func (d *Dataplane) AddFDB(name string, e model.FDBEntry) error {
	return d.onBridgePort(name, e.Port, func(b *bridge.Bridge, number int) error {
		return b.Add(bridge.Entry{Address: bridge.Address{MAC: e.MAC, VLAN: e.VLAN}, Port: number})
	})
}

// DeleteFDB removes the address of e, static or learned, at its port from the table. Errors: as of AddFDB, and
// [bridge.ErrNoEntry].
func (d *Dataplane) DeleteFDB(name string, e model.FDBEntry) error {
	return d.onBridgePort(name, e.Port, func(b *bridge.Bridge, number int) error {
		return b.Delete(bridge.Address{MAC: e.MAC, VLAN: e.VLAN}, number)
	})
}

// FlushFDB removes the learned addresses of a bridge, a port and a VLAN ("" and 0 mean any), and returns how many were
// removed. Errors: as of AddFDB.
func (d *Dataplane) FlushFDB(name, port string, vlan int) (removed int, err error) {
	if port != "" {
		err = d.onBridgePort(name, port, func(b *bridge.Bridge, number int) (err error) {
			removed, err = b.Flush(number, anyVLAN(vlan))
			return err
		})
		return removed, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	groups, err := d.bridges(name)
	for _, g := range groups {
		g.worker.Do(func(wire.Time) {
			n, e := g.domain.Bridge.Flush(-1, anyVLAN(vlan))
			removed, err = removed+n, errors.Join(err, e)
		})
	}
	return removed, err
}

// anyVLAN converts a VLAN of FlushFDB, where 0 means any, to one of bridge.Bridge.Flush, where -1 means any.
func anyVLAN(vlan int) int {
	if vlan == 0 {
		return -1
	}
	return vlan
}

// onBridgePort runs f on the worker, with the bridge of a name ("" for the bridge of the port) and the number of a
// port of the bridge, and returns the error of f. Other errors: ErrNoBridge, ErrNoPort, ErrNotBridged.
func (d *Dataplane) onBridgePort(name, port string, f func(b *bridge.Bridge, number int) error) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.bridges(name); err != nil {
		return err
	}
	g, a := d.find(port)
	switch {
	case a == nil:
		return fmt.Errorf("%s: %w", port, ErrNoPort)
	case g.bridge == nil:
		return fmt.Errorf("%s: %w", port, model.ErrNotBridged)
	case name != "" && g.bridge.Name != name:
		return fmt.Errorf("%s in bridge %s: %w", port, name, ErrNoPort)
	}
	g.worker.Do(func(wire.Time) { err = f(g.domain.Bridge, a.port.Number) })
	return err
}
