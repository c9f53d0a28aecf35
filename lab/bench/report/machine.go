package report

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Machine is the conditions of the figures besides the program.
type Machine struct {
	Date   string            `json:"date"`
	Kernel string            `json:"kernel"`
	CPU    string            `json:"cpu"`
	CPUs   int               `json:"cpus"`
	Go     string            `json:"go"`
	Peers  map[string]string `json:"peers"` // Debian's versions
}

// peers returns the names of the Debian packages whose versions the report states: programs measured beside
// uelink, or used to measure.
func peers() []string { return []string{"dpdk-dev", "openvswitch-switch", "iperf3"} }

// ThisMachine returns date, kernel, CPU, version of Go and versions of the peers' packages on this machine. Facts
// that cannot be read are "unknown"; a missing package is left out.
func ThisMachine() Machine {
	m := Machine{
		Date: time.Now().UTC().Format(time.DateOnly), Kernel: kernelRelease(), CPU: processor(),
		CPUs: runtime.NumCPU(), Go: runtime.Version(), Peers: map[string]string{},
	}
	for _, name := range peers() {
		if out, err := exec.Command("dpkg-query", "-W", "-f", "${Version}", name).Output(); err == nil {
			m.Peers[name] = string(out)
		}
	}
	return m
}

// kernelRelease returns the release of the running kernel, as uname -r prints it, or "unknown".
func kernelRelease() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}

// processor returns the model name of the first CPU, or "unknown".
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// String returns a line for the report: date, kernel, CPUs, and versions.
func (m Machine) String() string {
	var versions []string
	for _, name := range peers() {
		if v := m.Peers[name]; v != "" {
			versions = append(versions, name+" "+v)
		}
	}
	return fmt.Sprintf("%s, Linux %s, %d x %s, %s; %s.",
		m.Date, m.Kernel, m.CPUs, m.CPU, m.Go, strings.Join(versions, ", "))
}
