package guest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lostWithDevice is the reason why a fault that removes or resets the device may lose frames.
const lostWithDevice = "frames in the device's rings were lost, and the daemon closed its sockets"

// deviceFaults remove the device, or restart it.
var deviceFaults = []fault{
	{name: "unbind, bind", exempt: lostWithDevice, do: func(t *trial) error {
		driver, err := t.nic().driver()
		if err != nil {
			return err
		}
		if err := t.nic().unbind(driver); err != nil {
			return err
		}
		time.Sleep(away)
		if err := t.nic().bind(driver); err != nil {
			return err
		}
		return t.back(t.nic())
	}},
	{name: "hot unplug, plug", exempt: lostWithDevice, do: func(t *trial) error {
		if err := t.session.ask(AskUnplug, t.nic().name); err != nil {
			return err
		}
		time.Sleep(away)
		if err := t.session.ask(AskPlug, t.nic().name); err != nil {
			return err
		}
		return t.back(t.nic())
	}},
	{name: "module reload", exempt: lostWithDevice, do: func(t *trial) error {
		module := t.session.task.Driver
		if err := unix.DeleteModule(module, 0); err != nil {
			return fmt.Errorf("unload module %s: %w", module, err)
		}
		time.Sleep(away)
		if err := insert(module); err != nil {
			return err
		}
		return t.back(t.nics[:]...)
	}},
	{name: "function reset", do: (*trial).reset},
}

// back waits for the interfaces of NICs that were away, moves them to their namespaces again, and waits until frames
// flow.
func (t *trial) back(nics ...*nic) error {
	for _, n := range nics {
		if err := n.place(); err != nil {
			return err
		}
	}
	return t.flows()
}

// reset resets NIC a's PCI function by sysfs, as a hypervisor does, and waits until frames flow. It returns errAbsent
// for a function that cannot be reset.
func (t *trial) reset() error {
	err := os.WriteFile(filepath.Join(t.nic().pci, "reset"), []byte("1"), 0)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: the PCI function cannot be reset", errAbsent)
	}
	if err != nil {
		err = refusal{"reset", err.Error()}
	}
	return t.try(err)
}

// unbind makes the kernel detach the NIC's device from a driver, by sysfs.
func (n *nic) unbind(driver string) error {
	return os.WriteFile(filepath.Join(driver, "unbind"), []byte(filepath.Base(n.pci)), 0)
}

// bind makes the kernel attach the NIC's device to a driver, by sysfs.
func (n *nic) bind(driver string) error {
	return os.WriteFile(filepath.Join(driver, "bind"), []byte(filepath.Base(n.pci)), 0)
}
