package bed

import (
	"uelink/control"
)

// Credits returns CBFC of the link as `uelink cbfc vc` prints it.
func (d *Daemon) Credits() control.CBFCInterface {
	d.T.Helper()
	c, err := d.Client.CBFCOf(d.T.Context(), "link0")
	Must(d.T, err)
	return c
}

// VC returns a virtual channel of a daemon's link.
func (d *Daemon) VC(index int) control.VirtualChannel {
	d.T.Helper()
	for _, v := range d.Credits().VCs {
		if v.VC == index {
			return v
		}
	}
	d.T.Fatalf("%s has no VC %d with credits", d.Name, index)
	return control.VirtualChannel{}
}
