package station

import (
	"os"

	"golang.org/x/sys/unix"
)

// hostNamePath is a file that poll reports (POLLPRI) after each change of the host name: by DHCP, cloud-init,
// hostnamectl or SONiC, which all come after the start of a daemon.
const hostNamePath = "/proc/sys/kernel/hostname"

// openHostName opens hostNamePath. It returns -1 if that fails: then a changed name is seen when the agents run next,
// for example to send.
func openHostName() int {
	fd, err := unix.Open(hostNamePath, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// refreshName updates the station's name to that of the host if the configuration has none, and reports whether the
// name has changed.
func (s *station) refreshName() (changed bool) {
	if s.config.Name != "" {
		return false
	}
	name, err := os.Hostname()
	if err != nil || name == s.name {
		return false // without the host's name the former name stays
	}
	s.name = name
	return true
}
