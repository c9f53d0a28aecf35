package ethtool

// state is the kernel's state of all features, in words of 32 bits (struct ethtool_get_features_block).
type state []struct{ Available, Requested, Active, NeverChanged uint32 }

func (s state) available(i int) bool { return s[i/32].Available>>(i%32)&1 != 0 }
func (s state) requested(i int) bool { return s[i/32].Requested>>(i%32)&1 != 0 }
func (s state) active(i int) bool    { return s[i/32].Active>>(i%32)&1 != 0 }

// selection is a set of features by bit number.
type selection []uint32

func newSelection(words int) selection { return make(selection, words) }

func (s selection) add(i int) { s[i/32] |= 1 << (i % 32) }

func (s selection) has(i int) bool { return s[i/32]>>(i%32)&1 != 0 }
