package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"
	"go.yaml.in/yaml/v4"

	"uelink/cbfc"
	"uelink/config/edit"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/llr"
)

// Running is what is in force in a daemon: its configuration, and what commands and SAI have changed since.
type Running struct {
	Level    zapcore.Level
	Settings dataplane.Settings
	Static   []model.FDBEntry // static entries of the bridges' tables; nil: not known
}

// Kept is the texts of a configuration, changed to the settings in force, as far as a configuration can express them.
type Kept struct {
	Texts        // changed; all other text is as it was
	Text  string // equivalent single file
	// settings in force that the texts lack, with the reason: the next start or a reload of their keys ends them
	Lost []string
}

// Keep returns the texts of a configuration, with the keys changed that differ from now, the level and settings in
// force. Each change is read again. A change without exactly the wanted effect is left out and listed as lost. Keep
// returns an error if t is no valid configuration.
func Keep(t Texts, now Running) (Kept, error) {
	read, text, err := t.check()
	if err != nil {
		return Kept{}, err
	}
	k := keeper{texts: t, text: text, config: read}
	k.level(now.Level)
	settings := named(now.Settings)
	for _, name := range slices.Sorted(maps.Keys(settings.Profiles)) {
		k.profile(name, settings.Profiles[name])
	}
	for i := range settings.Ports {
		k.port(&settings.Ports[i])
	}
	if now.Static != nil {
		k.static(now.Static)
	}
	return Kept{k.texts, string(k.text), k.lost}, nil
}

// Same reports whether both texts are valid configurations with the same effect.
func Same(a, b string) bool {
	first, err := Parse("a", []byte(a))
	other, otherErr := Parse("b", []byte(b))
	return err == nil && otherErr == nil && reflect.DeepEqual(first, other)
}

// keeper changes the texts of a configuration, one part of what is in force after the other.
type keeper struct {
	texts  Texts
	text   []byte  // equivalent single file
	config *Config // of the texts
	lost   []string
}

// set is a value of a key: the steps to the key, as edit.Set takes them, and the value.
type set struct {
	place []string
	value string
}

// port returns the name of the port whose key is set; "" if it is the key of something else.
func (s set) port() string {
	for i, step := range s.place {
		if name, ok := strings.CutPrefix(step, "name="); ok && i == 1 && s.place[0] == "ports" {
			return name
		}
		if name, ok := strings.CutPrefix(step, "port="); ok {
			return name
		}
	}
	return ""
}

// row is a key of a section, with its value in the text and the value in force, as the text writes them.
type row struct{ key, old, current string }

// differences returns the changes of the keys in the section at place whose values differ.
func differences(place []string, rows ...row) (changes []set) {
	for _, r := range rows {
		if r.old != r.current {
			changes = append(changes, set{slices.Concat(place, []string{r.key}), r.current})
		}
	}
	return changes
}

// sectionOf returns the place of a section of a port.
func sectionOf(port string, keys ...string) []string {
	return append([]string{"ports", "name=" + port}, keys...)
}

// keep makes changes of keys in the text, as try does. If they cannot be made, they are listed as lost under that name.
// want makes the same change in a Config.
func (k *keeper) keep(name string, changes []set, want func(*Config)) {
	if err := k.try(changes, want); err != nil {
		k.lost = append(k.lost, name+": "+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}

// errOther is the error of changes of keys whose effect differs from the settings in force.
var errOther = errors.New("no value of the configuration has the effect of the present settings")

// try makes changes of keys in the text, and parses the result. It returns an error, and changes nothing, unless the
// result equals the present configuration changed by want. Without changes it does nothing.
func (k *keeper) try(changes []set, want func(*Config)) (err error) {
	if len(changes) == 0 {
		return nil
	}
	texts := k.texts.clone()
	for _, c := range slices.Backward(changes) { // each new key stands in front of the one before
		text := texts.textOf(k.config.Files[c.port()])
		if *text, err = edit.Set(*text, c.place, c.value); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(c.place, "."), err)
		}
	}
	next, text, err := texts.check()
	if err != nil {
		return err
	}
	wanted := *k.config
	wanted.Settings.Profiles = maps.Clone(k.config.Settings.Profiles)
	wanted.Settings.Ports = slices.Clone(k.config.Settings.Ports)
	want(&wanted)
	if wanted.Log != next.Log || !reflect.DeepEqual(wanted.Settings, next.Settings) {
		return errOther
	}
	k.texts, k.text, k.config = texts, text, next
	return nil
}

