package config

import (
	"errors"

	"uelink/cbfc"
	"uelink/config/schema"
)

// cbfcMode is off, static (on by configuration) or dynamic (on by LLDP).
type cbfcMode uint8

// The values of cbfc.mode.
const (
	cbfcOff cbfcMode = iota
	cbfcStatic
	cbfcDynamic
)

// String returns the CBFC mode's name in the configuration: off, static or dynamic.
func (m cbfcMode) String() string { return [...]string{"off", "static", "dynamic"}[m] }

// autoLimit is the limit of a channel whose share depends on the number of channels.
const autoLimit = 0

// creditLimit returns the schema.Kind that parses a number of credits, or the word auto.
func creditLimit() schema.Kind[int] { return schema.OrAuto(schema.Whole(1, cbfc.MaxLimit)) }

// autoOctets is the bound of a queue without a bound of its own.
const autoOctets = 0

// queueOctets returns the schema.Kind that parses the number of octets of frames that may wait for a channel, or
// the word auto.
func queueOctets() schema.Kind[int64] { return schema.OrAuto(schema.Size(64, 1<<30)) }

// thresholdMode is SAI's THRESHOLD_MODE without dynamic.
type thresholdMode uint8

// The values of threshold_mode of a credit profile.
const (
	thresholdNone thresholdMode = iota
	thresholdStatic
)

// String returns the name of the threshold mode of a credit profile in the configuration: none or static.
func (m thresholdMode) String() string { return [...]string{"none", "static"}[m] }

// threshold returns the schema.Kind that parses a thresholdMode. SAI's dynamic is refused: its threshold is 2^n of
// the free credits, which other channels take and return with each frame.
func threshold() schema.Kind[thresholdMode] {
	k := schema.Choice(thresholdNone, thresholdStatic)
	return schema.NewKind(k.Values, k.JSON, func(s schema.Scalar) (thresholdMode, error) {
		if s.Text == "dynamic" {
			return 0, errors.New(
				"dynamic is not supported, because its threshold changes with every frame of the other channels: " +
					"write static, and the largest number of credits of the shared part in shared_static_th")
		}
		return k.Parse(s)
	})
}

// nameOrNone returns the schema.Kind that parses a name or an empty text.
func nameOrNone() schema.Kind[string] {
	k := schema.Name()
	return schema.NewKind(k.Values+", empty", schema.StringJSON(""), func(s schema.Scalar) (string, error) {
		if s.Text == "" {
			return "", nil
		}
		return k.Parse(s)
	})
}
