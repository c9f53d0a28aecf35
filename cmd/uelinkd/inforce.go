package main

import (
	"slices"
	"sync/atomic"

	"uelink/config"
	"uelink/control/api"
	"uelink/dataplane/model"
)

// fileText is the text of the configuration file, as the daemon read it last. Its methods may be called from any
// goroutine.
type fileText struct{ now atomic.Pointer[string] }

func (t *fileText) set(text string) { t.now.Store(&text) }

// String returns the text of the configuration file that the daemon has read.
func (t *fileText) String() string {
	if text := t.now.Load(); text != nil {
		return *text
	}
	return ""
}

// Configuration returns the text of the configuration file as the daemon has read it, and a text with the changes
// that commands and SAI have made since. The latter is made of the file's present text, unless this has other changes
// that the daemon has not read yet.
func (d *daemon) Configuration() (api.Configuration, error) {
	static, err := d.frames.FDB("")
	if err != nil {
		return api.Configuration{}, err
	}
	static = slices.DeleteFunc(static, func(e model.FDBEntry) bool { return !e.Static })
	now := config.Running{Level: d.logs.level.Level(), Settings: d.objects.Running(), Static: static}
	c := api.Configuration{Text: d.text.String()}
	kept, err := config.Keep(d.file, []byte(c.Text), now)
	if err != nil {
		return c, err
	}
	if _, file, err := config.LoadText(d.file); string(file) != c.Text {
		of, keepErr := config.Keep(d.file, file, now)
		if err == nil && keepErr == nil && config.Same(of.Text, kept.Text) {
			kept = of
		} else {
			c.Unread = true
		}
	}
	c.Running, c.Lost = kept.Text, kept.Lost
	return c, nil
}