// level writes the log's present level into the text, if it differs.
func (k *keeper) level(now zapcore.Level) {
	if now != k.config.Log.Level {
		k.keep("log level", []set{{[]string{"log", "level"}, now.String()}}, func(c *Config) { c.Log.Level = now })
	}
}

// profile writes the present values of the LLR profile of that name into the text, where they differ.
func (k *keeper) profile(name string, now llr.Profile) {
	old, ok := k.config.Settings.Profiles[name]
	before := profileValues(old)
	var rows []row
	for i, v := range profileValues(now) {
		if !ok {
			before[i][1] = "" // no key is there yet
		}
		rows = append(rows, row{v[0], before[i][1], v[1]})
	}
	changes := differences([]string{"llr_profiles", name}, rows...)
	k.keep("LLR profile "+name, changes, func(c *Config) { c.Settings.Profiles[name] = now })
}

// profileValues returns the keys of an LLR profile, each with its value as text, always in the same order.
func profileValues(p llr.Profile) [][2]string {
	timer := span(p.MaxReplayTimer)
	if p.MaxReplayTimer == 0 {
		timer = "auto"
	}
	return [][2]string{
		{"max_outstanding_frames", strconv.Itoa(p.MaxOutstandingFrames)},
		{"max_outstanding_bytes", strconv.FormatInt(p.MaxOutstandingBytes, 10)},
		{"max_replay_timer", timer},
		{"max_replay_count", strconv.Itoa(int(p.MaxReplayCount))},
		{"hold_timeout", span(p.HoldTimeout)},
		{"pcs_lost_timeout", span(p.PCSLostTimeout)},
		{"data_age_timeout", span(p.DataAgeTimeout)},
		{"init_action", p.InitAction.String()},
		{"flush_action", p.FlushAction.String()},
		{"re_init_on_flush", strconv.FormatBool(p.ReInitOnFlush)},
		{"replay", p.Replay.String()},
		{"ctlos_spacing_bytes", strconv.Itoa(p.CtlOSSpacingBytes)},
	}
}

// span returns a duration as it is written in a configuration, such as "10ms".
func span(d time.Duration) string { return strings.Replace(d.String(), "µ", "u", 1) }

// leastTimer is the replay timer of the default profile; shorter timers of SAI are for hardware.
const leastTimer = 2 * time.Millisecond

// named returns a copy of the settings that a configuration can express: profiles made by SAI get names that are
// allowed there, and a replay timer meant for hardware (below 2 ms, raised by the daemon to suit the loop time)
// becomes auto.
func named(s dataplane.Settings) dataplane.Settings {
	rename := strings.NewReplacer(":", "-")
	profiles := map[string]llr.Profile{}
	for name, p := range s.Profiles {
		if p.TimerFloor {
			p.TimerFloor = false
			if p.MaxReplayTimer < leastTimer {
				p.MaxReplayTimer = 0
			}
		}
		profiles[rename.Replace(name)] = p
	}
	s.Profiles, s.Ports = profiles, slices.Clone(s.Ports)
	for i := range s.Ports {
		s.Ports[i].LLR.Profile = rename.Replace(s.Ports[i].LLR.Profile)
	}
	return s
}

// port writes the present settings of a port, as far as commands and SAI can change them, into the text.
func (k *keeper) port(now *model.PortSettings) {
	i := slices.IndexFunc(k.config.Settings.Ports, func(p model.PortSettings) bool { return p.Name == now.Name })
	if i < 0 {
		return
	}
	old := k.config.Settings.Ports[i]
	if now.Managed != (model.Managed{}) {
		k.lost = append(k.lost,
			"MTU and ADMIN_STATE of port "+now.Name+": the configuration has no key for the "+
				"values that a client of SAI sets on an interface")
	}
	k.keep("LLR of port "+now.Name, llrChanges(now.Name, old.LLR, now.LLR), func(c *Config) {
		c.Settings.Ports[i].LLR = now.LLR
	})
	k.keep("PFC of port "+now.Name, pfcChanges(now.Name, &old.PFC, &now.PFC), func(c *Config) {
		c.Settings.Ports[i].PFC = now.PFC
	})
	if old.CBFC == now.CBFC && reflect.DeepEqual(old.QoS, now.QoS) {
		return
	}
	want := func(c *Config) {
		p := &c.Settings.Ports[i]
		p.CBFC, p.VCs, p.QoS = now.CBFC, now.VCs, now.QoS
	}
	credits := creditChanges(now.Name, &old.CBFC, &now.CBFC)
	if len(credits) > 0 && k.try(credits, want) == nil { // enough: the default map tc_to_vc_map follows the channels
		return
	}
	all := append(mapChanges(now.Name, &old.QoS, &now.QoS), credits...)
	if len(all) == 0 {
		k.lost = append(k.lost, "CBFC of port "+now.Name+": the configuration has no key for "+
			"the credit pool or the credit profile that a client of SAI has set")
		return
	}
	k.keep("CBFC and QoS maps of port "+now.Name, all, want)
}

