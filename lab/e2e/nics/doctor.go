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

// The output of uelink doctor for each driver is stored in files, DRIVER.txt and DRIVER.json, and must be the same in
// every case with the driver. Addresses and the release of the kernel are replaced by words.

// varying matches the text that differs between machines, and has the words that replace it.
var varying = []struct {
	pattern *regexp.Regexp
	named   string
}{
	{regexp.MustCompile(`\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b`), "MAC"},
	{regexp.MustCompile(`\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b`), "PCI"},
}

// withoutVarying returns the output of `uelink doctor` with every text that varies from run to run, such as the
// kernel's release, replaced by a fixed word.
func withoutVarying(text, kernel string) string {
	text = strings.ReplaceAll(text, kernel, "KERNEL")
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.named)
	}
	return text
}

// keptAs returns the name, without suffix, of the files that store the output of `uelink doctor` for a driver. A case
// with the newest kernel has files of its own, because that kernel may report more.
func (lane lane) keptAs(driver string) string {
	if lane.Suite == backports {
		driver += "-backports"
	}
	return driver
}

// doctored compares the output of `uelink doctor` in a guest with the stored files and adds differences to r. With
// --update it writes the files instead.
func (l *lab) doctored(d *guest.Doctor, r *result) {
	for kind, text := range map[string]string{".txt": d.Text, ".json": d.JSON} {
		file := filepath.Join(l.options.doctor, r.keptAs(d.Driver)+kind)
		if err := l.compared(file, withoutVarying(text, r.Kernel)); err != nil {
			r.Doctor = append(r.Doctor, err.Error())
			l.say("%s: %v", r.Name, err)
		}
	}
}

// compared returns an error that shows the differences between a text and a file; nil if they are equal. With
// --update it writes the text to the file.
func (l *lab) compared(file, text string) error {
	if l.options.update {
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
	}
	saved, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the output of uelink doctor for this driver is not stored: %w: "+
			"make nics NICS=--update stores it", err)
	}
	if err != nil || string(saved) == text {
		return err
	}
	diff := guest.Differences(strings.Split(string(saved), "\n"), strings.Split(text, "\n"))
	return fmt.Errorf("the output of uelink doctor (+) differs from %s (-):\n%s", file, strings.Join(diff, "\n"))
}
