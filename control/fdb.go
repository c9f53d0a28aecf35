package control

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/dataplane/model"
)

// getFDB answers with the FDB entries that the query selects.
func (h bridgeHandlers) getFDB(w http.ResponseWriter, r *http.Request) error {
	q, err := fdbQuery(r)
	if err != nil {
		return err
	}
	if q.Port, err = h.bridgePortName(q.Bridge, q.Port); err != nil {
		return err
	}
	entries, err := h.s.backend.FDB(q.Bridge)
	if err != nil {
		return fmt.Errorf("tables of the bridges: %w", err)
	}
	return reply(w, http.StatusOK, chooseEntries(q, entries))
}

// chooseEntries returns the JSON objects of those entries that q selects, sorted by bridge, VLAN and address.
func chooseEntries(q api.FDBQuery, entries []model.FDBEntry) []api.FDBEntry {
	chosen := slices.DeleteFunc(slices.Clone(entries), func(e model.FDBEntry) bool {
		return q.Port != "" && q.Port != e.Port || q.VLAN != 0 && q.VLAN != e.VLAN ||
			q.State != "" && e.Static != (q.State == api.FDBStatic)
	})
	slices.SortFunc(chosen, func(a, b model.FDBEntry) int {
		return cmp.Or(strings.Compare(a.Bridge, b.Bridge), cmp.Compare(a.VLAN, b.VLAN),
			bytes.Compare(a.MAC[:], b.MAC[:]))
	})
	list := []api.FDBEntry{}
	for _, e := range chosen {
		list = append(list, api.NewFDBEntry(e, q.Statistics))
	}
	return list
}

// postFDB handles a request to add an FDB entry: it adds the entry of the body, in the form of GET, as a static
// entry. A state or flags that uelink does not have are refused.
func (h bridgeHandlers) postFDB(w http.ResponseWriter, r *http.Request) error {
	var body api.FDBEntry
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if body.State != "" && body.State != api.FDBStatic {
		return badRequest("state", "state %q: %s is wanted", body.State, api.FDBStatic)
	}
	if len(body.Flags) > 0 {
		return badRequest("flags", "flags %q: no flag may be given", strings.Join(body.Flags, " "))
	}
	if err := h.changeFDB(body, "static FDB entry added", h.s.backend.AddFDB); err != nil {
		return asKeys(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// asKeys returns the API's Error of err; a wrong field "port" or "bridge" gets the name that FDBEntry gives it,
// "ifname" or "master".
func asKeys(err error) error {
	e := refusal(err)
	switch e.Field {
	case "port":
		e.Field = "ifname"
	case "bridge":
		e.Field = "master"
	}
	return e
}

// deleteFDB removes the FDB entry that the query names.
func (h bridgeHandlers) deleteFDB(w http.ResponseWriter, r *http.Request) error {
	if err := noBody(r); err != nil {
		return err
	}
	given, err := parameters(r, "mac", "port", "vlan", "bridge")
	if err != nil {
		return err
	}
	vlan, err := vlanParameter(given)
	if err != nil {
		return err
	}
	e := api.FDBEntry{MAC: given.Get("mac"), IfName: given.Get("port"), VLAN: vlan, Master: given.Get("bridge")}
	if err := h.changeFDB(e, "FDB entry deleted", h.s.backend.DeleteFDB); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// changeFDB converts the FDB entry of a request, calls change with the bridge and the entry, and logs the change
// under the name action.
func (h bridgeHandlers) changeFDB(entry api.FDBEntry, action string, change func(string, model.FDBEntry) error) error {
	e, err := h.entry(entry)
	if err != nil {
		return err
	}
	if err := change(e.Bridge, e); err != nil {
		return fmt.Errorf("port %s: %w", e.Port, err) // err names the address
	}
	h.s.log.Info(action+" over the control socket", zap.String("bridge", e.Bridge), zap.String("port", e.Port),
		zap.String("mac", entry.MAC), zap.Uint16("vlan", e.VLAN))
	return nil
}

// entry converts an FDB entry of a request to that of the data plane. Errors: a wrong address, an unknown port or
// bridge, a VLAN that the port is not in.
func (h bridgeHandlers) entry(entry api.FDBEntry) (model.FDBEntry, error) {
	e := model.FDBEntry{Port: entry.IfName, VLAN: entry.VLAN, Static: true}
	mac, err := net.ParseMAC(entry.MAC)
	if err != nil || len(mac) != len(e.MAC) {
		return e, badRequest("mac", "mac %q: an address such as 02:00:00:00:00:01 is wanted", entry.MAC)
	}
	copy(e.MAC[:], mac)
	if entry.IfName == "" {
		return e, badRequest("port", "no port is given")
	}
	b, p, err := h.bridgePort(entry.IfName, entry.Master)
	if err != nil {
		return e, err
	}
	e.Bridge, e.Port = b.Name, p.Port
	return e, checkVLAN(b, p, entry.VLAN)
}

// checkVLAN returns an error if no frame of bridge port p can be in the VLAN.
func checkVLAN(b model.BridgeState, p model.BridgePortState, vlan uint16) error {
	vlans := api.VLANsOf(p.Settings)
	switch {
	case !b.Settings.VLANFiltering && vlan != 0:
		return badRequest("vlan", "vlan %d: bridge %s does not filter VLANs: leave the VLAN out", vlan, b.Name)
	case !b.Settings.VLANFiltering:
		return nil
	case vlan == 0:
		return badRequest("vlan", "bridge %s filters VLANs: name a VLAN of port %s: %s", b.Name, p.Port,
			vlansText(vlans))
	case !slices.ContainsFunc(vlans, func(v api.VLAN) bool { return v.VLAN == vlan }):
		return badRequest("vlan", "vlan %d: port %s is not in this VLAN: the VLANs of the port are %s", vlan, p.Port,
			vlansText(vlans))
	}
	return nil
}

// vlansText returns VLANs as "1, 20-25", or "none".
func vlansText(list []api.VLAN) string {
	if len(list) == 0 {
		return "none"
	}
	var texts []string
	for _, v := range api.Ranges(list) {
		texts = append(texts, v.Range())
	}
	return strings.Join(texts, ", ")
}

// postFDBFlush removes the learned entries that the body selects, and answers with their number.
func (h bridgeHandlers) postFDBFlush(w http.ResponseWriter, r *http.Request) error {
	var body api.FDBFlush
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if body.VLAN > api.VLANMax {
		return badVLAN(api.VLANText(body.VLAN))
	}
	port, err := h.bridgePortName(body.Bridge, body.Port)
	if err != nil {
		return err
	}
	n, err := h.s.backend.FlushFDB(body.Bridge, port, int(body.VLAN))
	if err != nil {
		return err
	}
	h.s.log.Info("learned FDB entries flushed over the control socket", zap.String("bridge", body.Bridge),
		zap.String("port", port), zap.Uint16("vlan", body.VLAN), zap.Int("removed", n))
	return reply(w, http.StatusOK, api.FDBFlushed{Removed: n})
}
