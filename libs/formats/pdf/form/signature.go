package form

import (
	"regexp"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Bounds of what is read of a signature.
const (
	maxTransforms = 64
	maxLocked     = 10_000
	// maxSignatures bounds the signatures of a file. A file with more permits nothing, because
	// the rest is not read.
	maxSignatures = 1000
)

// signature is what a signed signature field says about changes of the file.
type signature struct {
	// permission is what a certification permits: 1 permits no changes, 2 and 3 permit filling.
	// 0 means that the signature certifies nothing.
	permission int
	locks      []lock
}

// lock says which fields must not change.
type lock struct {
	// action is All, Include or Exclude.
	action string
	fields map[string]bool
}

func (m *form) signed() bool { return len(m.signatures) > 0 }

// isSigned reports whether a signature field has a signature.
func (m *form) isSigned(w *widget) bool {
	_, ok := m.signatureOf(w.inherited("V"))
	return ok
}

// signatureOf returns the dictionary of a signature.
func (m *form) signatureOf(o types.Object) (node, bool) {
	v, ok := m.dict(o, 0)
	return v, ok && (v.Dict["Contents"] != nil || v.Dict["ByteRange"] != nil)
}

// readSignatures reads the signatures of widgets whose fields the form lacks, and the
// certification of the file. Those of the form's fields have been read before.
func (m *form) readSignatures() {
	for _, w := range m.widgets {
		if w.kind == kindSignature && !m.attached(w) {
			m.addSignature(w.inherited("V"), w.inherited("Lock"))
		}
	}
	if perms, ok := m.dict(m.root["Perms"], 0); ok {
		m.addSignature(perms.Dict["DocMDP"], nil)
	}
}

// addSignature records a signature and the lock of its field, if there is one.
func (m *form) addSignature(o, locked types.Object) {
	v, ok := m.signatureOf(o)
	if !ok {
		return
	}
	if len(m.signatures) >= maxSignatures {
		m.signatures[0].permission = 1
		return
	}
	s := signature{}
	list, owner := m.array(v.Dict["Reference"], v.owner)
	for _, o := range list[:min(len(list), maxTransforms)] {
		if r, ok := m.dict(o, owner); ok {
			m.addTransform(&s, r)
		}
	}
	if n, ok := m.dict(locked, 0); ok {
		s.locks = append(s.locks, m.lock(n))
		s.restrict(m.integer(n.Dict["P"]))
	}
	m.signatures = append(m.signatures, s)
}

// addTransform reads one of the methods by which a signature detects changes.
func (m *form) addTransform(s *signature, r node) {
	parameters, _ := m.sub(r, "TransformParams")
	switch m.file.name(r.Dict["TransformMethod"]) {
	case "DocMDP":
		s.restrict(2) // the default
		s.restrict(m.integer(parameters.Dict["P"]))
	case "FieldMDP":
		s.locks = append(s.locks, m.lock(parameters))
	}
}

// restrict lowers the permission. 0 and unknown permissions change nothing.
func (s *signature) restrict(permission int) {
	if permission >= 1 && permission <= 3 && (s.permission == 0 || permission < s.permission) {
		s.permission = permission
	}
}

func (m *form) lock(n node) lock {
	l := lock{action: m.file.name(n.Dict["Action"]), fields: map[string]bool{}}
	list, _ := m.array(n.Dict["Fields"], n.owner)
	if len(list) > maxLocked {
		return lock{action: "All"}
	}
	for _, o := range list {
		if o, _ = m.resolve(o, 0); len(octets(o, maxName+1)) > maxName {
			return lock{action: "All"} // names of fields are cut, too
		}
		l.fields[m.text(o, maxName)] = true
	}
	return l
}

// covers reports whether a lock covers a field, which it does if it names the field or an
// ancestor.
func (l lock) covers(name string) bool {
	switch l.action {
	case "All":
		return true
	case "Include":
		return l.names(name)
	case "Exclude":
		return !l.names(name)
	}
	return false
}

// names reports whether a lock names a field or an ancestor.
func (l lock) names(field string) bool {
	for i, c := range field {
		if c == '.' && l.fields[field[:i]] {
			return true
		}
	}
	return l.fields[field]
}

// allow returns a Refusal if the signatures of the file do not permit what the order does.
func (m *form) allow(widgets []*widget, stamps bool) error {
	if m.sections == nil && (m.signed() || mentionsSignature(m.raw)) {
		return SignedDamaged // only an appended update keeps a signature valid
	}
	if m.unread && mentionsSignature(m.raw) {
		return Certified
	}
	for _, s := range m.signatures {
		if s.permission == 1 {
			return Certified
		}
	}
	if m.signed() && stamps {
		return SignedPage
	}
	for _, w := range widgets {
		if w.kind == kindSignature && m.isSigned(w) {
			return Locked
		}
		for _, s := range m.signatures {
			// Without a budget for texts, neither locks nor fields have names.
			if slices.ContainsFunc(s.locks, func(l lock) bool { return m.budget < 0 || l.covers(w.name) }) {
				return Locked
			}
		}
	}
	return nil
}

var (
	byteRange   = regexp.MustCompile(`/ByteRange\s*\[`)
	usageRights = regexp.MustCompile(`/TransformMethod\s*/UR3?\b`)
)

// mentionsSignature reports whether a file that cannot be read properly has a signature,
// other than one of usage rights. The dictionary of a signature is never compressed or
// encrypted as a whole, because it says which bytes of the file are signed.
func mentionsSignature(file []byte) bool {
	return len(byteRange.FindAllIndex(file, -1)) > len(usageRights.FindAllIndex(file, -1))
}

// dropUsageRights removes the signature by which Adobe Reader grants additional rights, since
// any change invalidates it, and Reader then warns about the file.
func (m *form) dropUsageRights() {
	perms, ok := m.dict(m.root["Perms"], int(m.ctx.Root.ObjectNumber))
	if !ok || perms.Dict["UR3"] == nil && perms.Dict["UR"] == nil {
		return
	}
	delete(perms.Dict, "UR3")
	delete(perms.Dict, "UR")
	if len(perms.Dict) == 0 {
		delete(m.root, "Perms")
		perms.owner = int(m.ctx.Root.ObjectNumber)
	}
	m.change(perms)
}
