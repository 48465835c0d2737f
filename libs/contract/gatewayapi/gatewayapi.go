// Package gatewayapi is what gateways say to each other.
package gatewayapi

// KeyChanged is the subject of the notice that an API key was changed: its
// payload is the id of the key. Who hears it drops the key from its cache.
const KeyChanged = "gateway.keys.changed"
