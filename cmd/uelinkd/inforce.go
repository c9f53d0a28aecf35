package main

import (
	"slices"
	"sync/atomic"

	"uelink/config"
	"uelink/control/api"
	"uelink/dataplane/model"
)

// readFiles is the files of the configuration, as the daemon read them last. Its methods may be called from any
// goroutine.
type readFiles struct{ now atomic.Pointer[filed] }

// filed is the texts of the files of a configuration, and one text that combines them.
type filed struct {
	config.Texts
	text string
}

func (r *readFiles) set(f filed) { r.now.Store(&f) }

// get returns the files read by the daemon; empty files before the first reading.
func (r *readFiles) get() filed {
	if f := r.now.Load(); f != nil {
		return *f
	}
	return filed{}
}

// String returns the text that combines the files read by the daemon.
func (r *readFiles) String() string { return r.get().text }

// Configuration returns the text of the configuration as the daemon has read it, and a text with the changes that
// commands and SAI have made since. The second text is based on the present content of the files, unless the files have
// changes that the daemon has not read yet.
func (d *daemon) Configuration() (api.Configuration, error) {
	static, err := d.frames.FDB("")
	if err != nil {
		return api.Configuration{}, err
	}
	static = slices.DeleteFunc(static, func(e model.FDBEntry) bool { return !e.Static })
	now := config.Running{Level: d.logs.level.Level(), Settings: d.objects.Running(), Static: static}
	files := d.files.get()
	c := api.Configuration{Text: files.text}
	saved, err := config.Keep(files.Texts, now)
	if err != nil {
		return c, err
	}
	if texts, text, err := loadTexts(d.file); string(text) != c.Text {
		changed, keepErr := config.Keep(texts, now)
		if err == nil && keepErr == nil && config.Same(changed.Text, saved.Text) {
			saved = changed
		} else {
			c.Unread = true
		}
	}
	c.Running, c.Lost = saved.Text, saved.Lost
	c.Files = append(c.Files, api.ConfigurationFile{File: d.file, Running: string(saved.Main)})
	for _, a := range saved.Additions {
		c.Files = append(c.Files, api.ConfigurationFile{File: a.File, Running: string(a.Text)})
	}
	return c, nil
}
