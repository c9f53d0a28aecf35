package bed

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// DamageMemory flips a bit in the middle of each copy of octets in the daemon's memory, as a fault of the memory
// would. It ends the test if there is no copy.
func (d *Daemon) DamageMemory(octets []byte) {
	d.T.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", d.PID()))
	if err != nil {
		d.T.Fatal(err)
	}
	memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", d.PID()), os.O_RDWR, 0)
	if err != nil {
		d.T.Fatal(err)
	}
	defer memory.Close()
	damaged := 0
	for line := range strings.Lines(string(maps)) {
		var from, to int64
		var access string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &access); err != nil || access != "rw-s" {
			continue // not shared memory, as UMEM and arrays of eBPF are
		}
		area := make([]byte, to-from)
		n, _ := memory.ReadAt(area, from)
		for at, next := 0, bytes.Index(area[:n], octets); next >= 0; next = bytes.Index(area[at:n], octets) {
			at += next + len(octets)
			middle := at - len(octets)/2
			if _, err := memory.WriteAt([]byte{area[middle] ^ 1}, from+int64(middle)); err != nil {
				d.T.Fatal(err)
			}
			damaged++
		}
	}
	if damaged == 0 {
		d.T.Fatalf("the daemon's shared memory, such as UMEM, has no copy of these octets of a frame: % x", octets)
	}
}
