package netif

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// write records a change of the interface: it applies update to the record and saves the record to its file. Call it
// before the change is made, so that a killed daemon's successor can undo it.
func (i *Interface) write(update func(*record)) error {
	next := i.record
	update(&next)
	if err := i.save(&next); err != nil {
		return err
	}
	i.record = next
	return nil
}

// Record writes the record of the interface's changes if it could not be written before, and returns why that fails.
func (i *Interface) Record() error {
	if i.unsaved != nil {
		_ = i.save(&i.record) // the lock is ours
	}
	var pathErr *fs.PathError
	if errors.As(i.unsaved, &pathErr) { // the path is that of a temporary file
		return fmt.Errorf("%s: %w", i.records.dir, pathErr.Err)
	}
	return i.unsaved
}

// save writes a record to the interface's record file. A failure to write is only logged; ErrHeld is an error.
func (i *Interface) save(r *record) error {
	if i.path == "" {
		return nil
	}
	text, err := r.text()
	if err == nil {
		err = os.MkdirAll(i.records.dir, 0o700)
	}
	if i.unsaved = err; err != nil {
		i.records.warnUnusable(err)
		return nil
	}
	f, err := put(i.path, text, i.file)
	switch {
	case errors.Is(err, ErrHeld): // since Own locked the file
		return i.heldError()
	case err != nil:
		i.unsaved = err
		i.records.warnUnusable(err)
	default:
		i.file = f
	}
	return nil
}

// heldError returns ErrHeld, with the ID of the process that has the interface and the cure.
func (i *Interface) heldError() error {
	owner := "unknown"
	if f, err := os.Open(i.path); err == nil {
		defer f.Close()
		if r, err := read(f); err == nil {
			owner = fmt.Sprint(r.Process)
		}
	}
	return fmt.Errorf("%w (process %s): stop it, or take the interface out of one of the two configurations",
		ErrHeld, owner)
}
