package guest

import (
	"testing"

	"uelink/config"
)

func TestConfigurationOfTheDaemonsIsValid(t *testing.T) {
	links := 0
	for _, task := range []Task{
		{},
		{Profile: "max_replay_count: 255, init_action: block, flush_action: block"},
		{Link: "xdp: driver, bind: zerocopy, opener: native"},
	} {
		links++
		if _, err := config.Parse("uelink.yaml", []byte(newDaemon("A", nil, links, task).text)); err != nil {
			t.Errorf("%+v: %v", task, err)
		}
	}
}

func TestAddressesOfPCIDevices(t *testing.T) {
	for name, is := range map[string]bool{"0000:01:00.0": true, "0000:ff:1f.7": true,
		"virtio0": false, "pci0000:00": false, "": false} {
		if address.MatchString(name) != is {
			t.Errorf("%q: %v", name, !is)
		}
	}
}
