package netif

import (
	"errors"
	"fmt"
	"os"
)

// write notes a change, in the file before it is made.
func (i *Interface) write(note func(*record)) error {
	next := i.record
	note(&next)
	if err := i.save(&next); err != nil {
		return err
	}
	i.record = next
	return nil
}

// save makes a record the file. That it cannot be written is only told.
func (i *Interface) save(r *record) error {
	if i.path == "" {
		return nil
	}
	text, err := r.text()
	if err == nil {
		err = os.MkdirAll(i.records.dir, 0o700)
	}
	if err != nil {
		i.records.unusable(err)
		return nil
	}
	f, err := put(i.path, text, i.file)
	switch {
	case errors.Is(err, ErrHeld): // since Own looked
		return i.held()
	case err != nil:
		i.records.unusable(err)
	default:
		i.file = f
	}
	return nil
}

// held returns the error that another process has the interface.
func (i *Interface) held() error {
	who := "unknown"
	if f, err := os.Open(i.path); err == nil {
		defer f.Close()
		if r, err := read(f); err == nil {
			who = fmt.Sprint(r.Process)
		}
	}
	return fmt.Errorf("%w (process %s): stop it, or take the interface out of one of the two configurations",
		ErrHeld, who)
}
