package control_test

import (
	"regexp"
	"strings"
	"testing"
)

// units are words of which the name or the description of a number in the API has one: its unit, the things that it
// counts, or the kind of number that it is.
const units = "ns µs seconds octets bytes bits mb percent percentage frames packets pkts micropackets messages " +
	"credits addresses events neighbours priorities channels queues vlans sets tlvs lldpdus sequences " +
	"changes counts features times calls entries descriptors batches pauses replays retransmissions " +
	"restarts resets initializes shutdowns starts moves requests indications timeouts number numbers lines " +
	"bit channel vlan dscp dscps class ethertype type group weight"

// durations finds names of times, whose unit has to be told.
var durations = regexp.MustCompile(`(^|_)(time|timer|timeout|interval|ttl|age|hold_off|silence|stall|p50|p99)$`)

// Every number in the description of the API says its unit, or what it counts, by its name or its description.
func TestEveryNumberHasAUnit(t *testing.T) {
	known := map[string]bool{}
	for unit := range strings.FieldsSeq(units) {
		known[unit] = true
	}
	word, checked := regexp.MustCompile(`[\pL\d%]+`), 0
	eachNumber(described(t), "", "", "", func(place, name, description string) {
		checked++
		has, ofTime := false, false
		for _, w := range word.FindAllString(strings.ReplaceAll(name, "_", " ")+" "+description, -1) {
			w = strings.ToLower(w)
			has = has || known[w]
			ofTime = ofTime || w == "ns" || w == "µs" || w == "seconds"
		}
		if !has || durations.MatchString(name) && !ofTime {
			t.Errorf("%s has no unit: %q", place, description)
		}
	})
	if checked < 400 {
		t.Errorf("%d numbers", checked)
	}
}

// eachNumber calls f for each number in a description (place is where) with its name and description. An array, a map
// and the schema of a parameter have those of what they are in.
func eachNumber(v any, place, name, description string, f func(place, name, description string)) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			eachNumber(inner, place, name, description, f)
		}
	case map[string]any:
		if text, is := v["description"].(string); is {
			description = text
		}
		if text, is := v["name"].(string); is {
			name, place = text, place+"/"+text
		}
		if kind := v["type"]; kind == "integer" || kind == "number" {
			f(place, name, description)
		}
		for key, inner := range v {
			switch key {
			case "items", "schema", "additionalProperties", "anyOf":
				eachNumber(inner, place, name, description, f)
			case "properties":
				for property, of := range inner.(map[string]any) {
					eachNumber(of, place+"/"+property, property, "", f)
				}
			default:
				eachNumber(inner, place+"/"+key, "", "", f)
			}
		}
	}
}
