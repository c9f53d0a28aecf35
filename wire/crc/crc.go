// Package crc is the CRC-32 of an Ethernet FCS (IEEE 802.3 clause 3.2.9), fast for
// the lengths that frames have: hash/crc32 spends most of a short frame's time on
// the octets that do not fill a block of 16, and takes wide registers only from
// 1024 octets on.
package crc
