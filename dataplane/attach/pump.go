package attach

// MostAsked is the most frames that an edge that pushes back gets from its host at once: by one Ask of a netif.Pump.
const MostAsked = 128
