package docxfields

// controlAround returns the control of the kind that shows the text at the offset,
// nil if none does: one that is no field by its tag.
func (p *paragraph) controlAround(offset int, k kind) *sdtControl {
	for e := p.elementAt(offset); e != nil; e = e.Parent() {
		if c, ok := newSDT(e, nil); ok && c.kind == k {
			return &c
		}
	}
	return nil
}
