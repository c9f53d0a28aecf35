package dcbnl

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/lldp/dcbx/ieee"
)

// Former are the DCB settings that an interface had before the first Apply, in the octets of DCBNL.
type Former struct {
	Unknown bool // another program has applied its own settings without reading these: Restore does nothing

	HasMode bool  // the driver has a DCBX mode
	Mode    uint8 // the side that runs DCBX, and its version: bits of DCB_CAP_DCBX_HOST and so on
	IEEE    bool  // the settings are in the IEEE form, else in the CEE form

	ETS, Flow []byte   // IEEE form: struct ieee_ets and struct ieee_pfc; nil: the driver has none
	App       [][]byte // IEEE form: a struct dcb_app for each entry of the Application table

	CEE []Setting // CEE form: the values, in the order in which Restore sets them
}

// Setting is a value of the CEE form: the command that sets it and the octets of its attribute.
type Setting struct {
	Command   uint8
	Attribute uint16
	Value     []byte
}

// reading is a value of the CEE form and how it is read: whole is the nested attribute that asks for all its parts, nil
// for a value without parts.
type reading struct {
	get, set command
	attr     uint16
	whole    *nl.RtAttr
}

// readings returns the values of the CEE form, in the order in which they are set: DCB as a whole goes off last.
func readings() []reading {
	groups := nl.NewRtAttr(attrGroups, nil)
	groups.AddRtAttr(attrClassAll, nil).AddRtAttr(attrClassWhole, nil)
	groups.AddRtAttr(attrGroupAll, nil)
	flow := nl.NewRtAttr(attrFlowConfig, nil)
	flow.AddRtAttr(attrPriorityAll, nil)
	return []reading{
		{getGroupsSend, setGroupsSend, attrGroups, groups},
		{getGroupsRecv, setGroupsRecv, attrGroups, groups},
		{getFlowPriority, setFlowPriority, attrFlowConfig, flow},
		{getFlowState, setFlowState, attrFlowState, nil},
		{getState, setState, attrState, nil},
	}
}

// Read returns the present settings of an interface of the calling thread's network namespace; the caller calls Read
// before it first applies s. The settings are in the form of the driver's DCBX mode, or in the form of s if the driver
// has no mode. Settings that the driver cannot report are absent.
func (Kernel) Read(ifname string, s Settings) (*Former, error) {
	f, err := read(exchange, ifname, s.IEEE != nil)
	if err != nil {
		return nil, fmt.Errorf("interface %s: %w", ifname, err)
	}
	return f, nil
}

// read reads the DCB settings of an interface: those of the dialect that the driver is in. inIEEE decides for a
// driver that has no mode, or does not say which.
func read(ask asker, ifname string, inIEEE bool) (*Former, error) {
	f := &Former{IEEE: inIEEE}
	mode, err := readMode(ask, ifname)
	if err != nil {
		return nil, err
	}
	if len(mode) > 0 {
		f.HasMode, f.Mode = true, mode[0]
		if versions := f.Mode & (modeCEE | modeIEEE); versions != 0 {
			f.IEEE = versions&modeIEEE != 0
		}
	}
	if f.IEEE {
		now, err := readIEEE(ask, ifname)
		f.ETS, f.Flow, f.App = now.ets, now.flow, now.app
		return f, unlessUnsupported(err)
	}
	f.CEE, err = readCEE(ask, ifname)
	return f, err
}

// readMode returns the octet of the DCBX mode, nothing if the driver has none.
func readMode(ask asker, ifname string) ([]byte, error) {
	answer, err := ask(message(getMode, ifname, nil))
	if err = unlessUnsupported(err); err != nil {
		return nil, fmt.Errorf("%s: %w", getMode, advised(err))
	}
	return attribute(body(answer), attrMode), nil
}

// readCEE returns the values of the CEE form that the driver can report.
func readCEE(ask asker, ifname string) (list []Setting, err error) {
	for _, r := range readings() {
		answer, err := ask(message(r.get, ifname, r.whole))
		if err = unlessUnsupported(err); err != nil {
			return nil, fmt.Errorf("%s: %w", r.get, advised(err))
		}
		if value := attribute(body(answer), r.attr); value != nil {
			list = append(list, Setting{uint8(r.set), r.attr, value})
		}
	}
	return list, nil
}

// unlessUnsupported returns err, or nil for an error about a command that the driver lacks.
func unlessUnsupported(err error) error {
	if errors.Is(err, unix.EOPNOTSUPP) {
		return nil
	}
	return err
}

