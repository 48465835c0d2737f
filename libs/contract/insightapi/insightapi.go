// Package insightapi is what the insight service says to the others. It has no
// endpoints yet: the gateway answers for it that it is not there.
package insightapi

// Service is the name of the insight service.
const Service = "insight"
