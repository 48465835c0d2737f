// Package annotationapi is what the annotation service says to the others. It
// has no endpoints yet: the gateway answers for it that it is not there.
package annotationapi

// Service is the name of the annotation service.
const Service = "annotation"
