// Package web tests the page of the daemon with real daemons. Package control/web tests it in a browser.
package web
