package doctor

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// packetSockets returns the processes with a packet socket that receives frames of an interface, as far as /proc is
// readable.
func packetSockets(ifindex int) (processes []string) {
	f, err := os.Open("/proc/thread-self/net/packet")
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if inode := receiver(lines.Text(), ifindex); inode != "" {
			processes = append(processes, owner(inode))
		}
	}
	slices.Sort(processes)
	return slices.Compact(processes)
}

// receiver returns the inode of the socket in a line of /proc/net/packet if the socket loses frames to uelinkd's XDP
// program, else "". No frames are lost to a socket without a protocol, a socket for LLDP, whose frames XDP passes on,
// and a socket that is bound to another interface. A socket that is bound to no interface receives from all.
func receiver(line string, ifindex int) (inode string) {
	c := strings.Fields(line) // sk RefCnt Type Proto Iface R Rmem User Inode
	if len(c) < 9 || c[0] == "sk" || c[3] == "0000" || c[3] == "88cc" || c[4] != "0" && c[4] != strconv.Itoa(ifindex) {
		return ""
	}
	return c[8]
}

// owner returns the process that holds a socket, as "name (pid)".
func owner(inode string) string {
	files, _ := filepath.Glob("/proc/[0-9]*/fd/*") // no error: the pattern is well formed
	for _, fd := range files {
		if to, err := os.Readlink(fd); err == nil && to == "socket:["+inode+"]" {
			pid := strings.Split(fd, "/")[2]
			name, _ := os.ReadFile(filepath.Join("/proc", pid, "comm"))
			return fmt.Sprintf("%s (pid %s)", strings.TrimSpace(string(name)), pid)
		}
	}
	return "a process that this user may not see (inode of the socket: " + inode + ")"
}
