package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"uelink/config"
	"uelink/control/api"
	"uelink/dataplane/model"
)

// reload reads the configuration file again and applies it. A wrong or refused configuration is logged, and the
// old configuration stays in force. After an upgrade it waits for the end of the former process.
func (d *daemon) reload() {
	d.report(reloading()...)
	defer d.report("READY=1")
	if err := d.former.process.left(formerTimeout); err != nil {
		d.refuse(err)
		return
	}
	next, texts, text, err := loadConfig(d.file)
	if err == nil {
		_, err = checkSockets(next)
	}
	if err != nil {
		d.refuse(err)
		return
	}
	if err := d.apply(next); err != nil {
		d.refuse(err)
		return
	}
	d.logs.level.SetLevel(next.Log.Level)
	d.awaitStart(next)
	before := &configuration{d.config, d.files.get()}
	d.config = next
	d.files.set(filed{texts, string(text)})
	d.control.Reloaded(api.Reload{Time: time.Now(), Errors: []string{}, NextStart: d.atStart.keys()})
	d.frames.Publish("", model.EventReload, d.file+" is in force")
	d.log.Info("configuration reloaded", zap.String("file", d.file), zap.Stringer("log_level", next.Log.Level))
	d.awaitConfirmation(before)
}

// apply applies a configuration to the data plane and LLDP. After an error the old configuration is in force. As far
// as possible, errors are found before anything is changed.
func (d *daemon) apply(next *config.Config) error {
	if err := d.lldp.Check(d.agents(next)); err != nil {
		return err
	}
	d.permit(next)
	if err := d.objects.Reload(next.Settings); err != nil {
		d.permit(d.config)
		return err
	}
	d.control.SetLabels(next.Labels)
	err := d.lldp.Reload(d.agents(next))
	if err != nil {
		d.restore()
	}
	return err
}

// permit tells the objects of SAI what a configuration says about clients of SAI: lanes, and who sets interfaces.
func (d *daemon) permit(c *config.Config) {
	d.objects.SetLanes(c.Lanes)
	d.objects.ManageInterfaces(c.SAI.ManageInterfaces)
}

// awaitConfirmation starts the wait for the confirmation of a reload, with --confirm. While the start still waits, one
// confirmation is for both. Without a confirmation the daemon goes back to the latest confirmed configuration.
func (d *daemon) awaitConfirmation(before *configuration) {
	switch {
	case !d.confirm.pending():
		d.before = before
	case d.before == nil:
		return
	}
	if reflect.DeepEqual(d.config, d.before.config) {
		d.confirm.stop()
		d.before = nil
		return
	}
	d.confirm.begin(d.log, "the configuration before the reload comes back")
}

// revert applies the configuration again that was in force before the unconfirmed reloads, and logs that.
func (d *daemon) revert() {
	d.report(reloading()...)
	defer d.report("READY=1")
	d.config = d.before.config
	d.files.set(d.before.files)
	d.before = nil
	d.logs.level.SetLevel(d.config.Log.Level)
	d.awaitStart(d.config)
	d.restore()
	d.log.Warn("the reload was not confirmed: the previous configuration is in force again. The file still has the "+
		"refused one, for the next reload or start: correct it, or reload and type: uelink confirm",
		zap.String("file", d.file))
}

// refuse logs why a reload was refused, and tells clients.
func (d *daemon) refuse(err error) {
	d.control.Reloaded(api.Reload{Time: time.Now(), Errors: lines(err)})
	d.frames.Publish("", model.EventError,
		fmt.Sprintf("%s is refused, and the former configuration goes on: %s", d.file,
			strings.Join(lines(err), "; ")))
	for _, line := range lines(err) {
		d.log.Error("configuration refused, the old one goes on", zap.String("error", line))
	}
}

// restore applies the old settings to the data plane and LLDP again, after they may have applied a part of the new
// settings.
func (d *daemon) restore() {
	d.permit(d.config)
	d.control.SetLabels(d.config.Labels)
	if err := errors.Join(d.objects.Reload(d.config.Settings), d.lldp.Reload(d.agents(d.config))); err != nil {
		d.log.Error("old configuration not restored in full: correct the file and reload", zap.Error(err))
	}
}

// awaitStart logs each key whose changed value in next takes effect only at the next start, and records all that wait
// for it. Metrics or page whose listener is not open yet, because the address is taken, move to their new address at
// once.
func (d *daemon) awaitStart(next *config.Config) {
	for _, key := range ofStart(d.config, next) {
		if key == "metrics" && d.http.scrapes.move(next.Metrics.Listen) ||
			key == "web" && d.http.pages.move(next.Web.Listen) {
			d.atStart.moved = append(d.atStart.moved, key)
			continue
		}
		d.log.Warn("a changed key takes effect at the next start of the daemon", zap.String("key", key))
	}
	waiting := slices.DeleteFunc(ofStart(d.atStart.begun, next), func(key string) bool {
		return slices.Contains(d.atStart.moved, key)
	})
	if waiting == nil {
		waiting = []string{}
	}
	d.atStart.list.Store(&waiting)
}

// Reload makes the daemon read its configuration again, and returns the outcome. It returns an error if the daemon
// does not begin within busyTimeout.
func (d *daemon) Reload() (outcome api.Reload, err error) {
	err = d.turns.run(func() {
		d.reload()
		outcome = *d.control.LastReload()
	})
	return outcome, err
}
