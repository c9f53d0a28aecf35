package bed

import (
	"uelink/control/api"
)

// Credits returns the CBFC state of link0, as `uelink cbfc vc` prints it.
func (d *Daemon) Credits() api.CBFCInterface {
	d.T.Helper()
	c, err := d.Client.CBFCOf(d.T.Context(), "link0")
	Must(d.T, err)
	return c
}

// VC returns the credit state of a virtual channel of link0, by its number. It ends the test if the channel has no
// credits.
func (d *Daemon) VC(index int) api.VirtualChannel {
	d.T.Helper()
	for _, v := range d.Credits().VCs {
		if v.VC == index {
			return v
		}
	}
	d.T.Fatalf("%s has no VC %d with credits", d.Name, index)
	return api.VirtualChannel{}
}
