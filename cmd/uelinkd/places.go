package main

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"uelink/config"
)

// defaultFile is the configuration that the systemd unit names.
const defaultFile = "/etc/uelink/uelink.yaml"

// runtimeFolder returns the folder in which the daemon keeps what outlives the process, but not a boot: the first
// directory of systemd's RuntimeDirectory, or its default path.
func runtimeFolder() string {
	run, _, _ := strings.Cut(os.Getenv("RUNTIME_DIRECTORY"), ":")
	return cmp.Or(run, "/run/uelink")
}

// portFolders returns two folders of the ports that the API has made for a configuration file: boot has those that end
// with a boot, persistent those that stay. Several daemons may share the state directory. So the name of the folders
// has a checksum of the path of the configuration file, unless the file is the default one.
func portFolders(file string) (boot, persistent string) {
	name := "ports.d"
	if path, err := filepath.Abs(file); err == nil && path != defaultFile {
		name = fmt.Sprintf("ports-%x.d", crc32.ChecksumIEEE([]byte(path)))
	}
	return filepath.Join(runtimeFolder(), name), filepath.Join(stateFolder(), name)
}

// loadTexts reads and checks a configuration file with the files beside it (drop-ins of people, ports made by the API),
// and returns the texts, and one text that combines them.
func loadTexts(file string) (texts config.Texts, text []byte, err error) {
	_, texts, text, err = loadConfig(file)
	return texts, text, err
}

// loadConfig reads and checks a configuration file with the files beside it (drop-ins of people, ports made by the
// API). It returns the configuration, the texts, and one text that combines them.
func loadConfig(file string) (c *config.Config, texts config.Texts, text []byte, err error) {
	var folders []string
	boot, persistent := portFolders(file)
	for _, folder := range []string{boot, persistent} {
		// A folder that this user may not read is left out: a start without privileges then gets as far as the error that
		// names the missing privileges.
		if _, err := os.ReadDir(folder); !errors.Is(err, fs.ErrPermission) {
			folders = append(folders, folder)
		}
	}
	if texts, err = config.ReadTexts(file, folders...); err != nil {
		return nil, texts, nil, err
	}
	c, text, err = texts.Load()
	return c, texts, text, err
}
