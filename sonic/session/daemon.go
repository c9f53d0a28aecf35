package session

import (
	"context"
	"fmt"
	"maps"
	"time"

	"uelink/client"
	"uelink/control/api"
	"uelink/sai"
	"uelink/sai/store"
	"uelink/sonic"
)

// daemon is the client of uelinkd, with what the last answers said.
type daemon struct {
	client  *client.Client
	process int                // pid of the process that answered last; 0: the next pass calls attach
	started time.Time          // start of that process
	llr     map[string]linkLLR // of the links, by port
	fixed   sonic.Plane        // capabilities of the daemon and, by name, its ports with their objects
}

// linkLLR is the LLR of a link that changes by SAI or by a reload of the configuration, and not by commands. A reload
// gives up what SAI has set on a port if the file's LLR of the port has changed.
type linkLLR struct{ mode, profile string }

// llrOf returns the LLR mode and profile of each link port, by port name.
func llrOf(ports []api.Port) map[string]linkLLR {
	links := map[string]linkLLR{}
	for i := range ports {
		if port := &ports[i]; port.LLR != nil {
			links[port.Name] = linkLLR{port.LLR.Mode.String(), port.LLR.Profile}
		}
	}
	return links
}

// readState asks the daemon for its state. attached has the LLR settings and profiles of its ports if the daemon was
// started again or somebody has changed its LLR since the last call; else it is nil.
func (d *daemon) readState(ctx context.Context) (p *sonic.Plane, attached *sonic.Attachment, err error) {
	status, err := d.client.Status(ctx)
	if err != nil {
		return nil, nil, err
	}
	ports, err := d.client.Ports(ctx)
	if err != nil {
		return nil, nil, err
	}
	llr := llrOf(ports)
	if status.PID != d.process || !status.Started.Equal(d.started) || !maps.Equal(llr, d.llr) {
		if attached, err = d.attach(ctx); err != nil {
			return nil, nil, err
		}
	}
	d.process, d.started, d.llr = status.PID, status.Started, llr
	p = &sonic.Plane{Ports: map[string]sonic.PlanePort{}, Attributes: d.fixed.Attributes, Stats: d.fixed.Stats}
	for i := range ports {
		state := &ports[i]
		port := d.fixed.Ports[state.Name]
		if port.OID == 0 {
			d.process = 0 // a port that a reload has added: the next pass asks for its object
			continue
		}
		port.Interface, port.OperStatus, port.Speed, port.MTU = state.Interface, state.OperStatus, state.Speed,
			state.MTU
		if port.Link = state.LLR != nil; port.Link {
			port.Mode = state.LLR.Mode.String()
			port.TxStatus, port.RxStatus = state.LLR.TxStatus.String(), state.LLR.RxStatus.String()
		}
		p.Ports[state.Name] = port
	}
	for name := range d.fixed.Ports {
		if _, ok := p.Ports[name]; !ok {
			delete(d.fixed.Ports, name) // the port may come back with another object id
		}
	}
	return p, attached, nil
}

// attach asks the daemon for its LLR capabilities and its SAI objects, which it keeps in field fixed, and for the LLR
// settings of its links, which it returns with the objects that clients of SAI have made.
func (d *daemon) attach(ctx context.Context) (*sonic.Attachment, error) {
	if err := d.readCapabilities(ctx); err != nil {
		return nil, err
	}
	objects, err := d.client.SAIObjects(ctx)
	if err != nil {
		return nil, err
	}
	created := map[sai.OID]bool{}
	d.fixed.Ports = map[string]sonic.PlanePort{}
	for _, o := range objects {
		created[o.OID] = o.MadeBy == "sai"
		if o.Type == sai.TypePort && o.OID != store.CPUPortOID {
			d.fixed.Ports[o.Name] = sonic.PlanePort{OID: o.OID}
		}
	}
	interfaces, err := d.client.LLRInterfaces(ctx)
	if err != nil {
		return nil, err
	}
	links := map[string]sonic.Attached{}
	for _, i := range interfaces {
		if links[i.Port], err = d.attachedPort(ctx, d.fixed.Ports[i.Port].OID, created); err != nil {
			return nil, err
		}
	}
	return &sonic.Attachment{Links: links, Made: created}, nil
}

