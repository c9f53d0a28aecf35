package netif

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// sshVariable is the environment variable in which sshd names the two ends of a connection: the client's address
// and port, the server's address and port.
const sshVariable = "SSH_CONNECTION"

// ancestors is how many parent processes are searched.
const ancestors = 16

// sshAddress returns the address of this host by which the ssh connection in use came in; the zero Addr if there is
// no such connection, or if none can be found. sudo removes the variable from the environment, so the environments
// of the parent processes are searched, too.
func sshAddress() netip.Addr {
	if a, ok := serverAddress(os.Getenv(sshVariable)); ok {
		return a
	}
	for n, pid := 0, os.Getppid(); n < ancestors && pid > 1; n++ {
		environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // a process of another user cannot be read
		for _, v := range bytes.Split(environment, []byte{0}) {
			value, found := strings.CutPrefix(string(v), sshVariable+"=")
			if a, ok := serverAddress(value); found && ok {
				return a
			}
		}
		pid = parent(pid)
	}
	return netip.Addr{}
}

// serverAddress returns the server's IP address in the value of SSH_CONNECTION, the third of its four words; false
// if there is none.
func serverAddress(value string) (netip.Addr, bool) {
	words := strings.Fields(value)
	if len(words) != 4 {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(words[2])
	return a.WithZone("").Unmap(), err == nil
}

// parent returns the ID of the parent of process pid; 0 if unknown.
func parent(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	behind := stat[bytes.LastIndexByte(stat, ')')+1:] // follows the program name, which may hold any octets
	fields := strings.Fields(string(behind))
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(fields[1])
	return n
}
