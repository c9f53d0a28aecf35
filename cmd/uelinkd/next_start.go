package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"uelink/config"
	"uelink/control/api"
)

// atStart is the keys of the configuration that wait for the next start. Any goroutine may use it.
type atStart struct {
	begun *config.Config // configuration with which this process began
	moved []string       // keys whose listener has moved to a new address since the start
	list  atomic.Pointer[[]string]
}

// keys returns the waiting keys, sorted.
func (a *atStart) keys() []string {
	if list := a.list.Load(); list != nil {
		return *list
	}
	return []string{}
}

// ofStart returns, sorted, those keys in which two configurations differ and whose new values take effect only at a
// start of the daemon. "control", "metrics" and "web" stand for all such keys in these sections.
func ofStart(a, b *config.Config) (keys []string) {
	for key, changed := range map[string]bool{
		"control": a.Control.Socket != b.Control.Socket || a.Control.Mode != b.Control.Mode ||
			a.Control.Group != b.Control.Group,
		"metrics":    a.Metrics != b.Metrics,
		"web":        !reflect.DeepEqual(a.Web, b.Web),
		"log.format": a.Log.Format != b.Log.Format,
		"workers":    a.Settings.Workers != b.Settings.Workers,
		"real_time":  a.Settings.RealTime != b.Settings.RealTime,
		"spin":       a.Settings.Spin != b.Settings.Spin,
	} {
		if changed {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// unmet returns the problem that changed keys wait for the next start; the zero value if no key waits.
func (a *atStart) unmet() (u api.Unmet) {
	keys := a.keys()
	if len(keys) == 0 {
		return u
	}
	return api.Unmet{What: api.WantedRestart,
		Problem: fmt.Sprintf("changed keys of the configuration wait for the next "+
			"start of the daemon: %s: restart it (systemctl restart uelinkd), or take them back", strings.Join(keys, ", "))}
}
