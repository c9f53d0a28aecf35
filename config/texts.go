package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"uelink/config/schema"
)

// maxFiles is the number of files that may stand beside a configuration in one folder.
const maxFiles = 1024

// lists has the keys that a file beside the configuration may have: ports, and the xconnects and bridges that the ports
// belong to.
var lists = schema.Lists{"ports": "", "xconnects": "", "bridges": "ports"}

// Texts is the texts of a configuration: that of its file, and those of files beside it that add ports.
type Texts struct {
	File      string
	Main      []byte
	Additions []schema.Addition // sorted by folder and name
}

// DropIns returns the folder of the files that people put beside a configuration: /etc/uelink/uelink.d for
// /etc/uelink/uelink.yaml.
func DropIns(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) + ".d" }

// ReadTexts reads the configuration file at path, and the files *.yaml of its drop-in folder and of more folders,
// which need not exist. A file that another user than root or this process' user could write is refused, and so is a
// symbolic link.
func ReadTexts(path string, folders ...string) (t Texts, err error) {
	t.File = path
	if t.Main, err = read(path); err != nil {
		return t, &unreadable{fmt.Errorf("read configuration: %w%s", err, advice(err))}
	}
	for _, folder := range append([]string{DropIns(path)}, folders...) {
		added, err := readFolder(folder)
		if err != nil {
			return t, &unreadable{fmt.Errorf("read configuration: %w", err)}
		}
		t.Additions = append(t.Additions, added...)
	}
	return t, nil
}

// Load checks the configuration that the texts make together, and returns it with the text of an equivalent single
// file. It checks that capture files do not collide with the daemon's other files, too. An error about the contents is
// a *schema.Error.
func (t Texts) Load() (*Config, []byte, error) {
	return t.read(func(w checks, d *document) { w.checkFiles(d, t.File, t.Additions) })
}

// check does what Load does without looking at the host.
func (t Texts) check() (*Config, []byte, error) { return t.read(func(checks, *document) {}) }

// read returns the configuration of the texts, and the text of an equivalent single file. last is one more check of the
// document.
func (t Texts) read(last func(checks, *document)) (*Config, []byte, error) {
	c, err := readDocument(t.File, t.Main, t.Additions, last)
	if err != nil {
		return nil, t.Main, err
	}
	text, err := schema.Compose(t.Main, t.Additions, lists)
	if err != nil {
		return nil, t.Main, &unreadable{fmt.Errorf("%s and the files beside it: %w", t.File, err)}
	}
	return c, text, nil
}

// WithFile returns the texts with one more addition at the end: a file with a text. If the texts have that file
// already, the new text replaces the former one.
func (t Texts) WithFile(file string, text []byte) Texts {
	t = t.WithoutFile(file)
	t.Additions = append(t.Additions, schema.Addition{File: file, Text: text})
	return t
}

// WithoutFile returns the texts without a file beside the configuration.
func (t Texts) WithoutFile(file string) Texts {
	t = t.clone()
	t.Additions = slices.DeleteFunc(t.Additions, func(a schema.Addition) bool { return a.File == file })
	return t
}

// clone returns texts that can be changed without a change of t.
func (t Texts) clone() Texts {
	t.Additions = slices.Clone(t.Additions)
	return t
}

// textOf returns the text of a file beside the configuration, to be changed in place; that of the configuration for "".
func (t *Texts) textOf(file string) *[]byte {
	for i := range t.Additions {
		if t.Additions[i].File == file {
			return &t.Additions[i].Text
		}
	}
	return &t.Main
}

// readFolder returns the files *.yaml of a folder, sorted by name, without hidden files; none if there is no folder. It
// returns an error for more than maxFiles files, and for a folder or file that another user could write.
func readFolder(folder string) (list []schema.Addition, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return filepath.Ext(e.Name()) != ".yaml" || strings.HasPrefix(e.Name(), ".")
	})
	if len(entries) == 0 {
		return nil, nil
	}
	if len(entries) > maxFiles {
		return nil, fmt.Errorf("%s has %d files: at most %d are read", folder, len(entries), maxFiles)
	}
	if err := owned(folder); err != nil {
		return nil, err
	}
	for _, e := range entries {
		file := filepath.Join(folder, e.Name())
		text, err := readOwned(file)
		if err != nil {
			return nil, err
		}
		list = append(list, schema.Addition{File: file, Text: text})
	}
	return list, nil
}

// readOwned returns the contents of a file that only root or this process' user can write.
func readOwned(file string) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link: put the file itself there", file)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := owned(file); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, schema.MaxDocument+1))
}

// owned returns an error for a file or folder that another user than root or this process' user could write, or that
// is neither a file nor a folder.
func owned(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular() && !info.IsDir():
		return fmt.Errorf("%s is neither a file nor a folder", path)
	case !ok || stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user than root or the daemon's: chown root %s", path, path)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be written by others than its owner: chmod go-w %s", path, path)
	}
	return nil
}
