package support

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/ethtool"
)

// hostFacts has data of the kernel about the host and the daemon's process; an unreadable value is empty.
type hostFacts struct {
	Name         string            `json:"host"`
	Kernel       string            `json:"kernel"`
	Distribution string            `json:"distribution"`
	Machine      string            `json:"machine"`
	CPU          string            `json:"cpu"`
	CPUs         int               `json:"cpus"`
	Memory       string            `json:"memory"`
	Go           string            `json:"go"`
	BPFJIT       string            `json:"bpf_jit_enable"`
	Process      map[string]string `json:"process"` // of the daemon: memory, threads, capabilities, limits
}

// newHostFacts returns data of the host for a support report (kernel, CPU, memory) and of the daemon's process
// pid; 0 without a daemon.
func newHostFacts(pid int) hostFacts {
	name, _ := os.Hostname()
	return hostFacts{
		Name: name, Kernel: kernel(), Distribution: strings.Trim(value("/etc/os-release", "PRETTY_NAME", "="), `"`),
		Machine: strings.TrimSpace(line("/sys/class/dmi/id/sys_vendor") + " " + line("/sys/class/dmi/id/product_name")),
		CPU:     value("/proc/cpuinfo", "model name", ":"), CPUs: runtime.NumCPU(),
		Memory: value("/proc/meminfo", "MemTotal", ":"), Go: runtime.Version(),
		BPFJIT: line("/proc/sys/net/core/bpf_jit_enable"), Process: process(pid),
	}
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	text := func(b []byte) string { return unix.ByteSliceToString(b) }
	return fmt.Sprintf("%s %s %s %s", text(u.Sysname[:]), text(u.Release[:]), text(u.Version[:]), text(u.Machine[:]))
}

// process returns memory, threads, capabilities and limits of a process from /proc, by name; an empty map if pid
// is 0.
func process(pid int) map[string]string {
	facts := map[string]string{}
	if pid == 0 {
		return facts
	}
	for _, key := range []string{"VmRSS", "VmLck", "Threads", "CapEff", "Seccomp"} {
		facts[strings.ToLower(key)] = value(fmt.Sprintf("/proc/%d/status", pid), key, ":")
	}
	limits := map[string]string{"max_open_files": "Max open files", "max_locked_memory": "Max locked memory"}
	for key, name := range limits {
		facts[key] = value(fmt.Sprintf("/proc/%d/limits", pid), name, "  ")
	}
	if open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)); err == nil {
		facts["open_files"] = fmt.Sprint(len(open))
	}
	return facts
}

// line returns the first line of a file, "" if it cannot be read.
func line(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(first)
}

// value returns the text after a key and a separator in the file at path, "" if the key is missing.
func value(path, key, separator string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), key); found {
			if _, after, found := strings.Cut(rest, separator); found {
				return strings.Join(strings.Fields(after), " ")
			}
		}
	}
	return ""
}

// sameFile reports whether two paths lead to the same file.
func sameFile(a, b string) bool {
	first, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(first, other)
}

// interfaceFacts has data of the kernel and the driver about an interface.
type interfaceFacts struct {
	Name       string `json:"interface"`
	Index      int    `json:"index"`
	Kind       string `json:"kind"` // "device" for a NIC
	Flags      string `json:"flags"`
	OperState  string `json:"oper_state"`
	MTU        int    `json:"mtu"`
	Promisc    int    `json:"promiscuity"` // number of users of promiscuous mode
	XDP        string `json:"xdp"`         // "none", or the mode of the program
	XDPProgram int    `json:"xdp_program"` // id; 0: none
	ethtool.Driver
	RxQueues   int               `json:"rx_queues"` // in use; 0: not reported by the driver
	Offloads   []string          `json:"offloads"`  // offloads that are on
	Statistics map[string]uint64 `json:"statistics"`
}

// newInterfaceFacts reads the data of an interface from the kernel and its driver.
func newInterfaceFacts(name string) (interfaceFacts, error) {
	l, err := netlink.LinkByName(name)
	if err != nil {
		return interfaceFacts{}, err
	}
	a := l.Attrs()
	f := interfaceFacts{
		Name: name, Index: a.Index, Kind: l.Type(), Flags: a.Flags.String(), OperState: a.OperState.String(),
		MTU: a.MTU, Promisc: a.Promisc, XDP: "none", Offloads: []string{}, Statistics: map[string]uint64{},
	}
	if x := a.Xdp; x != nil && x.Attached {
		f.XDP, f.XDPProgram = xdpMode(x.AttachMode), int(x.ProgId)
	}
	return f, f.askDriver()
}

// xdpMode returns a value of the kernel's IFLA_XDP_ATTACHED in words.
func xdpMode(mode uint32) string {
	switch mode {
	case 1:
		return "driver"
	case 2:
		return "generic"
	case 3:
		return "offloaded"
	}
	return fmt.Sprintf("mode %d", mode)
}

// askDriver reads the driver, queues, statistics and offloads of an interface by ethtool, as far as the driver has
// them.
func (f *interfaceFacts) askDriver() error {
	c, err := ethtool.Open(f.Name)
	if err != nil {
		return err
	}
	f.Driver.Name = "not told"
	if d, err := c.Driver(); err == nil {
		f.Driver = d
	}
	if n, _, err := c.Queues(); err == nil {
		f.RxQueues = n
	}
	if counted, err := c.Statistics(); err == nil {
		for name, n := range counted {
			if n > 0 {
				f.Statistics[name] = n
			}
		}
	}
	on, _, err := ethtool.Offloads(f.Name)
	if err == nil && on != nil {
		f.Offloads = on
	}
	return errors.Join(err, c.Close())
}
