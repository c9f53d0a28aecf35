package main

import (
	"fmt"
	"os"
	"slices"
	"time"

	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/control/status"
	"uelink/dataplane/model"
)

// condition adds to a status of the API how the daemon itself fares.
func (d *daemon) condition(s *api.Status) {
	s.LogLinesLost, s.Troubles = d.logs.spool.State().Lost, append(s.Troubles, d.troubles()...)
	s.Unmet = append(s.Unmet, d.unmet()...)
}

// troubles returns the troubles of the daemon itself, in words, with the commands that mend them: of the log, the
// listeners, and the descriptors that an upgrade needs. The status, the page and the metrics have the same troubles.
func (d *daemon) troubles() []string {
	all := []string{d.logs.trouble(time.Now()), d.http.scrapes.trouble(), d.http.pages.trouble()}
	if own, err := ownFiles(); err == nil {
		all = append(all, own.trouble(os.Getpid()))
	}
	return slices.DeleteFunc(all, func(trouble string) bool { return trouble == "" })
}

// ready logs that the daemon is ready, and notifies the service manager.
func (d *daemon) ready() {
	ports := d.frames.Ports()
	d.log.Info("ready", zap.Int("ports", len(ports)), zap.String("socket", d.config.Control.Socket),
		zap.String("version", api.Version()))
	d.report("READY=1", "STATUS="+summary(ports))
}

// summary returns in words the number of ports, and of ports without an interface.
func summary(ports []model.PortState) string {
	absent := 0
	for _, p := range ports {
		if p.OperStatus == model.OperAbsent {
			absent++
		}
	}
	if absent == 0 {
		return fmt.Sprintf("%d ports", len(ports))
	}
	return fmt.Sprintf("%d ports, %d of them wait for their interface", len(ports), absent)
}

// report sends assignments such as READY=1 to the service manager. An error is only logged.
func (d *daemon) report(assignments ...string) {
	if err := d.notify.send(assignments...); err != nil {
		d.log.Warn(err.Error())
	}
}

// unmet returns all settings wanted and not in force: of the daemon itself first, then of the ports. The status, the
// page and the metrics have the same list.
func (d *daemon) unmet() []api.Unmet {
	own := []api.Unmet{unmetConfiguration(d.file, d.control.LastReload()), d.upgrades.refusal.unmet(),
		d.atStart.unmet(),
		d.journal.unmet()}
	own = append(slices.DeleteFunc(own, func(u api.Unmet) bool { return u.What == "" }), d.observed.unmet()...)
	var exchanges []api.DCBX
	for _, e := range d.lldp.DCBX() {
		exchanges = append(exchanges, api.NewDCBX(e))
	}
	return append(own, status.Unmet(api.NewPorts(d.frames.Ports()), exchanges)...)
}