// mapChanges returns the changes of a port's QoS maps: a map of the port's own for each that differs.
func mapChanges(port string, old, current *qos.Map) (changes []set) {
	changes = differences(sectionOf(port, "qos"), row{"trust", old.Trust.String(), current.Trust.String()})
	priority := func(i int) string { return strconv.Itoa(i>>1) + []string{"", "/1"}[i&1] }
	changes = append(changes, ownMap(port, "dot1p_to_tc_map", old.Dot1pDEI[:], current.Dot1pDEI[:], priority)...)
	changes = append(changes, ownMap(port, "dscp_to_tc_map", old.DSCP[:], current.DSCP[:], strconv.Itoa)...)
	return append(changes, ownMap(port, "tc_to_vc_map", old.Queue[:], current.Queue[:], strconv.Itoa)...)
}

// ownMap returns the changes that give a port a map of its own, named after the port, unless the port's map has all
// values already. key returns the key of a value. A value that is left out is 0; a priority with DEI has the value of
// the priority without.
func ownMap(port, kind string, old, current []uint8, key func(int) string) (changes []set) {
	if slices.Equal(old, current) {
		return nil
	}
	name := port + "-" + strings.ReplaceAll(strings.TrimSuffix(kind, "_map"), "_", "-")
	changes = append(changes, set{sectionOf(port, "qos", kind), word(name)})
	for i, v := range current {
		leftOut := uint8(0)
		if strings.HasSuffix(key(i), "/1") {
			leftOut = current[i-1]
		}
		if i == 0 || v != leftOut || v != old[i] {
			changes = append(changes, set{[]string{"qos", kind, name, key(i)}, strconv.Itoa(int(v))})
		}
	}
	return changes
}

// llrChanges returns the changes of keys that lead from the old LLR settings of a port to the current.
func llrChanges(port string, old, current model.LLRSettings) []set {
	return differences(sectionOf(port, "llr"),
		row{"mode", old.Mode.String(), current.Mode.String()},
		row{"local", strconv.FormatBool(old.Local), strconv.FormatBool(current.Local)},
		row{"remote", strconv.FormatBool(old.Remote), strconv.FormatBool(current.Remote)},
		row{"profile", word(old.Profile), word(current.Profile)})
}

// word returns a name as it is written in a configuration: in quotes where YAML would otherwise read a number or the
// like.
func word(name string) string {
	var v any
	if err := yaml.Unmarshal([]byte(name), &v); err != nil || v != any(name) {
		return strconv.Quote(name)
	}
	return name
}

// creditChanges returns the changes of keys that lead from the old CBFC settings of a port to the current.
func creditChanges(port string, old, current *cbfc.Settings) (changes []set) {
	at := sectionOf(port, "cbfc")
	if !old.On && current.On {
		changes = append(changes, set{sectionOf(port, "cbfc", "mode"), "static"})
	}
	changes = append(changes, differences(at,
		row{"credit_size", strconv.Itoa(old.Size.Credit), strconv.Itoa(current.Size.Credit)},
		row{"packet_overhead", strconv.Itoa(old.Size.Overhead), strconv.Itoa(current.Size.Overhead)},
		row{"cc_message_timer", span(old.CCTimer), span(current.CCTimer)},
		row{"cf_min_spacing", strconv.Itoa(int(old.CFMinSpacing)), strconv.Itoa(int(current.CFMinSpacing))},
		row{"cf_max_spacing", strconv.Itoa(int(old.CFMaxSpacing)), strconv.Itoa(int(current.CFMaxSpacing))})...)
	for vc, limit := range current.Limit {
		before, lossless := old.Lossless>>vc&1 != 0, current.Lossless>>vc&1 != 0
		rows := []row{{"lossless", strconv.FormatBool(before), strconv.FormatBool(lossless)}}
		if limit != 0 {
			rows = append(rows, row{"limit", strconv.Itoa(int(old.Limit[vc])), strconv.Itoa(int(limit))})
		}
		changes = append(changes, differences(append(at, "vcs", "index="+strconv.Itoa(vc)), rows...)...)
	}
	return changes
}
