// Package sai tests libsai: programs in C that call SAI, linked with the library, against real daemons.
package sai
