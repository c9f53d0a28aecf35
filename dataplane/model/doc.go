// Package model defines the settings, the state, the counters and the events of ports, as the frame path uses them and
// as configuration and API name them. It moves no frames.
package model
