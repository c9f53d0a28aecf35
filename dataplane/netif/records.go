package netif

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
)

// Records is the directory of the records of changed interfaces, one file for each. Records belongs to one
// goroutine at a time.
type Records struct {
	dir   string // "": no records are written
	place place
	log   *zap.Logger
	// The Transmitters of all interfaces: each can send live frames for the others.
	sharing bpf.Sharing
	warned  bool // the warning about an unusable directory was logged
}

// OpenRecords returns the Records of a directory. The directory is made with the first record. If the directory
// cannot be used, a warning is logged, and the changes of a killed process are never restored. With dir "" no
// records are written.
func OpenRecords(dir string, log *zap.Logger) *Records {
	r := &Records{dir: dir, log: log}
	var err error
	if r.place, err = currentPlace(); err != nil && dir != "" {
		r.warnUnusable(err)
		r.dir = ""
	}
	return r
}

// Directory returns the directory of the records; "": no records are written.
func (r *Records) Directory() string { return r.dir }

// warnUnusable logs, once, that records cannot be written.
func (r *Records) warnUnusable(err error) {
	if r.warned {
		return
	}
	r.warned = true
	r.log.Warn("the changes that uelinkd makes to interfaces cannot be recorded: if uelinkd is killed, the changes stay; "+
		"make the directory of the records writable, or set STATE_DIRECTORY",
		zap.String("directory", r.dir), zap.Error(err))
}

// PutBack restores the changes of ended processes on interfaces of this network namespace, whether or not the
// interfaces are configured now. Files of other namespaces stay, for a process there. Unfinished files are removed, and
// a warning names other files in the directory.
func (r *Records) PutBack() {
	if r.dir == "" {
		return
	}
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.warnUnusable(err)
		}
		return
	}
	for _, e := range entries {
		switch path := filepath.Join(r.dir, e.Name()); {
		case strings.HasPrefix(e.Name(), unfixed):
			removeUnfinished(path)
		case strings.HasSuffix(e.Name(), suffix):
			r.putBack(path)
		default:
			r.warnIgnored(path, errors.New("no record has such a file name"))
		}
	}
}

// removeUnfinished removes the temporary file at path, unless the process that writes it still has it locked.
func removeUnfinished(path string) {
	if f, err := claim(path); err == nil {
		_ = os.Remove(path) // the next start tries again
		_ = f.Close()
	}
}

// warnIgnored logs that a file is no usable record.
func (r *Records) warnIgnored(path string, err error) {
	r.log.Warn("a file is no usable record of an interface's changes, and is ignored: remove the file",
		zap.String("file", path), zap.Error(err))
}

// putBack restores the changes in one record file, unless another process holds the lock. Records of an earlier
// boot are removed.
func (r *Records) putBack(path string) {
	f, err := claim(path)
	if errors.Is(err, ErrHeld) || errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		r.warnIgnored(path, err)
		return
	}
	defer f.Close()
	rec, err := read(f)
	switch {
	case err != nil:
		r.warnIgnored(path, err)
	case rec.Interface.Boot != r.place.boot:
		r.forget(path, rec, "the record is of an earlier boot")
	case rec.Interface.in(r.place):
		r.putBackInterface(path, f, rec)
	}
}

// putBackInterface restores the recorded changes of an interface of this namespace that no process owns. f is the
// locked record file.
func (r *Records) putBackInterface(path string, f *os.File, rec *record) {
	nl, err := netlink.LinkByIndex(rec.Interface.Index)
	switch {
	case errors.As(err, new(netlink.LinkNotFoundError)):
		r.forget(path, rec, "the interface has gone")
		return
	case err != nil:
		r.log.Warn("the settings of an interface are not restored: the next start tries again",
			zap.String("interface", rec.Interface.Name), zap.Error(err))
		return
	case r.place.identify(nl.Attrs()).MAC != rec.Interface.MAC:
		r.forget(path, rec, "the interface's index belongs to an interface with another address now")
		return
	}
	log := r.log.With(zap.String("interface", nl.Attrs().Name))
	c := &changes{records: r, path: path, index: rec.Interface.Index, record: *rec, file: f, log: log}
	_ = newInterface(c, nl).Release() // nothing is attached
}

// forget removes a record file that has no use any more, and logs the reason.
func (r *Records) forget(path string, rec *record, reason string) {
	r.log.Info("removed the record of an interface's changes",
		zap.String("interface", rec.Interface.Name), zap.String("why", reason))
	if err := os.Remove(path); err != nil {
		r.warnUnusable(err)
	}
}

// read reads an open record file and parses it.
func read(f *os.File) (*record, error) {
	text, err := contents(f)
	if err != nil {
		return nil, err
	}
	return parseRecord(filepath.Base(f.Name()), text)
}
