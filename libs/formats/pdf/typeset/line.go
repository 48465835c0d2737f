package typeset

import "slices"

// setParagraph sets a paragraph into lines.
func (f *Fonts) setParagraph(text string, o Options) ([]Line, error) {
	p := newParagraph(text)
	items, err := f.items(p, o.Style)
	if err != nil {
		return nil, err
	}
	clusters, err := p.shape(items, o.Size)
	if err != nil {
		return nil, err
	}
	var lines []Line
	for _, part := range p.wrap(clusters, o.Width) {
		lines = append(lines, f.line(p, part, o))
	}
	return lines, nil
}

// wrap divides clusters into lines that are at most width wide, at the last opportunity. A
// word that is too wide is broken anywhere. There is at least one line.
func (p *paragraph) wrap(clusters []cluster, width float64) [][]cluster {
	if width <= 0 {
		return [][]cluster{p.trim(clusters)}
	}
	const tolerance = 1e-6 // of sums
	var lines [][]cluster
	start, opportunity := 0, 0
	used := 0.0
	for i := 0; i < len(clusters); i++ {
		c := &clusters[i]
		if i > start && p.breaks[c.start] {
			opportunity = i
		}
		used += c.advance
		if used <= width+tolerance || i == start || p.space(c) {
			continue
		}
		end := i
		if opportunity > start {
			end = opportunity
		}
		lines = append(lines, p.trim(clusters[start:end]))
		start, i, used = end, end-1, 0
	}
	return append(lines, p.trim(clusters[start:]))
}

// trim removes white space at the end, which hangs over the line.
func (p *paragraph) trim(clusters []cluster) []cluster {
	for len(clusters) > 0 && p.space(&clusters[len(clusters)-1]) {
		clusters = clusters[:len(clusters)-1]
	}
	return clusters
}

// line puts clusters into visual order and measures them.
func (f *Fonts) line(p *paragraph, clusters []cluster, o Options) Line {
	var parts [][]cluster // that have one item
	for i := range clusters {
		n := len(parts)
		if n > 0 && parts[n-1][0].item == clusters[i].item {
			parts[n-1] = append(parts[n-1], clusters[i])
			continue
		}
		parts = append(parts, clusters[i:i+1:i+1])
	}
	reorder(parts, func(part []cluster) uint8 { return part[0].item.level })
	l := Line{RightToLeft: p.rtl}
	for _, part := range parts {
		l.show(part, o.Size)
	}
	if len(clusters) == 0 {
		if font := f.primary(o.Style); font != nil {
			l.extend(font, o.Size)
		}
	}
	return l
}

// show appends a part of a line.
func (l *Line) show(part []cluster, size float64) {
	it := part[0].item
	if it.level%2 == 1 {
		part = slices.Clone(part)
		slices.Reverse(part)
	}
	n := len(l.Runs)
	if n == 0 || l.Runs[n-1].Font != it.font {
		l.Runs = append(l.Runs, Run{Font: it.font, Size: size})
		l.extend(it.font, size)
		n++
	}
	run := &l.Runs[n-1]
	for _, c := range part {
		run.Glyphs = append(run.Glyphs, c.glyphs...)
		l.Width += c.advance
	}
}

// extend makes the line high enough for a font.
func (l *Line) extend(f *Font, size float64) {
	m := f.metrics
	l.Ascent = max(l.Ascent, f.points(m.Ascent, size))
	l.Descent = max(l.Descent, f.points(-m.Descent, size))
	l.Height = max(l.Height, f.points(m.Ascent-m.Descent+max(m.LineGap, 0), size))
	l.Height = max(l.Height, l.Ascent+l.Descent)
}