// attachedPort asks the daemon for the LLR settings of a port, given by its SAI object, and for the values of the
// port's profile if created has the profile: the objects that clients of SAI have created.
func (d *daemon) attachedPort(
	ctx context.Context, port sai.OID, created map[sai.OID]bool,
) (a sonic.Attached, err error) {
	values, err := d.client.SAIGet(ctx, port, sonic.AttrProfile, sonic.AttrLocal, sonic.AttrRemote)
	if err != nil {
		return a, err
	}
	a.Profile, a.Local, a.Remote = values[0].OID, values[1].Number != 0, values[2].Number != 0
	if !created[a.Profile] {
		return a, nil
	}
	var ids []uint32
	a.Values = &sonic.Profile{}
	for id := range a.Values {
		ids = append(ids, uint32(id))
	}
	if values, err = d.client.SAIGet(ctx, a.Profile, ids...); err != nil {
		return a, err
	}
	for id, v := range values {
		a.Values[id] = v.Number
	}
	return a, nil
}

// readCapabilities asks the daemon which SAI attributes of LLR profiles and which LLR statistics of ports it
// implements, and keeps the answers in field fixed.
func (d *daemon) readCapabilities(ctx context.Context) error {
	d.fixed.Attributes, d.fixed.Stats = nil, nil
	for _, a := range store.Attributes(sai.TypeLLRProfile) {
		c, err := d.client.SAICapability(ctx, sai.TypeLLRProfile, a.ID)
		if err != nil {
			return err
		}
		if c.Create {
			d.fixed.Attributes = append(d.fixed.Attributes, a.Name)
		}
	}
	reads, err := d.client.SAIStatistics(ctx, sai.TypePort)
	if err != nil {
		return err
	}
	readable := map[uint32]bool{}
	for _, s := range reads {
		readable[s.ID] = s.Modes&sai.StatRead != 0
	}
	for _, s := range store.Statistics(sai.TypePort) {
		if sonic.IsLLR(s.Name) {
			d.fixed.Stats = append(d.fixed.Stats, sonic.Stat{ID: s.ID, Name: s.Name, Reads: readable[s.ID]})
		}
	}
	return nil
}

// do makes the daemon carry out a SAI call, and returns the id of the created object; 0 for calls that create none.
func (d *daemon) do(ctx context.Context, c sonic.Call) (sai.OID, error) {
	switch c.Verb {
	case sonic.CreateProfile:
		var list []sai.Set
		for id, n := range c.Values {
			list = append(list, sai.Set{ID: uint32(id), Value: sai.Value{Number: n}})
		}
		return d.client.SAICreate(ctx, sai.TypeLLRProfile, list)
	case sonic.RemoveObject:
		return 0, d.client.SAIRemove(ctx, c.OID)
	case sonic.SetAttribute:
		return 0, d.client.SAISet(ctx, c.OID,
			sai.Set{ID: c.Attribute, Value: sai.Value{Number: c.Value, OID: c.Refers}})
	}
	return 0, fmt.Errorf("SAI calls of kind %d are unknown", c.Verb)
}

// watch calls changed after each event of the daemon, and each time when the daemon starts or stops responding, until
// ctx ends.
func (d *daemon) watch(ctx context.Context, changed func()) {
	for ctx.Err() == nil {
		if events, err := d.client.Watch(ctx); err == nil {
			changed()
			for err == nil {
				if _, err = events.Next(); err == nil {
					changed()
				}
			}
			_ = events.Close() // it has ended
			changed()
		}
		sleep(ctx, retry)
	}
}
