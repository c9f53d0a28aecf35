package demo

import "fmt"

// daemonConfig is the configuration of one daemon: one edge, one link. The link
// never gives up and never sends a frame without a number, whatever the wire
// does, for that is what is to be shown.
const daemonConfig = `log: {level: warn, format: json}
control: {socket: %q, mode: "0600"}
llr_profiles:
  demo: {max_replay_count: 255, init_action: block, flush_action: block}
ports:
  - {name: link0, interface: link0, role: link, dialect: %s, fcs: true, mtu: check,
     llr: {mode: static, local: true, remote: true, profile: demo}}
  - {name: edge0, interface: edge0, role: edge}
xconnects: [{edge: edge0, link: link0}]
`

func configText(socket, dialect string) string {
	return fmt.Sprintf(daemonConfig, socket, dialect)
}
