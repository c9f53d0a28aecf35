package guest

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

// evidence returns, for a failed fault, the last lines of both daemons, the state of their ports, and the counters of
// the NICs.
func (t *trial) evidence() (lines []string) {
	for i, d := range []*daemon{t.a, t.b} {
		lines = append(lines, d.log.tail(30)...)
		for _, name := range []string{"link0", "edge0"} {
			port, err := d.port(name)
			text, _ := json.Marshal(port) // no error: a structure of plain fields
			lines = append(lines, fmt.Sprintf("%s: %s %v", d.name, text, err))
		}
		lines = append(lines, t.nics[i].statistics())
	}
	return lines
}

// statistics returns the driver's counters that are not zero.
func (n *nic) statistics() string {
	log := &output{}
	cmd := exec.Command("/bin/ethtool", "-S", n.as)
	cmd.Stdout = log
	err := n.home.Run(cmd)
	counted := nonzero(log.tail(1000))
	if err != nil {
		counted = append(counted, err.Error())
	}
	return "ethtool -S: " + strings.Join(counted, ", ")
}

// nonzero returns the lines "name: number" whose number is not 0.
func nonzero(lines []string) (list []string) {
	for _, line := range lines {
		name, number, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && number != "0" {
			list = append(list, name+" "+number)
		}
	}
	return list
}
