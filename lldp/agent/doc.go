// Package agent defines the state, the counters and the events of LLDP agents, as package station reports them and the
// API names them. A caller may keep a snapshot: the values behind its pointers never change.
package agent
