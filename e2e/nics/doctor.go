package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"uelink/e2e/nics/guest"
)

// What the doctor says of each driver is kept in files, DRIVER.txt and DRIVER.json, and has to be the same in every
// case with that driver. Addresses and the release of the kernel are not: names stand in their place.

// varying is what is another one in each machine, and what stands for it.
var varying = []struct {
	is    *regexp.Regexp
	named string
}{
	{regexp.MustCompile(`\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b`), "MAC"},
	{regexp.MustCompile(`\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b`), "PCI"},
}

// alike is what the doctor says without what varies.
func alike(text, kernel string) string {
	text = strings.ReplaceAll(text, kernel, "KERNEL")
	for _, v := range varying {
		text = v.is.ReplaceAllString(text, v.named)
	}
	return text
}

// keptAs is the name of the files of a driver. The newest kernel may find more in it.
func (lane lane) keptAs(driver string) string {
	if lane.Suite == backports {
		driver += "-backports"
	}
	return driver
}

// doctored compares what the doctor says with what is kept, or keeps it.
func (l *lab) doctored(d *guest.Doctor, r *result) {
	for kind, text := range map[string]string{".txt": d.Text, ".json": d.JSON} {
		file := filepath.Join(l.options.doctor, r.keptAs(d.Driver)+kind)
		if err := l.compared(file, alike(text, r.Kernel)); err != nil {
			r.Doctor = append(r.Doctor, err.Error())
			l.say("%s: %v", r.Name, err)
		}
	}
}

// compared says how a text differs from that of a file; with --update it is made the file.
func (l *lab) compared(file, text string) error {
	if l.options.update {
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
	}
	kept, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("what uelink doctor says of this driver is not kept: %w: run it with --update", err)
	}
	if err != nil || string(kept) == text {
		return err
	}
	diff := guest.Differences(strings.Split(string(kept), "\n"), strings.Split(text, "\n"))
	return fmt.Errorf("uelink doctor does not say what is in %s (-), but (+):\n%s", file, strings.Join(diff, "\n"))
}
