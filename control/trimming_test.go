package control_test

import (
	"encoding/json"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

func TestSwitchTrimming(t *testing.T) {
	got, err := bridged(t).client.SwitchTrimming(t.Context())
	read(t, got, err, api.SwitchTrimming{
		Size: 256, DSCPValue: 16, TCValue: 5, TrimmableDSCPs: api.Numbers{8, 10}, ControlDSCPs: api.Numbers{46},
		RewriteIP: true, UDPPort: 4793, IPProtocol: 253,
		Counters: model.TrimCounters{TrimPackets: 54321, TxTrimPackets: 54000, DroppedTrimPackets: 321},
		Ports: []api.PortTrimming{{
			Port: "edge0", DSCPValue: 18, Queues: api.Numbers{0, 3},
			Counters: model.TrimCounters{TrimPackets: 4321, TxTrimPackets: 4300, DroppedTrimPackets: 21},
		}},
	})
}

// Where nothing is configured the size is 0, and lists are arrays all the same.
func TestNoTrimming(t *testing.T) {
	d := startWith(t, controltest.New(controltest.Ports(), nil), controltest.NewLLDP())
	got, err := d.client.SwitchTrimming(t.Context())
	none := api.Numbers{}
	read(t, got, err, api.SwitchTrimming{TrimmableDSCPs: none, ControlDSCPs: none, Ports: []api.PortTrimming{}})
}

// The keys of settings are SONiC's, those of counters SAI's.
func TestKeysOfTrimming(t *testing.T) {
	octets, err := json.Marshal(api.NewSwitchTrimming(model.TrimmingState{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"size", "dscp_value", "tc_value", "trim_packets", "tx_trim_packets",
		"dropped_trim_packets"} {
		if !strings.Contains(string(octets), `"`+key+`":0`) {
			t.Errorf("no %s in %s", key, octets)
		}
	}
}
