package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.uber.org/zap"
)

// changes is the changes that this process makes on an interface and puts back at the end: their record, its file, and
// the log. All parts of an Interface write to the same changes.
type changes struct {
	records *Records
	path    string // of the record file; "": there is none
	file    *os.File
	unsaved error  // why the file lacks changes of the record; nil: it has all
	index   int    // of the interface
	record  record // the changes made, and not put back so far
	log     *zap.Logger
}

// name returns the name of the interface.
func (c *changes) name() string { return c.record.Interface.Name }

// claim opens and locks the record file, if there is one. Error: that of heldError, if another live process has the
// lock. After any other error a warning is logged, and this process records no changes of the interface.
func (c *changes) claim() (err error) {
	if c.records.dir == "" {
		return nil
	}
	c.path = c.recordPath()
	c.file, err = claim(c.path)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, ErrHeld):
		return c.heldError()
	case errors.Is(err, errForeign):
		c.records.warnIgnored(c.path, err)
	}
	c.records.warnUnusable(err) // a record cannot be written to that path either
	c.path = ""
	return nil
}

// recordPath returns the path of the record file.
func (c *changes) recordPath() string {
	return filepath.Join(c.records.dir, c.record.Interface.file())
}

// inherit takes over the changes that the record file names, and reports whether the file is a record of this
// interface. A damaged file, which PutBack has reported, is replaced.
func (c *changes) inherit() bool {
	old, err := read(c.file)
	if err != nil {
		c.log.Info("a damaged record of the interface's changes is overwritten", zap.String("file", c.path), zap.Error(err))
		return false
	}
	if own := c.record.Interface; old.Interface.Boot != own.Boot || old.Interface.MAC != own.MAC {
		return false
	}
	c.record.inherit(old)
	return true
}

// adopt takes over the record file that another process hands over by a file descriptor, with the changes in it.
func (c *changes) adopt(fd int) error {
	c.path = c.recordPath()
	c.file = os.NewFile(uintptr(fd), c.path)
	old, err := read(c.file)
	if err == nil {
		c.record.inherit(old)
	}
	return err
}

// write records a change of the interface: it applies update to the record and saves the record to its file. Call write
// before the change is made, so that a killed daemon's successor can undo the change.
func (c *changes) write(update func(*record)) error {
	next := c.record
	update(&next)
	if err := c.save(&next); err != nil {
		return err
	}
	c.record = next
	return nil
}

// save writes a record to the record file; without a path it does nothing. It returns an error only if another live
// process has the file (ErrHeld). Another failure is logged and kept in c.unsaved, for saveUnsaved.
func (c *changes) save(r *record) error {
	if c.path == "" {
		return nil
	}
	text, err := r.text()
	if err == nil {
		err = os.MkdirAll(c.records.dir, 0o700)
	}
	if c.unsaved = err; err != nil {
		c.records.warnUnusable(err)
		return nil
	}
	f, err := put(c.path, text, c.file)
	switch {
	case errors.Is(err, ErrHeld): // another process has made the file since claim found none
		return c.heldError()
	case err != nil:
		c.unsaved = err
		c.records.warnUnusable(err)
	default:
		c.file = f
	}
	return nil
}

// saveUnsaved saves the record if it could not be written before. The error says why that fails.
func (c *changes) saveUnsaved() error {
	if c.unsaved != nil {
		_ = c.save(&c.record) // the lock is ours
	}
	var pathErr *fs.PathError
	if errors.As(c.unsaved, &pathErr) { // its path is that of a temporary file
		return fmt.Errorf("%s: %w", c.records.dir, pathErr.Err)
	}
	return c.unsaved
}

// heldError returns ErrHeld, with the cure and with the ID of the process that has the interface.
func (c *changes) heldError() error {
	owner := "unknown"
	if f, err := os.Open(c.path); err == nil {
		defer f.Close()
		if r, err := read(f); err == nil {
			owner = fmt.Sprint(r.Process)
		}
	}
	return fmt.Errorf("%w (process %s): stop it, or take the interface out of one of the two configurations",
		ErrHeld, owner)
}

// release removes the record file if nothing has to be put back any more, else saves it for the next process, and
// unlocks it.
func (c *changes) release() {
	if c.file == nil {
		return
	}
	if c.record.empty() {
		if err := os.Remove(c.path); err != nil {
			c.records.warnUnusable(err)
		}
	} else {
		_ = c.save(&c.record) // the lock is ours
	}
	_ = c.file.Close()
	c.file = nil
}

// failed wraps the error of a step of attaching or restoring, with the step and the name of the interface.
func (c *changes) failed(step string, err error) error {
	return fmt.Errorf("%s: %s: %w", c.name(), step, advise(err))
}

// logChanged logs a change that this process has made on the interface.
func (c *changes) logChanged(change string) {
	c.log.Info("changed the interface", zap.String("what", change))
}

// logPutBack logs that a setting of the interface, named by subject, has its value from before the daemon again.
func (c *changes) logPutBack(subject string) {
	c.log.Info("restored a setting of the interface", zap.String("what", subject))
}

// logLeft logs that a setting keeps its present value, because somebody has changed it since this process did.
func (c *changes) logLeft(subject string) {
	c.log.Info("a setting of the interface is left as it is: somebody has changed it since", zap.String("what", subject))
}

// logNotPutBack logs that a setting could not be restored. Its change stays in the record.
func (c *changes) logNotPutBack(subject string, err error) {
	c.log.Warn("a setting of the interface is not restored: the next start tries again",
		zap.String("what", subject), zap.Error(err))
}
