// Package packages tests the Debian package: its scripts, and its life in a Debian root.
package packages
