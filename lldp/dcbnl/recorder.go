package dcbnl

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// Recorder is the kernel's DCBNL with former settings that outlive a killed process: they are in a file for each
// interface from the first Read to Restore. Any goroutine may call its methods.
type Recorder struct {
	Dir   string // folder of the records, made with the first record
	Boot  string // identity of the machine's boot: the NICs in records of other boots have been reset since
	Place string // identity of the network namespace
	// Warn is called with the reason why a record cannot be read, written or removed, or an interface restored.
	Warn func(ifname string, err error)

	kernel nic // nil: Kernel
}

// nic reads and programs NICs, as Kernel does.
type nic interface {
	Read(ifname string, s Settings) (*Former, error)
	Apply(ifname string, s Settings, f *Former) error
	Restore(ifname string, f *Former) error
}

// record is the contents of a file: the former settings of the interface with this name and index, and the boot and
// network namespace in which they were read.
type record struct {
	Boot, Place string
	Interface   string
	Index       int
	Former      Former
}

// nic returns field kernel, or Kernel if the field is nil.
func (r *Recorder) nic() nic {
	if r.kernel != nil {
		return r.kernel
	}
	return Kernel{}
}

// file returns the path of the record of an interface.
func (r *Recorder) file(ifname string) string {
	return filepath.Join(r.Dir, fmt.Sprintf("%s-%08x.json", ifname, crc32.ChecksumIEEE([]byte(r.Place))))
}

// Read returns the settings of an interface before a process programmed it: the settings in the record of a killed
// process, or without a record the present settings, which Read records.
func (r *Recorder) Read(ifname string, s Settings) (*Former, error) {
	index := 0
	if i, err := net.InterfaceByName(ifname); err == nil {
		index = i.Index
	}
	if left, err := r.load(r.file(ifname)); err == nil && left.Index == index && r.mine(left) {
		return &left.Former, nil
	}
	f, err := r.nic().Read(ifname, s)
	if err == nil {
		r.warn(ifname, r.write(record{r.Boot, r.Place, ifname, index, *f}))
	}
	return f, err
}

// Apply programs DCB settings as [Kernel.Apply] does.
func (r *Recorder) Apply(ifname string, s Settings, f *Former) error {
	return r.nic().Apply(ifname, s, f)
}

// Restore restores the former settings as [Kernel.Restore] does, and removes their record.
func (r *Recorder) Restore(ifname string, f *Former) error {
	err := r.nic().Restore(ifname, f)
	if removeErr := os.Remove(r.file(ifname)); !errors.Is(removeErr, fs.ErrNotExist) {
		r.warn(ifname, removeErr)
	}
	return err
}

// PutBack restores the interfaces that killed processes of this network namespace have left programmed, except those
// that this process reprogrammed, and removes records of earlier boots.
func (r *Recorder) PutBack(reprogrammed func(ifname string) bool) {
	files, _ := filepath.Glob(filepath.Join(r.Dir, "*.json")) // the only error is a wrong pattern
	for _, file := range files {
		left, err := r.load(file)
		switch {
		case err != nil:
			r.warn(filepath.Base(file), err)
		case left.Boot != r.Boot:
			r.warn(left.Interface, os.Remove(file))
		case left.Place != r.Place || reprogrammed(left.Interface):
		default:
			i, err := net.InterfaceByName(left.Interface)
			if err == nil && i.Index == left.Index {
				r.warn(left.Interface, r.nic().Restore(left.Interface, &left.Former))
			}
			r.warn(left.Interface, os.Remove(file))
		}
	}
}

// mine reports whether a record is of this boot and network namespace.
func (r *Recorder) mine(left record) bool { return left.Boot == r.Boot && left.Place == r.Place }

func (r *Recorder) warn(ifname string, err error) {
	if err != nil && r.Warn != nil {
		r.Warn(ifname, err)
	}
}

// load reads a record from a file. Contents that are no record, or name no interface, are an error.
func (r *Recorder) load(file string) (left record, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return left, err
	}
	if err := json.Unmarshal(text, &left); err != nil {
		return left, fmt.Errorf("%s is no record of DCB settings, remove it: %w", file, err)
	}
	if strings.ContainsRune(left.Interface, '/') {
		return left, fmt.Errorf("%s names no interface, remove it", file)
	}
	return left, nil
}

// write writes the record of an interface to its file, whose former contents it replaces in one step. It makes the
// folder if that is missing.
func (r *Recorder) write(left record) error {
	text, err := json.MarshalIndent(left, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	file := r.file(left.Interface)
	if err := os.WriteFile(file+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
