package docxfields

// controlAround returns the control of the kind that shows the text at the offset,
// nil if none does: one that is no field by its tag.
func (p *paragraph) controlAround(offset int, k kind) *control {
	for e := p.elementAt(offset); e != nil; e = e.Parent() {
		if !word(e, "sdt") || child(e, "sdtPr") == nil {
			continue
		}
		c := &control{sdt: e, pr: child(e, "sdtPr")}
		if c.setKind(); c.kind == k {
			return c
		}
	}
	return nil
}
