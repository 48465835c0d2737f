// Package gatewayapi defines the messages between gateways, and the facts that other
// parts know about gateways.
package gatewayapi

// KeyChanged is the subject of the message that an API key has changed. Its payload is
// the id of the key. Gateways that receive it drop the key from their cache.
const KeyChanged = "gateway.keys.changed"

// LocalAuthority is the common name of every certificate authority that Recto creates
// for itself. A gateway recognizes by it that browsers do not permanently trust the
// certificate it serves.
const LocalAuthority = "Recto local authority"
