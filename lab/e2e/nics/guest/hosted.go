package guest

import (
	"fmt"
	"syscall"
	"time"

	"uelink/client"
	"uelink/internal/netns"
	"uelink/lab/traffic"
)

// hostedPorts is the format of a link on the host's own NIC and an edge whose veth the daemon creates: further keys
// of the link, and the last octet of the host's address.
const hostedPorts = `  - name: link0
    interface: eth0
    role: link
    llr: {mode: static, local: true, remote: true, profile: nics}
%s  - name: edge0
    interface: ue-edge0
    role: edge
    create: true
    host_interface: uelink0
    address: [10.0.0.%d/24]
`

// hosted returns a daemon, not started yet, on the NIC eth0 of a host that itself uses the link: through interface
// uelink0 with address 10.0.0.number.
func hosted(name string, ns *netns.NS, number int, t Task) *daemon {
	socket := "/run/" + name + ".sock"
	list := fmt.Sprintf(hostedPorts, t.linkKeys(), number)
	return &daemon{name: name, ns: ns, links: 1, log: &output{}, client: client.NewClient(socket),
		text: fmt.Sprintf(configuration, socket, t.Profile, list, "{edge: edge0, link: link0}")}
}

// terminate sends SIGTERM to the daemon, waits for its end, and returns an error unless its exit code is 0.
func (d *daemon) terminate() error {
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-d.ended:
	case <-time.After(establishment):
		return fmt.Errorf("%s has not ended within %v: %q", d.name, establishment, d.log.tail(20))
	}
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("%s ended with %d: %q", d.name, code, d.log.tail(20))
	}
	return nil
}

// through returns the settings of numbered frames of all sizes between the interfaces uelink0 of both hosts. Nothing
// is sent yet.
func (b *bed) through(lossTimeout time.Duration) traffic.Config {
	c := b.frames("uelink0", lossTimeout)
	c.Size = "sweep"
	return c
}
