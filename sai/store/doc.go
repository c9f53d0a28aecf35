// Package store is the daemon's side of SAI (OCP Switch Abstraction Interface, version 1.18): a store of objects with
// attributes, and the effect of each attribute on the running data plane.
//
// One table (table*.go) has type, flags, default, range, implemented calls and effect of every attribute. The checks
// of a call (check.go), the capabilities, the conversions of the C library and docs/SAI.md come from the table. The
// objects act through the settings of the data plane and through the methods of the rest of the API, so there is one
// truth: a Store keeps the settings of the configuration file, and overrides them with SAI's.
//
// Objects made by SAI live longer than their client: through reloads that do not name them, and through an upgrade
// (save.go), but not through a restart of the daemon.
package store
