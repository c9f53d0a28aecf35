package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"go.uber.org/zap"
	"go.yaml.in/yaml/v4"

	"uelink/config"
	"uelink/config/schema"
	"uelink/control"
	"uelink/control/api"
	"uelink/dataplane/model"
)

// additionName is the name of an addition of ports, which is the name of a file, too.
var additionName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$`)

// addition is a file of ports that the API has made.
type addition struct {
	Ports     []map[string]any `json:"ports"`
	XConnects []map[string]any `json:"xconnects,omitempty"`
	Bridges   []map[string]any `json:"bridges,omitempty"`
}

// text returns the addition as the text of a file: JSON, which YAML reads, too.
func (a addition) text() ([]byte, error) {
	text, err := json.MarshalIndent(a, "", "  ")
	return append(text, '\n'), err
}

// readAddition reads the text of a file. uelink config save may have set keys in it as YAML.
func readAddition(text []byte) (a addition, err error) {
	err = yaml.Unmarshal(text, &a)
	return a, err
}

// names returns the names of the ports.
func (a addition) names() []string {
	list := []string{}
	for _, p := range a.Ports {
		list = append(list, fmt.Sprint(p["name"]))
	}
	return list
}

// refused returns the error of a refused request, with its HTTP status.
func refused(status int, field, format string, args ...any) error {
	return &api.Error{Status: status, Field: field, Message: fmt.Sprintf(format, args...)}
}

// portChanger changes the ports of a daemon for the API. Its methods run in the daemon's turns.
type portChanger struct{ d *daemon }

// AddPorts adds ports, or replaces the addition with the same name: all or nothing, and without an interruption of
// other ports. An addition without a name has that of its first port. An interface that the host uses is refused,
// unless the caller may force it. The daemon keeps the addition in a file, which the next start reads, too.
func (c portChanger) AddPorts(a api.PortAddition, caller control.Caller) (done api.PortsChanged, err error) {
	next := addition{a.Ports, a.XConnects, a.Bridges}
	if a.Name == "" && len(a.Ports) > 0 {
		a.Name = next.names()[0]
	}
	if !additionName.MatchString(a.Name) || len(a.Ports) == 0 {
		return done, refused(http.StatusBadRequest, "name", "name: %q: a name has 1 to 64 letters, digits, - and "+
			"_; the request needs at least one port", a.Name)
	}
	turnErr := c.d.turns.run(func() {
		if err = c.checkFree(next, a.Force, caller); err == nil {
			done, err = c.change(a.Name, &next, a.Persist, caller)
		}
	})
	return done, errors.Join(turnErr, err)
}

// SetPort sets keys of a port that the API has added; a key with the value null is removed.
func (c portChanger) SetPort(
	port string, keys map[string]any, caller control.Caller,
) (done api.PortsChanged, err error) {
	turnErr := c.d.turns.run(func() {
		file, next, findErr := c.additionOf(port)
		if err = findErr; err != nil {
			return
		}
		i := slices.IndexFunc(next.Ports, func(p map[string]any) bool { return p["name"] == port })
		if i < 0 {
			err = refused(http.StatusNotFound, "port",
				"the group of ports %s, added by the API, has no port %s: its ports are %v",
				nameOfAddition(file), port, next.names())
			return
		}
		for key, value := range keys {
			if next.Ports[i][key] = value; value == nil {
				delete(next.Ports[i], key)
			}
		}
		if err = c.checkFree(next, false, caller); err == nil {
			done, err = c.change(nameOfAddition(file), &next, c.isKept(file), caller)
		}
	})
	return done, errors.Join(turnErr, err)
}

// RemovePorts removes an addition, by its name or by the name of its port.
func (c portChanger) RemovePorts(name string, caller control.Caller) (done api.PortsChanged, err error) {
	turnErr := c.d.turns.run(func() {
		file, before, findErr := c.additionOf(name)
		if err = findErr; err != nil {
			return
		}
		done, err = c.change(nameOfAddition(file), nil, c.isKept(file), caller)
		done.Ports = before.names()
	})
	return done, errors.Join(turnErr, err)
}

// nameOfAddition returns the name of an addition by its file.
func nameOfAddition(file string) string {
	return filepath.Base(file[:len(file)-len(filepath.Ext(file))])
}

// isKept reports whether an addition outlives a boot.
func (c portChanger) isKept(file string) bool {
	_, persistent := portFolders(c.d.file)
	return filepath.Dir(file) == persistent
}

// isAddition reports whether a file beside the configuration is an addition of the API.
func (c portChanger) isAddition(file string) bool {
	boot, persistent := portFolders(c.d.file)
	return slices.Contains([]string{boot, persistent}, filepath.Dir(file))
}

// additionOf returns the addition of a name, or with a port of that name, and its file. A port that the API has not
// added is an error, which names the port's file.
func (c portChanger) additionOf(name string) (file string, a addition, err error) {
	files := c.d.files.get()
	for _, f := range files.Additions {
		if c.isAddition(f.File) && (nameOfAddition(f.File) == name || c.d.config.Files[name] == f.File) {
			a, err = readAddition(f.Text)
			return f.File, a, err
		}
	}
	if slices.ContainsFunc(c.d.config.Settings.Ports, func(p model.PortSettings) bool { return p.Name == name }) {
		file := c.d.config.Files[name]
		if file == "" {
			file = c.d.file
		}
		return "", a, refused(http.StatusConflict, "port", "port %s stands in %s: change that file, and type: %s", name,
			file,
			api.ReloadCommand)
	}
	return "", a, refused(http.StatusNotFound, "port", "the API has added no port %s", name)
}

// change puts an addition in force in place of the one with its name, or removes the present one if next is nil. After
// an error nothing has changed.
func (c portChanger) change(
	name string, next *addition, persist bool, caller control.Caller,
) (done api.PortsChanged, err error) {
	if c.d.confirm.pending() {
		return done, refused(http.StatusConflict, "", "a reload waits for uelink confirm: confirm it first")
	}
	boot, persistent := portFolders(c.d.file)
	file, other := filepath.Join(boot, name+".yaml"), filepath.Join(persistent, name+".yaml")
	if persist {
		file, other = other, file
	}
	before := c.d.files.get()
	if err := c.mayReplace(before.Texts, next, caller, file, other); err != nil {
		return done, err
	}
	texts := before.WithoutFile(file).WithoutFile(other)
	done = api.PortsChanged{Name: name, File: file, Ports: []string{}, Changed: true}
	if next != nil {
		done.Ports = next.names()
		text, err := next.text()
		if err != nil {
			return done, refused(http.StatusConflict, "", "%s has keys that the API cannot write: change the file",
				file)
		}
		texts = texts.WithFile(file, text)
		c.sort(texts.Additions)
	}
	if most := c.d.config.Control.Ports.Max; next != nil && c.count(texts) > most {
		return done, refused(http.StatusConflict, "", "the API has added %d ports: control.ports.max is %d",
			c.count(before.Texts), most)
	}
	settings, text, err := texts.Load()
	if err != nil {
		return done, refused(http.StatusBadRequest, "", "%v", err)
	}
	if string(text) == before.text {
		done.Changed = false
		return done, nil
	}
	if err := c.keep(file, other, next); err != nil {
		err = errors.Join(err, c.restore(before.Texts, file, other))
		c.reportRefusal(name, err, caller)
		return done, refused(http.StatusConflict, "", "%v", err)
	}
	if err := c.d.apply(settings); err != nil {
		return done, errors.Join(refused(http.StatusConflict, "", "%v", err), c.restore(before.Texts, file, other))
	}
	c.d.config = settings
	c.d.files.set(filed{texts, string(text)})
	c.reportChange(name, next, caller)
	return done, nil
}

// mayReplace returns an error unless the caller may change both the present addition in one of the files, if any, and
// next, if not nil.
func (c portChanger) mayReplace(texts config.Texts, next *addition, caller control.Caller, files ...string) error {
	if next != nil {
		if err := mayChange(*next, c.d.config.Control.Ports, caller); err != nil {
			return err
		}
	}
	for _, f := range texts.Additions {
		if !slices.Contains(files, f.File) {
			continue
		}
		a, err := readAddition(f.Text)
		if err == nil {
			err = mayChange(a, c.d.config.Control.Ports, caller)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sort brings additions into the order of reading their files.
func (c portChanger) sort(list []schema.Addition) {
	boot, persistent := portFolders(c.d.file)
	folders := []string{boot, persistent} // behind the drop-ins, which are not in list
	slices.SortStableFunc(list, func(a, b schema.Addition) int {
		return cmp.Or(slices.Index(folders, filepath.Dir(a.File))-slices.Index(folders, filepath.Dir(b.File)),
			cmp.Compare(a.File, b.File))
	})
}

// count returns the number of ports of all additions.
func (c portChanger) count(texts config.Texts) (n int) {
	for _, f := range texts.Additions {
		if a, err := readAddition(f.Text); err == nil && c.isAddition(f.File) {
			n += len(a.Ports)
		}
	}
	return n
}

// reportRefusal publishes an event about ports that the API could not keep. The caller has the error, too; whoever
// looks after the machine has not.
func (c portChanger) reportRefusal(name string, err error, caller control.Caller) {
	text := fmt.Sprintf("the API could not change the group of ports %s, asked for by %s: %v", name, caller, err)
	c.d.frames.Publish("", model.EventReload, text)
}

// reportChange publishes an event and writes a line of the log about ports that the API has added or removed.
func (c portChanger) reportChange(name string, next *addition, caller control.Caller) {
	verb := "removed"
	var ports []string
	if next != nil {
		verb, ports = "added", next.names()
	}
	c.d.frames.Publish("", model.EventReload, fmt.Sprintf("the API has %s the group of ports %s, asked for "+
		"by %s", verb, name, caller))
	c.d.log.Info("ports "+verb, zap.String("name", name), zap.Strings("ports", ports), zap.Uint32("user", caller.UID),
		zap.Int32("process", caller.PID), zap.Time("time", time.Now()))
}
