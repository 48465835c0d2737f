// Package rules is what Recto knows of contracts: rules that find in the structure
// of a document what it is called, what it is, when it holds, and what it is
// worth. Each answers with the text it rests on. They know no file and ask nobody.
package rules

import "github.com/rectohq/recto/services/insight/internal/rules/finding"

// Version names what the rules find: it changes when the same document would be
// answered otherwise, so that what is kept of earlier ones is not used.
const Version = "3"

// Found is an item, and the text that it rests on.
type Found[T any] = finding.Found[T]
