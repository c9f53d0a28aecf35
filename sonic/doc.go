// Package sonic joins a running daemon to the databases of SONiC: it does what SONiC's llrmgrd and llrorch do with the
// LLR tables of CONFIG_DB, and makes the rows that SONiC's commands read.
//
// A Machine gets the rows of CONFIG_DB and STATE_DB and the state of the daemon (Pass, Attach), and returns calls for
// the daemon (Next), changes of network interfaces (Hosts), rows for Redis (Rows) and messages for the operator
// (Problems). It has no socket, clock, log or goroutine; package session has those.
//
//	CONFIG_DB, STATE_DB ────► Pass ┐            ┌ Next, Done ──────► calls of SAI
//	state of daemon ────────► Pass ┤  Machine   ├ Hosts, HostDone ─► MTU and state of interfaces
//	LLR of daemon ────────► Attach ┤            ├ Rows ────────────► APPL_DB, STATE_DB, COUNTERS_DB, FLEX_COUNTER_DB
//	statistics ────────────► Count ┘            └ Problems ────────► the log
package sonic
