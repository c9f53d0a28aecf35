package config_test

import (
	"fmt"

	"uelink/config"
)

// A configuration that is right, and what is said of one that is not.
func ExampleParse() {
	c, err := config.Parse("uelink.yaml", []byte(`
ports:
  - {name: link0, interface: eth1, role: link, llr: {mode: static, local: true, remote: true}}
  - {name: edge0, interface: veth1, role: edge}
xconnects: [{edge: edge0, link: link0}]
`))
	fmt.Println(err)
	for _, p := range c.Settings.Ports {
		fmt.Println(p.Name, p.Interface, p.Role, p.RingSize)
	}

	_, err = config.Parse("uelink.yaml", []byte("ports:\n  - {name: link0, interface: eth1, rol: link}\n"))
	fmt.Println(err)
	// Output:
	// <nil>
	// link0 eth1 link 1024
	// edge0 veth1 edge 1024
	// uelink.yaml:2:5: ports[0].role: this key is required
	// uelink.yaml:2:36: ports[0].rol: unknown key: did you mean role?
}
