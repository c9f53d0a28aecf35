package machine

import (
	"encoding/json"
	"fmt"
)

// NIC is an emulated network card.
type NIC struct {
	Name       string // QEMU's id of the card
	Model      string // QEMU's model, such as igb
	MAC        string
	Properties map[string]any // further properties of the model
	Netdev     string         // value of -netdev without the id: "hubport,hubid=0"
}

// device returns the NIC as arguments of QEMU's command device_add. Each NIC has a PCI Express root port of its own,
// so that it can be unplugged.
func (n NIC) device() map[string]any {
	d := map[string]any{"driver": n.Model, "id": n.Name, "bus": n.Name + "-port", "netdev": n.Name + "-net", "mac": n.MAC}
	for key, value := range n.Properties {
		d[key] = value
	}
	return d
}

// arguments returns the QEMU command line arguments for NIC number i of a machine.
func (n NIC) arguments(i int) ([]string, error) {
	device, err := json.Marshal(n.device())
	if err != nil {
		return nil, err
	}
	return []string{
		"-netdev", n.Netdev + ",id=" + n.Name + "-net",
		"-device", fmt.Sprintf("pcie-root-port,id=%s-port,chassis=%d,slot=%d", n.Name, i+1, i+1),
		"-device", string(device),
	}, nil
}
