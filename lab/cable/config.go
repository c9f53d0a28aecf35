package cable

import (
	"errors"
	"fmt"

	"uelink/dataplane/fault"
)

// Where the frames cross.
const (
	ModeAuto   = "auto"   // in the kernel if the XDP program has all the faults, else in user space
	ModeKernel = "kernel" // XDP redirect: loss and corruption only
	ModeUser   = "user"   // AF_XDP sockets
)

// Config is a cable: two interfaces and the faults between them. Both ways have the same shares, with independent
// chances.
type Config struct {
	A, B  string // interfaces
	Fault fault.Config
	Mode  string // "" is ModeAuto
}

// Validate returns the first error in the configuration.
func (c Config) Validate() error {
	switch {
	case c.A == "" || c.B == "":
		return errors.New("a cable has two ends: name two interfaces")
	case c.A == c.B:
		return fmt.Errorf("both ends are %s: a cable joins two different interfaces", c.A)
	}
	if err := c.Fault.Validate(); err != nil {
		return err
	}
	switch c.Mode {
	case "", ModeAuto, ModeUser:
		return nil
	case ModeKernel:
		if !c.kernelCan() {
			return errors.New("mode kernel can only lose and corrupt: duplicate, reorder, delay, jitter and rate need mode user")
		}
		return nil
	}
	return fmt.Errorf("mode %q is none of %s, %s, %s", c.Mode, ModeAuto, ModeKernel, ModeUser)
}

// kernelCan reports whether the cable can run in the kernel: the XDP program can only lose and damage frames.
func (c Config) kernelCan() bool {
	f := c.Fault
	return f.Duplicate == 0 && f.Reorder == 0 && f.Delay == 0 && f.Jitter == 0 && f.RateBPS == 0
}

// mode returns where the frames cross: ModeKernel if the XDP program has all configured faults and ModeUser is not
// asked for, else ModeUser.
func (c Config) mode() string {
	if c.Mode == ModeUser || !c.kernelCan() {
		return ModeUser
	}
	return ModeKernel
}
