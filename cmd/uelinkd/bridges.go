package main

import (
	"uelink/dataplane"
)

// withoutBridges is a data plane of xconnects as the API's backend: it has no
// bridge.
type withoutBridges struct{ *dataplane.Dataplane }

// Bridges are none.
func (withoutBridges) Bridges() ([]dataplane.BridgeState, error) { return nil, nil }

// FDB is empty.
func (withoutBridges) FDB(string) ([]dataplane.FDBEntry, error) { return nil, nil }

// AddFDB refuses the entry: there is no bridge to have it.
func (withoutBridges) AddFDB(string, dataplane.FDBEntry) error { return dataplane.ErrNoBridge }

// DeleteFDB refuses as AddFDB does.
func (withoutBridges) DeleteFDB(string, dataplane.FDBEntry) error { return dataplane.ErrNoBridge }

// FlushFDB finds nothing to forget.
func (withoutBridges) FlushFDB(string, string, int) (int, error) { return 0, nil }
