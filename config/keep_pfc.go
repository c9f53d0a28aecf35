package config

import (
	"strings"

	"uelink/dataplane/model"
)

// pfcChanges returns the changes of a port's PFC. The priorities are the only PFC setting of SAI:
// the first priority switches PFC on, with the defaults of the other keys.
func pfcChanges(port string, old, now *model.PFCSettings) []set {
	if *old == *now {
		return nil
	}
	key := func(name, value string) set { return set{sectionOf(port, "pfc", name), value} }
	if *now == (model.PFCSettings{}) {
		return []set{key("mode", pfcOff.String())}
	}
	return []set{key("mode", pfcStatic.String()), key("priorities", priorityList(now.Priorities))}
}

// priorityList returns the priorities of a bitmap as a list of YAML.
func priorityList(bits uint8) string {
	list := []string{}
	for i := range 8 {
		if bits>>i&1 == 1 {
			list = append(list, string(rune('0'+i)))
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}
