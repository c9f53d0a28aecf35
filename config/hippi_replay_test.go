package config

import (
	"strings"
	"testing"

	"uelink/dataplane/model"
	"uelink/llr"
)

// A link that speaks HIPPI-6400-PH has no LLR profile, and so no kind of replay: naming one is refused, and the profile
// `default` of the other links does not reach it.
func TestHIPPILinkHasNoKindOfReplay(t *testing.T) {
	refused := parseError(t, profile("replay: selective")+"\n"+port("protocol: hippi6400, llr: {profile: fast}"))
	if !strings.Contains(refused, "ports[0].llr: only a link with protocol: llr has this key") {
		t.Errorf("%q", refused)
	}
	c, err := Parse("f", []byte("llr_profiles: {default: {replay: selective}}\n"+port("protocol: hippi6400")))
	if err != nil {
		t.Fatal(err)
	}
	link := c.Settings.Ports[0]
	if link.LLR != (model.LLRSettings{}) || c.Settings.Profiles[link.LLR.Profile].Replay != llr.GoBackN {
		t.Errorf("%+v", link.LLR)
	}
}
