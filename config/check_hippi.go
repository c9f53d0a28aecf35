package config

import (
	"uelink/config/schema"
	"uelink/dataplane/model"
	"uelink/hippi"
)

// hippiVCs returns the number of virtual channels to which qos.tc_to_vc_map may map frames: VC3 only where this end
// allows it (HIPPI-6400 §6.2).
func hippiVCs(p *portEntry) int {
	if p.hippi.vc3 {
		return hippi.VCs
	}
	return hippi.VCs - 1
}

// checkProtocol reports keys of a port that do not fit its link protocol, llr or hippi6400. For hippi6400 it fills
// the port's settings from section hippi. path is the port's place in the configuration.
func (w checks) checkProtocol(p *portEntry, path string) {
	f := &p.frames
	if f.Protocol != model.HIPPI6400 {
		if w.Has(schema.Join(path, "hippi")) && !w.Wrong(schema.Join(path, "protocol")) {
			w.FailAt(schema.Join(path, "hippi"), "only a link with protocol: hippi6400 has this key")
		}
		return
	}
	for _, key := range []string{"llr", "cbfc", "vcs", "dialect", "encapsulation"} {
		if w.Has(schema.Join(path, key)) {
			w.FailAt(schema.Join(path, key), "only a link with protocol: llr has this key")
		}
	}
	f.LLR, f.VCs = model.LLRSettings{}, 1
	if w.Has(schema.Join(path, "qos.tc_to_vc_map")) {
		f.VCs = hippiVCs(p)
	}
	f.HIPPI = p.hippi.settings()
}
