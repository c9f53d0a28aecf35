package main

import (
	"errors"
	"reflect"

	"go.uber.org/zap"

	"uelink/config"
)

// reload reads the configuration again. One that is not right, or that the data
// plane cannot follow, is logged, and the old one goes on.
func (d *daemon) reload() {
	d.tell(reloading()...)
	defer d.tell("READY=1")
	next, err := config.Load(d.file)
	if err == nil {
		_, err = socketOf(next).Check()
	}
	if err != nil {
		d.refuse(err)
		return
	}
	if err := d.follow(next); err != nil {
		d.refuse(err)
		return
	}
	d.level.SetLevel(next.Log.Level)
	d.warnOfRestart(next)
	was := d.config
	d.config = next
	d.log.Info("configuration reloaded", zap.String("file", d.file), zap.Stringer("log_level", next.Log.Level))
	d.await(was)
}

// follow has the data plane and LLDP follow a configuration. After an error the one of before holds: what is wrong with
// it is found before anything is changed, as far as that can be.
func (d *daemon) follow(next *config.Config) error {
	if err := d.lldp.Check(d.agents(next)); err != nil {
		return err
	}
	if err := d.frames.Reload(next.Settings); err != nil {
		return err
	}
	err := d.lldp.Reload(d.agents(next))
	if err != nil {
		d.restore()
	}
	return err
}

// await has the configuration that was just reloaded confirmed, where --confirm asks for that. While the start itself
// waits for that, it stands for both. With --confirm the daemon goes back to the latest configuration that was
// confirmed.
func (d *daemon) await(was *config.Config) {
	switch {
	case !d.confirm.pending():
		d.before = was
	case d.before == nil:
		return
	}
	if reflect.DeepEqual(d.config, d.before) {
		d.confirm.stop()
		d.before = nil
		return
	}
	d.confirm.begin(d.log, "the configuration of before the reload comes back")
}

// takeBack has the configuration of before hold again: nobody has confirmed the one that was reloaded.
func (d *daemon) takeBack() {
	d.tell(reloading()...)
	defer d.tell("READY=1")
	d.config, d.before = d.before, nil
	d.level.SetLevel(d.config.Log.Level)
	d.restore()
	d.log.Warn("the reload was not confirmed: the configuration of before holds again. The file still has the other one, "+
		"for the next reload or start: correct it, or reload and type: uelink confirm", zap.String("file", d.file))
}

func (d *daemon) refuse(err error) {
	for _, line := range lines(err) {
		d.log.Error("configuration refused, the old one goes on", zap.String("error", line))
	}
}

// restore gives the data plane and LLDP the old settings again: they had taken
// those of the new ones that they could.
func (d *daemon) restore() {
	if err := errors.Join(d.frames.Reload(d.config.Settings), d.lldp.Reload(d.agents(d.config))); err != nil {
		d.log.Error("old configuration not restored in full: correct the file and reload", zap.Error(err))
	}
}

// warnOfRestart names what is only read when the daemon starts.
func (d *daemon) warnOfRestart(next *config.Config) {
	for key, changed := range map[string]bool{
		"control":    next.Control != d.config.Control,
		"metrics":    next.Metrics != d.config.Metrics,
		"log.format": next.Log.Format != d.config.Log.Format,
		"workers":    next.Settings.Workers != d.config.Settings.Workers,
		"spin":       next.Settings.Spin != d.config.Settings.Spin,
	} {
		if changed {
			d.log.Warn("change takes effect at the next start", zap.String("key", key))
		}
	}
}
