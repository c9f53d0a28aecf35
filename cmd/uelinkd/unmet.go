package main

import (
	"fmt"
	"strings"
	"time"

	"uelink/control/api"
)

// unmetConfiguration returns the problem that the configuration file was refused at the last reload r; the zero value
// if it was not.
func unmetConfiguration(file string, r *api.Reload) (u api.Unmet) {
	if r == nil || len(r.Errors) == 0 {
		return u
	}
	return api.Unmet{What: api.WantedConfiguration, Command: api.ReloadCommand,
		Problem: fmt.Sprintf("%s was refused at "+
			"%s, and the former configuration goes on: %s: correct the file, and type: %s", file,
			r.Time.Format(time.DateTime), strings.Join(r.Errors, "; "), api.ReloadCommand)}
}
