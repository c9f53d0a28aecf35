package xsk
