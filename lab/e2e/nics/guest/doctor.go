package guest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// doctored is the name of NIC a while `uelink doctor` examines it.
const doctored = "nic0"

// doctor sends the host the output of `uelink doctor` for NIC a, before anything else uses the NIC.
func (s *session) doctor() error {
	if err := s.setUp(doctored); err != nil {
		return err
	}
	text, err := runDoctor("doctor", doctored)
	if err != nil {
		return err
	}
	object, err := runDoctor("-o", "json", "doctor", doctored)
	if err != nil {
		return err
	}
	var reports []struct {
		Facts struct {
			Driver struct {
				Name string `json:"driver"`
			}
		}
	}
	if err := json.Unmarshal(object, &reports); err != nil {
		return fmt.Errorf("uelink doctor: %w: %s", err, object)
	}
	if len(reports) == 0 || reports[0].Facts.Driver.Name == "" {
		return fmt.Errorf("uelink doctor names no driver: %s", object)
	}
	s.send(Message{Doctor: &Doctor{Driver: reports[0].Facts.Driver.Name, Text: string(text), JSON: string(object)}})
	return nil
}

// setUp gives the interface of NIC a a name, disables IPv6 on it, sets it up and waits until it has its carrier.
func (s *session) setUp(name string) error {
	var link netlink.Link
	err := within(appearance, "the interface of NIC a", func() (problem string) {
		ifname := interfaceOf(s.task.MACs[0])
		var err error
		if link, err = netlink.LinkByName(ifname); err != nil {
			problem = fmt.Sprintf("%q: %v", ifname, err)
		}
		return problem
	})
	if err != nil {
		return err
	}
	if err := netlink.LinkSetName(link, name); err != nil {
		return err
	}
	if err := os.WriteFile("/proc/sys/net/ipv6/conf/"+name+"/disable_ipv6", []byte("1"), 0); err != nil {
		return err
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return err
	}
	return within(appearance, "the carrier of NIC a", func() (problem string) {
		now, err := netlink.LinkByName(name)
		if err != nil || now.Attrs().RawFlags&unix.IFF_RUNNING == 0 {
			problem = fmt.Sprintf("there is none, %v", err)
		}
		return problem
	})
}

// runDoctor runs uelink with arguments and returns its standard output. An exit code other than 0 is an error only
// without output: 1 means that doctor found a problem.
func runDoctor(args ...string) ([]byte, error) {
	text, err := exec.Command("/bin/uelink", args...).Output()
	if len(text) > 0 {
		return text, nil
	}
	return nil, fmt.Errorf("uelink %q says nothing: %w", args, err)
}
