package sonic

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// SAI's numbers of the attributes of an LLR profile.
const (
	attrFrames = iota
	attrBytes
	attrTimer
	attrCount
	attrPCSLost
	attrDataAge
	attrInit
	attrFlush
	attrReInit
	attrSpacing
	attributes // number of the attributes
)

// Profile is the values of an LLR profile, by SAI's numbers of the attributes.
type Profile [attributes]int64

// actions has the words of a frame action, at SAI's numbers.
var actions = []string{"discard", "block", "best_effort"}

// profileField is a field of LLR_PROFILE. Its value is one of words, or without words a number.
type profileField struct {
	name        string
	alias       string   // in llr_profile_lookup.ini
	attribute   uint32   // SAI's number of the attribute
	least, most int64    // range of a number
	standard    int64    // value of a row without the field
	words       []string // the value is the index of the word
	mandatory   bool     // a row without the field is invalid
}

// profileFields are the fields of LLR_PROFILE with SONiC's ranges; of the first two SONiC also allows 0, with which a
// link could never send.
var profileFields = []profileField{
	{name: "max_outstanding_frames", alias: "outstanding_frames", attribute: attrFrames, least: 1, most: 524288,
		mandatory: true},
	{name: "max_outstanding_bytes", alias: "outstanding_bytes", attribute: attrBytes, least: 1, most: 1<<32 - 1,
		mandatory: true},
	{name: "max_replay_count", alias: "replay_count", attribute: attrCount, least: 1, most: 255, standard: 1},
	{name: "max_replay_timer", alias: "replay_timer", attribute: attrTimer, most: 65535},
	{name: "pcs_lost_timeout", alias: "pcs_lost_timeout", attribute: attrPCSLost, most: 4290000000},
	{name: "data_age_timeout", alias: "data_age_timeout", attribute: attrDataAge, most: 4290000000},
	{name: "ctlos_spacing_bytes", alias: "ctlos_spacing", attribute: attrSpacing, least: 400, most: 16384, standard: 2048},
	{name: "init_action", alias: "init_action", attribute: attrInit, words: actions, standard: 2},
	{name: "flush_action", alias: "flush_action", attribute: attrFlush, words: actions, standard: 2},
}

// parse converts the text of a field of LLR_PROFILE to the value of its SAI attribute: the number, or the index among
// the allowed words. It returns an error for a text out of range.
func (f *profileField) parse(text string) (int64, error) {
	if f.words != nil {
		if i := slices.Index(f.words, text); i >= 0 {
			return int64(i), nil
		}
		return 0, fmt.Errorf("%q is not one of %s", text, strings.Join(f.words, ", "))
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < f.least || n > f.most {
		return 0, fmt.Errorf("%q is no number from %d to %d", text, f.least, f.most)
	}
	return n, nil
}

// parseProfile converts a row of LLR_PROFILE to a Profile (the values of the SAI attributes), and returns the row's
// recognized fields. Missing fields get their standard values. Errors are reported to problems, and then ok is false:
// the Profile must not be used. LLR always restarts after a FLUSH, as with SONiC's llrorch.
func parseProfile(k Key, row Row, problems *problems) (p Profile, recognized Row, ok bool) {
	recognized, ok = Row{}, true
	for _, f := range profileFields {
		p[f.attribute] = f.standard
		text, given := row[f.name]
		if !given {
			if f.mandatory {
				problems.add(k, f.name, "this field is mandatory")
				ok = false
			}
			continue
		}
		n, err := f.parse(text)
		if err != nil {
			problems.add(k, f.name, "%v", err)
			ok = false
		}
		p[f.attribute], recognized[f.name] = n, text
	}
	p[attrReInit] = 1
	for _, field := range slices.Sorted(maps.Keys(row)) {
		if _, present := recognized[field]; !present && field != placeholder {
			problems.note(k, field, "this field is unknown, and ignored")
		}
	}
	return p, recognized, ok
}

// placeholder is SONiC's field in a row without fields: Redis keeps no empty hash.
const placeholder = "NULL"

// createOnly reports whether an attribute of an LLR profile can be set only when the profile is created.
func createOnly(attribute uint32) bool { return attribute == attrFrames || attribute == attrBytes }
