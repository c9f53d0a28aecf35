package netif

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
)

// Records is a directory with what is changed on interfaces, a file for each. It belongs
// to one goroutine at a time.
type Records struct {
	dir    string // "" = nothing is written down
	place  place
	log    *zap.Logger
	warned bool // that nothing can be written down
}

// OpenRecords makes a Records. The directory is made when there is something to write down. A
// directory that cannot be used costs a warning, and then what a killed process has
// changed stays as it is. With "" nothing is written down.
func OpenRecords(dir string, log *zap.Logger) *Records {
	r := &Records{dir: dir, log: log}
	var err error
	if r.place, err = here(); err != nil && dir != "" {
		r.unusable(err)
		r.dir = ""
	}
	return r
}

// unusable warns, once.
func (r *Records) unusable(err error) {
	if r.warned {
		return
	}
	r.warned = true
	r.log.Warn("what is changed on interfaces cannot be written down: if this process is killed it stays as it is; "+
		"make the directory one that may be written to, or set STATE_DIRECTORY",
		zap.String("directory", r.dir), zap.Error(err))
}

// PutBack puts back what processes that have ended had changed on interfaces of this
// network namespace, whether or not anybody wants these interfaces now. Files of other
// namespaces stay, for a process there.
func (r *Records) PutBack() {
	if r.dir == "" {
		return
	}
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.unusable(err)
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
			r.ignore(path, errors.New("it is no record"))
		}
	}
}

// removeUnfinished removes a file whose writer has ended.
func removeUnfinished(path string) {
	if f, err := claim(path); err == nil {
		_ = os.Remove(path) // it is tried again at the next start
		_ = f.Close()
	}
}

// ignore tells of a file that is of no use.
func (r *Records) ignore(path string, err error) {
	r.log.Warn("a record of a changed interface is ignored: remove it", zap.String("file", path), zap.Error(err))
}

// putBack does what one file says, if nobody has it.
func (r *Records) putBack(path string) {
	f, err := claim(path)
	if errors.Is(err, ErrHeld) || errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		r.ignore(path, err)
		return
	}
	defer f.Close()
	rec, err := read(f)
	switch {
	case err != nil:
		r.ignore(path, err)
	case rec.Interface.Boot != r.place.boot:
		r.forget(path, rec, "of an earlier boot")
	case rec.Interface.in(r.place):
		r.putBackInterface(path, f, rec)
	}
}

// putBackInterface puts an interface of this namespace back that nobody has.
func (r *Records) putBackInterface(path string, f *os.File, rec *record) {
	nl, err := netlink.LinkByIndex(rec.Interface.Index)
	switch {
	case errors.As(err, new(netlink.LinkNotFoundError)):
		r.forget(path, rec, "the interface has gone")
		return
	case err != nil:
		r.log.Warn("a changed interface is not put back: the next start tries again",
			zap.String("interface", rec.Interface.Name), zap.Error(err))
		return
	case r.place.identify(nl.Attrs()).MAC != rec.Interface.MAC:
		r.forget(path, rec, "its index is now that of an interface with another address")
		return
	}
	log := r.log.With(zap.String("interface", nl.Attrs().Name))
	i := &Interface{records: r, path: path, index: rec.Interface.Index, record: *rec, file: f, log: log}
	_ = i.Release() // nothing of it is in use
}

// forget removes a file that nothing can be done with any more.
func (r *Records) forget(path string, rec *record, why string) {
	r.log.Info("a record of a changed interface is removed",
		zap.String("interface", rec.Interface.Name), zap.String("why", why))
	if err := os.Remove(path); err != nil {
		r.unusable(err)
	}
}

// read reads the record of a file.
func read(f *os.File) (*record, error) {
	text, err := contents(f)
	if err != nil {
		return nil, err
	}
	return parseRecord(filepath.Base(f.Name()), text)
}
