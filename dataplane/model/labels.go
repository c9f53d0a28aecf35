package model

// Labels say for whom a port is, for programs that make ports. The zero Labels says nothing.
type Labels struct {
	Owner     string `json:"owner"`     // program that has made the port, such as uelink-cni
	Container string `json:"container"` // id of the container, or the name of the machine, at the port
	IfName    string `json:"ifname"`    // interface of the port inside the container
	Network   string `json:"network"`   // network that the program knows the port by
}

// Match reports whether l has each label that want has; an empty label of want is not compared.
func (l Labels) Match(want Labels) bool {
	matches := func(label, want string) bool { return want == "" || label == want }
	return matches(l.Owner, want.Owner) && matches(l.Container, want.Container) && matches(l.IfName, want.IfName) &&
		matches(l.Network, want.Network)
}
