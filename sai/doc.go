// Package sai has the words of SAI (OCP Switch Abstraction Interface, version 1.18) in the API: types and ids of
// objects, values of attributes, statuses, and which calls a daemon implements. The store of objects is package
// sai/store, and the library in C sai/lib.
package sai
