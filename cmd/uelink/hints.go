package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// meantBy returns the commands that somebody may have meant who has typed an unknown command of a group, in quotes: a
// mistyped command of the group, a command for a word of other tools, or a command of uelink itself; "" if none is
// known. Directly behind uelink, a word of other tools takes precedence over a mistyped command.
func meantBy(group *cobra.Command, typed string) string {
	meant := habits[strings.ToLower(typed)]
	if meant != "" && group == group.Root() {
		return meant
	}
	if near := group.SuggestionsFor(typed); len(near) > 0 {
		return strconv.Quote(near[0])
	}
	if meant != "" {
		return meant
	}
	for _, cmd := range group.Root().Commands() {
		if cmd.Name() == typed && cmd.IsAvailableCommand() {
			return strconv.Quote(cmd.CommandPath())
		}
	}
	return ""
}

// habits has the commands for words that people know from other tools.
var habits = map[string]string{
	"interface":  `"uelink port"`,
	"interfaces": `"uelink port"`,
	"ifconfig":   `"uelink port"`,
	"link":       `"uelink port" or "uelink llr interface"`,
	"links":      `"uelink port" or "uelink llr interface"`,
	"counter":    `"uelink llr counters", "uelink queue counters" or "uelink port PORT"`,
	"counters":   `"uelink llr counters", "uelink queue counters" or "uelink port PORT"`,
	"statistics": `"uelink llr counters", "uelink queue counters" or "uelink lldp statistics"`,
	"stats":      `"uelink llr counters", "uelink queue counters" or "uelink lldp statistics"`,
	"neighbor":   `"uelink lldp neighbors"`,
	"neighbors":  `"uelink lldp neighbors"`,
	"neighbour":  `"uelink lldp neighbors"`,
	"neighbours": `"uelink lldp neighbors"`,
	"check":      `"uelink status", "uelink doctor INTERFACE" or "uelinkd --check --config FILE"`,
	"health":     `"uelink status"`,
	"errors":     `"uelink status" or "uelink events"`,
	"alarms":     `"uelink status" or "uelink events"`,
	"history":    `"uelink events"`,
	"logs":       `"uelink events" or "journalctl -u uelinkd"`,
	"journal":    `"uelink events" or "journalctl -u uelinkd"`,
	"capture":    `"uelink watch frames PORT"`,
	"tcpdump":    `"uelink watch frames PORT"`,
	"mac":        `"uelink fdb"`,
	"set":        `"uelink config set"`,
	"diff":       `"uelink config diff"`,
	"save":       `"uelink config save"`,
	"apply":      `"uelink reload"`,
	"start":      `"systemctl start uelinkd"`,
	"stop":       `"systemctl stop uelinkd"`,
	"restart":    `"systemctl restart uelinkd"`,
}
