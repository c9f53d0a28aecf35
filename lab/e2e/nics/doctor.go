package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"uelink/lab/e2e/nics/guest"
)

// The output of uelink doctor for each driver is kept in files, DRIVER.txt and DRIVER.json, and must be the same in
// every case with the driver. Addresses and the release of the kernel are replaced by words.

// varying matches the text that differs between machines, and has the words that replace it.
var varying = []struct {
	is    *regexp.Regexp
	named string
}{
	{regexp.MustCompile(`\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b`), "MAC"},
	{regexp.MustCompile(`\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b`), "PCI"},
}

// withoutVarying returns the output of doctor with all varying text replaced.
func withoutVarying(text, kernel string) string {
	text = strings.ReplaceAll(text, kernel, "KERNEL")
	for _, v := range varying {
		text = v.is.ReplaceAllString(text, v.named)
	}
	return text
}

// keptAs returns the file name of a driver, without suffix. The newest kernel has files of its own, since it may
// report more.
func (lane lane) keptAs(driver string) string {
	if lane.Suite == backports {
		driver += "-backports"
	}
	return driver
}

// doctored compares the output of doctor with the kept files, or writes them.
func (l *lab) doctored(d *guest.Doctor, r *result) {
	for kind, text := range map[string]string{".txt": d.Text, ".json": d.JSON} {
		file := filepath.Join(l.options.doctor, r.keptAs(d.Driver)+kind)
		if err := l.compared(file, withoutVarying(text, r.Kernel)); err != nil {
			r.Doctor = append(r.Doctor, err.Error())
			l.say("%s: %v", r.Name, err)
		}
	}
}

// compared returns an error with the differences of a text from a file. With --update it writes the file.
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
