package main

import (
	"errors"

	"go.uber.org/zap"

	"uelink/config"
)

// reload reads the configuration again. One that is not right, or that the data
// plane cannot follow, is logged, and the old one goes on.
func (d *daemon) reload() {
	d.tell(reloading()...)
	defer d.tell("READY=1")
	next, err := config.Load(d.file)
	if err != nil {
		d.refuse(err)
		return
	}
	err = d.frames.Reload(next.Settings)
	if err == nil {
		err = d.lldp.Reload(d.agents(next))
	}
	if err != nil {
		d.refuse(err)
		d.restore()
		return
	}
	d.level.SetLevel(next.Log.Level)
	d.warnOfRestart(next)
	d.config = next
	d.log.Info("configuration reloaded", zap.String("file", d.file), zap.Stringer("log_level", next.Log.Level))
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
