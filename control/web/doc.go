// Package web serves a page for browsers that shows the links of a daemon and what is wrong with them. It changes
// nothing.
//
//	GET /           the page as it is now; without JavaScript it stays so until it is loaded again
//	GET /stream     server-sent events with the parts of the page that have changed (streams.go)
//	GET /style.css, /page.js, /icon.svg
//
// A sampler looks at the ports every 2 s while a page is open, else every 4 s, and makes the page once for all who read
// it: the number of open pages adds no work for the frame path. The rates of the last ten minutes are kept in rings.
//
//	DataPlane, LLDP ──► look (look.go) ──► history (history.go), view (view*.go) ──► board (board.go) ──► streams
//
// Each request is checked first (guard.go): a page of another site must not read this page, also if the name of the
// other site has been made to point here (DNS rebinding).
package web