// Restore gives an interface the settings that it had before the first Apply. Only settings that differ are set, since
// setting may reset the NIC.
func (Kernel) Restore(ifname string, f *Former) error {
	if err := restore(exchange, ifname, f); err != nil {
		return fmt.Errorf("interface %s does not get its former DCB settings back: %w", ifname, err)
	}
	return nil
}

// restore gives an interface its former settings, the mode first: a driver takes the settings only in their own mode.
func restore(ask asker, ifname string, f *Former) error {
	if f.Unknown {
		return nil
	}
	if f.HasMode {
		done, err := restoreMode(ask, ifname, f.Mode)
		if done || err != nil {
			return err
		}
	}
	if f.IEEE {
		return restoreIEEE(ask, ifname, f)
	}
	return restoreCEE(ask, ifname, f)
}

// restoreMode restores the DCBX mode, unless the driver is in it. done is true if nothing else must be restored,
// because in that mode the NIC's firmware runs DCBX, and decides the settings.
func restoreMode(ask asker, ifname string, mode uint8) (done bool, err error) {
	firmware := mode&modeManaged != 0 || mode&modeHost == 0
	now, err := readMode(ask, ifname)
	if err != nil || len(now) > 0 && now[0] == mode {
		return firmware, err
	}
	if firmware {
		mode = 0 // gives DCBX back to the firmware
	}
	return firmware, run(ask, ifname, setMode, octet(attrMode, mode))
}

// restoreIEEE restores ETS and PFC, in one message, as far as they differ from the present settings, and then the
// Application table.
func restoreIEEE(ask asker, ifname string, f *Former) error {
	now, err := readIEEE(ask, ifname)
	if err != nil {
		return unlessUnsupported(err)
	}
	nest := nl.NewRtAttr(attrIEEE, nil)
	ets := f.ETS != nil && !bytes.Equal(now.ets, f.ETS)
	if ets {
		nest.AddRtAttr(attrETS, f.ETS)
	}
	flow := len(f.Flow) >= flowSettings && !bytes.HasPrefix(now.flow, f.Flow[:flowSettings])
	if flow {
		nest.AddRtAttr(attrFlow, f.Flow)
	}
	if ets || flow {
		if err := run(ask, ifname, setIEEE, nest); err != nil {
			return err
		}
	}
	return replaceApp(ask, ifname, now.app, f.App)
}

// replaceApp replaces the Application table that a driver has by the wanted table. Entries that are not wanted are
// removed first, because the kernel keeps two entries for one protocol.
func replaceApp(ask asker, ifname string, table, want [][]byte) error {
	for _, e := range table {
		if !containsEntry(want, e) {
			if err := run(ask, ifname, deleteIEEE, appAttr(e)); err != nil && !errors.Is(err, unix.ENOENT) {
				return err
			}
		}
	}
	for _, e := range want {
		if !containsEntry(table, e) {
			if err := run(ask, ifname, setIEEE, appAttr(e)); err != nil && !errors.Is(err, unix.EEXIST) {
				return err
			}
		}
	}
	return nil
}

// table returns the Application table of a NIC with the wanted entries: the wanted entries, and the former entries for
// other protocols.
func (f *Former) table(want []ieee.AppEntry) (list [][]byte) {
	for _, e := range want {
		list = append(list, appOctets(e))
	}
	for _, old := range f.App {
		if !slices.ContainsFunc(list, func(e []byte) bool { return e[0] == old[0] && bytes.Equal(e[2:], old[2:]) }) {
			list = append(list, old)
		}
	}
	return list
}

func containsEntry(table [][]byte, e []byte) bool {
	return slices.ContainsFunc(table, func(other []byte) bool { return bytes.Equal(other, e) })
}

// restoreCEE restores the values of the CEE form that differ from the former ones, in the order of field CEE. The
// command that puts all settings into effect (setAll) comes before the one that switches DCB as a whole, or last.
func restoreCEE(ask asker, ifname string, f *Former) error {
	now, err := readCEE(ask, ifname)
	if err != nil {
		return err
	}
	changed := slices.DeleteFunc(slices.Clone(f.CEE), func(s Setting) bool {
		return slices.ContainsFunc(now, func(n Setting) bool {
			return n.Command == s.Command && bytes.Equal(n.Value, s.Value)
		})
	})
	if len(changed) == 0 {
		return nil
	}
	state := Setting{Command: uint8(setAll), Attribute: attrSetAll, Value: []byte{1}}
	at := slices.IndexFunc(changed, func(s Setting) bool { return command(s.Command) == setState })
	if at < 0 {
		at = len(changed)
	}
	for _, s := range slices.Insert(changed, at, state) {
		if err := run(ask, ifname, command(s.Command), nl.NewRtAttr(int(s.Attribute), s.Value)); err != nil {
			return err
		}
	}
	return nil
}
