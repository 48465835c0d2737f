// Package gatewayapi is what gateways say to each other, and what others know of
// them.
package gatewayapi

// KeyChanged is the subject of the notice that an API key was changed: its
// payload is the id of the key. Who hears it drops the key from its cache.
const KeyChanged = "gateway.keys.changed"

// LocalAuthority is the common name of every certificate authority that Recto
// makes for itself. A gateway that serves a certificate of one knows by it that
// browsers do not trust the certificate for good.
const LocalAuthority = "Recto local authority"
