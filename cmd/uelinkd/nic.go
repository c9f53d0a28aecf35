package main

import (
	"path/filepath"
	"slices"

	"go.uber.org/zap"

	"uelink/dataplane/netif"
	"uelink/lldp/dcbnl"
	"uelink/lldp/station"
)

// newRecorder returns what sets DCB in NICs by DCBNL for the daemon's ports. It keeps the former settings of the NICs
// in the state folder, for the next process to restore after a kill. Its failures are only logged.
func newRecorder(log *zap.Logger) *dcbnl.Recorder {
	r := &dcbnl.Recorder{Dir: filepath.Join(stateFolder(), "dcb"), Warn: func(ifname string, err error) {
		log.Warn("the former DCB settings of a NIC cannot be saved, read or restored: if this process is killed, the "+
			"settings of DCBX stay", zap.String("interface", ifname), zap.Error(err))
	}}
	var err error
	if r.Boot, r.Place, err = netif.CurrentPlace(); err != nil {
		r.Warn("", err)
	}
	return r
}

// putBackNICs restores the NICs that killed processes have left programmed, and that none of ports
// programs now.
func putBackNICs(nic *dcbnl.Recorder, ports []station.Port) {
	nic.PutBack(func(ifname string) bool {
		return slices.ContainsFunc(ports, func(p station.Port) bool { return p.DCBNL && p.Interface == ifname })
	})
}
