package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"uelink/control/api"
	"uelink/control/status"
)

// unmet returns all settings wanted and not in force: of the daemon itself first, then of the ports. The status, the
// page and the metrics have the same list.
func (d *daemon) unmet() []api.Unmet {
	own := []api.Unmet{unmetConfiguration(d.file, d.control.LastReload()), d.upgrades.refusal.unmet(), d.atStart.unmet(),
		d.journal.unmet()}
	own = append(slices.DeleteFunc(own, func(u api.Unmet) bool { return u.What == "" }), d.observed.unmet()...)
	var exchanges []api.DCBX
	for _, e := range d.lldp.DCBX() {
		exchanges = append(exchanges, api.NewDCBX(e))
	}
	return append(own, status.Unmet(api.NewPorts(d.frames.Ports()), exchanges)...)
}

// unmetConfiguration returns the wish of a daemon whose configuration file was refused at the last reload r; the zero
// value otherwise.
func unmetConfiguration(file string, r *api.Reload) (u api.Unmet) {
	if r == nil || len(r.Errors) == 0 {
		return u
	}
	return api.Unmet{What: api.WantedConfiguration, Command: api.ReloadCommand, Problem: fmt.Sprintf("%s was refused at "+
		"%s, and the former configuration goes on: %s: correct the file, and type: %s", file,
		r.Time.Format(time.DateTime), strings.Join(r.Errors, "; "), api.ReloadCommand)}
}
