package control_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"uelink/control/api"
)

// What is no plain object of the handler's fields is refused by every handler with a body, and changes nothing.
func TestBodiesThatAreRefused(t *testing.T) {
	d := bridged(t)
	for request, fields := range map[string][]string{ // a good value of each field
		"POST /v1/llr/interfaces/link0/local":  {`"enabled": true`},
		"POST /v1/llr/interfaces/link0/remote": {`"enabled": false`},
		"POST /v1/cbfc/link0/vcs/1":            {`"enabled": true`},
		"POST /v1/fdb":                         {`"mac": "02:00:00:00:00:bb"`, `"ifname": "link0"`, `"vlan": 10`},
		"POST /v1/fdb/flush":                   {`"port": "link0"`, `"bridge": "br0"`, `"vlan": 10`},
		"PUT /v1/log/level":                    {`"level": "debug"`},
	} {
		method, path, _ := strings.Cut(request, " ")
		good := strings.Join(fields, ", ")
		first := strings.Split(fields[0], `"`)[1]
		for body, want := range map[string]string{
			"":                                  "body: a JSON object is wanted",
			"null":                              "body: a JSON object is wanted",
			"true":                              "body: a JSON object is wanted",
			"[]":                                "body: a JSON object is wanted",
			`[{` + good + `}]`:                  "body: a JSON object is wanted",
			`"` + first + `"`:                   "body: a JSON object is wanted",
			"{" + good:                          "body: ",
			"{" + good + "} {}":                 "body: more than one JSON value",
			"{" + good + "} null":               "body: more than one JSON value",
			"{" + good + ", " + fields[0] + "}": fmt.Sprintf("body: field %q is there twice", first),
			"{" + strings.Replace(fields[0], first, strings.ToUpper(first), 1) + "}": fmt.Sprintf("body: unknown field %q: write %s", strings.ToUpper(first), first),
			fmt.Sprintf("{%s, %q: 1}", good, strings.ToUpper(first[:1])+first[1:]):   "body: unknown field ",
			fmt.Sprintf("{%s, \"other\": 1}", good):                                  `body: unknown field "other"`,
			fmt.Sprintf("{%q: {}}", first):                                           "body: " + first + ": ",
			fmt.Sprintf("{%q: [1]}", first):                                          "body: " + first + ": ",
			"{\"\xff\": 1}":                                                          "body: octets that are not UTF-8",
			strings.Repeat(`{"a":`, 10000):                                           "body: ",
		} {
			response, answer := d.request(t, method, path, body)
			var said struct{ Error string }
			if err := json.Unmarshal([]byte(answer), &said); err != nil {
				t.Errorf("%s %.60s: %v in %s", request, body, err, answer)
			}
			if response.StatusCode != 400 || !strings.HasPrefix(said.Error, want) {
				t.Errorf("%s %.60s: %d %q, want %q", request, body, response.StatusCode, said.Error, want)
			}
		}
	}
	for _, field := range []string{"port", "vlan", "bridge"} {
		body := fmt.Sprintf("{%q: null}", field)
		response, answer := d.request(t, "POST", "/v1/fdb/flush", body)
		if response.StatusCode != 400 || !strings.Contains(answer, field+": null is no value: leave the field out") {
			t.Errorf("%s: %d %s", body, response.StatusCode, answer)
		}
	}
	if calls := d.Calls(); len(calls) > 0 {
		t.Errorf("refused requests changed something: %v", calls)
	}
}

// Bodies that say the same in other octets are taken.
func TestBodiesThatAreTaken(t *testing.T) {
	d := bridged(t)
	for _, body := range []string{"{}", " {\n} ", `{"port": "link0"}`, `{"p\u006frt": "", "bridge": "", "vlan": 0}`} {
		if response, answer := d.request(t, "POST", "/v1/fdb/flush", body); response.StatusCode != 200 {
			t.Errorf("%s: %d %s", body, response.StatusCode, answer)
		}
	}
	withoutFlags := api.FDBEntry{MAC: "02:00:00:00:00:bb", IfName: "link0", VLAN: 22}
	if err := d.client.AddFDB(t.Context(), withoutFlags); err != nil {
		t.Errorf("an entry without flags, as null: %v", err)
	}
}
