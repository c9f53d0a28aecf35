package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// monitor speaks QMP, the protocol of QEMU's monitor: an object each way for each command, and events in between.
type monitor struct {
	out  *json.Encoder
	in   *json.Decoder
	link io.Closer
}

// command is a QMP command.
type command struct {
	Execute   string `json:"execute"`
	Arguments any    `json:"arguments,omitempty"`
}

// answer is an object from QEMU: the result of a command, an error, or an event.
type answer struct {
	Return *json.RawMessage `json:"return"`
	Error  *struct {
		Desc string `json:"desc"`
	} `json:"error"`
	Event string `json:"event"`
	Data  struct {
		Device string `json:"device"`
	} `json:"data"`
}

// newMonitor returns a monitor over a connection to QEMU (QMP), after reading QEMU's greeting and negotiating
// capabilities.
func newMonitor(link io.ReadWriteCloser) (*monitor, error) {
	m := &monitor{out: json.NewEncoder(link), in: json.NewDecoder(link), link: link}
	var greeting struct {
		QMP *struct{} `json:"QMP"`
	}
	if err := m.in.Decode(&greeting); err != nil {
		return nil, fmt.Errorf("QEMU's monitor: %w", err)
	}
	if greeting.QMP == nil {
		return nil, errors.New("QEMU's monitor sent no greeting")
	}
	return m, m.run("qmp_capabilities", nil)
}

// run makes QEMU execute a command with arguments, waits for its response, and returns its error.
func (m *monitor) run(name string, arguments any) error {
	if err := m.out.Encode(command{name, arguments}); err != nil {
		return fmt.Errorf("QEMU's monitor: %w", err)
	}
	for {
		a, err := m.next()
		switch {
		case err != nil:
			return err
		case a.Error != nil:
			return fmt.Errorf("QEMU: %s: %s", name, a.Error.Desc)
		case a.Return != nil:
			return nil
		}
	}
}

// await waits until QEMU reports an event of that name about a device.
func (m *monitor) await(event, device string) error {
	for {
		a, err := m.next()
		if err != nil || a.Event == event && a.Data.Device == device {
			return err
		}
	}
}

// next waits for the next object from QEMU.
func (m *monitor) next() (a answer, err error) {
	if err = m.in.Decode(&a); err != nil {
		err = fmt.Errorf("QEMU's monitor: %w", err)
	}
	return a, err
}

// SetLink plugs in the cable of the guest's NIC with that name (up) or pulls it out.
func (g *Guest) SetLink(nic string, up bool) error {
	return g.monitor.run("set_link", map[string]any{"name": nic, "up": up})
}

// Unplug removes a NIC, by its name, from the running guest, and waits until the guest has released it.
func (g *Guest) Unplug(nic string) error {
	if err := g.monitor.run("device_del", map[string]any{"id": nic}); err != nil {
		return err
	}
	return g.monitor.await("DEVICE_DELETED", nic)
}

// Plug adds a NIC that was unplugged, by its name, to the running guest again.
func (g *Guest) Plug(nic string) error {
	for _, n := range g.config.NICs {
		if n.Name == nic {
			return g.monitor.run("device_add", n.device())
		}
	}
	return fmt.Errorf("the guest has no NIC %s", nic)
}
