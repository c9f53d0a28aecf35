package store

import (
	"uelink/cbfc"
	"uelink/sai"
)

// ofCredits returns the value of SAI attribute id of a credit profile of the configuration.
func ofCredits(p cbfc.Profile, id uint32) sai.Value {
	switch id {
	case creditReserved:
		return number(p.Reserved)
	case creditMode:
		if p.NoShared {
			return sai.Value{}
		}
		return number(thresholdStatic)
	default: // creditStatic
		return number(p.Static)
	}
}

func totalCredits(v *view, o *object) sai.Value { return number(v.settings(o.name).CBFC.Total) }

// creditSize returns a function that reads the octets of a credit of a port: attribute id as SAI has set it, or else
// the size in force.
func creditSize(id uint32) func(*view, *object) sai.Value {
	return func(v *view, o *object) sai.Value {
		if value, set := o.values[id]; set {
			return value
		}
		return number(credits(v, o).Size.Credit)
	}
}

// overhead returns a function that reads a port's packet overhead: attribute id as SAI has set it, or else the overhead
// in force.
func overhead(id uint32) func(*view, *object) sai.Value {
	return func(v *view, o *object) sai.Value {
		if value, set := o.values[id]; set {
			return value
		}
		return number(credits(v, o).Size.Overhead)
	}
}

// credits returns the CBFC settings in force of port object o, with defaults where the port has no CBFC.
func credits(v *view, o *object) *cbfc.Settings {
	c := v.settings(o.name).CBFC
	fillCredits(&c)
	return &c
}

// creditSizes returns the allowed sizes of a credit in octets, the smallest first.
func creditSizes() (list []int64) {
	for n := int64(cbfc.MinCreditSize); n <= cbfc.MaxCreditSize; n *= 2 {
		list = append(list, n)
	}
	return list
}

// senderLimit returns the limit that SAI has set, or else the partner's if the configuration has none.
func senderLimit(v *view, o *object) sai.Value {
	if value, set := o.values[portSenderLimit]; set {
		return value
	}
	if c := v.state(o.name).CBFC; c != nil && v.settings(o.name).CBFC.Pool == 0 {
		return number(c.Pool.Size)
	}
	return sai.Value{}
}

func ccTimer(v *view, o *object) sai.Value { return number(credits(v, o).CCTimer.Microseconds()) }

func cfMinSpacing(v *view, o *object) sai.Value { return number(credits(v, o).CFMinSpacing) }

func cfMaxSpacing(v *view, o *object) sai.Value { return number(credits(v, o).CFMaxSpacing) }

// nativeLimit reads how many credits this end grants for a virtual channel.
func nativeLimit(v *view, o *object) sai.Value {
	return number(v.settings(o.port).CBFC.Limit[index(o)])
}

func receiverEnabled(v *view, o *object) sai.Value { return truth(nativeLimit(v, o).Number > 0) }

// senderEnabled reads whether a virtual channel shall be lossless for sent frames: as a command or a negotiation wants
// it while CBFC runs, else by the settings in force.
func senderEnabled(v *view, o *object) sai.Value {
	for _, s := range vcStates(v.state(o.port)) {
		if s.VC == int(index(o)) {
			return truth(s.Wanted)
		}
	}
	return truth(v.settings(o.port).CBFC.Lossless>>index(o)&1 != 0)
}

// sizeOfPool returns the size of credit pool o in credits: the value that SAI has set, or else the total that the
// partner grants; 0 if neither is known.
func sizeOfPool(v *view, o *object) sai.Value {
	if value, set := o.values[poolSize]; set {
		return value
	}
	if c := v.state(o.port).CBFC; c != nil {
		return number(c.Pool.Size)
	}
	return sai.Value{}
}

// sharedSize returns the size of credit pool o in credits, without the parts reserved for the pool's enabled
// channels.
func sharedSize(v *view, o *object) sai.Value {
	shared := sizeOfPool(v, o).Number
	for _, c := range v.store.objects {
		if c.oid.Type() != sai.TypeVC || senderEnabled(v, c).Number == 0 {
			continue
		}
		if p := v.store.creditsOf(c); p != nil && p.values[creditPool].OID == o.oid {
			shared -= v.store.valueOf(p, creditReserved).Number
		}
	}
	return sai.Value{Number: max(0, shared)}
}
