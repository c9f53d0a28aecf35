package netif

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"

	"go.uber.org/zap"
)

// AddressBook keeps the hardware addresses of the hosts' ends of created veths in a state folder: an address is drawn
// at random once, and stays the same across boots. If the machine or the NIC is not the one of an entry, the state
// folder is a copy, for example in a cloned virtual machine: then another address is drawn, because two hosts with one
// address would take each other's frames.
type AddressBook struct {
	path    string // of the file; "": there is no state folder
	machine string // a hash of the machine ID, as in the entries
	log     *zap.Logger
	unkept  []keptAddress // in use, and not in the file: it could not be written
}

// keptAddress is an entry of an AddressBook: the hardware address of the host's end of a created veth.
type keptAddress struct {
	Machine string `json:"machine"`   // a hash of the machine ID
	Link    string `json:"link"`      // permanent address of the link's interface; "": no link existed
	Edge    string `json:"interface"` // name of the end of the veth that the process serves
	Address string `json:"address"`   // hardware address of the host's end
}

// mostKept is the largest number of entries; the oldest are dropped first. A book grows where a link is on a veth,
// which has another address at each boot.
const mostKept = 64

// bookFile is the name of the book's file in the state folder, machineFile the file with the ID of the machine.
const (
	bookFile    = "addresses.json"
	machineFile = "/etc/machine-id"
)

// OpenAddressBook returns the address book of a state folder; with folder "" nothing is kept.
func OpenAddressBook(folder string, log *zap.Logger) *AddressBook {
	b := &AddressBook{log: log}
	if folder != "" {
		b.path = filepath.Join(folder, bookFile)
	}
	id, _ := os.ReadFile(machineFile) // a container may have none
	sum := sha256.Sum256(bytes.TrimSpace(id))
	b.machine = fmt.Sprintf("%x", sum[:8]) // the ID itself is confidential: machine-id(5)
	return b
}

// AddressOf returns the address of the host's end of the veth whose other end, the process's, is named edge: the
// address in the book, or a new one, which is added to the book. link is the permanent address of the link's interface,
// nil if that interface is absent. If the book cannot be written, the address is a hash of edge and link, so that it is
// the same at the next start.
func (b *AddressBook) AddressOf(edge string, link net.HardwareAddr) net.HardwareAddr {
	all := b.read()
	for _, k := range all {
		if k.Edge == edge && k.Machine == b.machine && (k.Link == link.String() || len(link) == 0) {
			if mac, err := net.ParseMAC(k.Address); err == nil && len(mac) == 6 {
				return mac
			}
		}
	}
	drawn := NewAddress()
	entry := keptAddress{b.machine, link.String(), edge, drawn.String()}
	if b.path != "" {
		err := b.write(slices.Insert(all, 0, entry))
		if err == nil {
			return drawn
		}
		b.log.Warn("the address of the host's interface cannot be saved: uelinkd derives it from the link's address",
			zap.String("interface", edge), zap.Error(err))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "host's end, %v, %s", link, edge))
	derived := net.HardwareAddr(local(sum[:6]))
	if entry.Address = derived.String(); b.path != "" && !slices.Contains(b.unkept, entry) {
		b.unkept = append(b.unkept, entry)
	}
	return derived
}

// Keep writes the addresses in use that are not in the file yet. The error says why that fails.
func (b *AddressBook) Keep() error {
	if len(b.unkept) == 0 {
		return nil
	}
	err := b.write(slices.Concat(b.unkept, b.read()))
	if err == nil {
		b.unkept = nil
	}
	return err
}

// NewAddress draws a hardware address at random.
func NewAddress() net.HardwareAddr {
	mac := make([]byte, 6)
	_, _ = rand.Read(mac) // never fails: crypto/rand ends the program instead
	return local(mac)
}

// local makes six octets a unicast address that is locally administered, and returns them.
func local(mac []byte) []byte {
	mac[0] = mac[0]&^1 | 2
	return mac
}

// read returns the entries of the book, the newest first; none if it is absent or damaged.
func (b *AddressBook) read() (all []keptAddress) {
	text, err := os.ReadFile(b.path)
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}

// write replaces the entries of the book by the first mostKept of all, in one step: by the rename of another file.
func (b *AddressBook) write(all []keptAddress) error {
	text, err := json.MarshalIndent(all[:min(len(all), mostKept)], "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(b.path), 0o755); err != nil {
		return err
	}
	fresh := b.path + ".new"
	if err := os.WriteFile(fresh, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, b.path)
}
