package appearance

// paint writes the pixels that a pass has for the current row of the image. It reports
// whether all of them are opaque.
func (f *pngFile) paint(p *pass, colors, alphas []byte) bool {
	if !p.ready {
		return true
	}
	opaque := true
	n := len(colors) / f.width
	var pixel [4]byte
	for i := range p.width {
		x := p.x + i*p.dx
		alpha := f.pixel(p.row, i, &pixel)
		copy(colors[x*n:x*n+n], pixel[:])
		alphas[x] = alpha
		opaque = opaque && alpha == 0xFF
	}
	return opaque
}

// pixel stores the color of the pixel with index i of a row, and returns its alpha.
func (f *pngFile) pixel(row []byte, i int, color *[4]byte) byte {
	switch f.colorType {
	case pngPalette:
		return f.indexed(sample(row, i, f.bits), color)
	case pngGray:
		v := sample(row, i, f.bits)
		color[0] = byte(v >> 8)
		if f.bits <= 8 {
			color[0] = byte(v * 0xFF / (1<<f.bits - 1))
		}
		return f.keyed(v)
	case pngRGB:
		var v [3]int
		for k := range v {
			v[k] = sample(row, 3*i+k, f.bits)
			color[k] = byte(v[k] >> (f.bits - 8))
		}
		return f.keyed(v[:]...)
	default:
		n := f.channels()
		for k := range n - 1 {
			color[k] = byte(sample(row, n*i+k, f.bits) >> (f.bits - 8))
		}
		return byte(sample(row, n*i+n-1, f.bits) >> (f.bits - 8))
	}
}

// sample returns the sample with index i of a row.
func sample(row []byte, i, bits int) int {
	switch bits {
	case 8:
		return int(row[i])
	case 16:
		return int(row[2*i])<<8 | int(row[2*i+1])
	default:
		at := i * bits
		return int(row[at/8]) >> (8 - bits - at%8) & (1<<bits - 1)
	}
}

// indexed stores a color of the palette, and returns its alpha. Colors that the palette
// lacks are black.
func (f *pngFile) indexed(v int, color *[4]byte) byte {
	*color = [4]byte{}
	if 3*v+3 <= len(f.palette) {
		copy(color[:3], f.palette[3*v:])
	}
	if v < len(f.transparency) {
		return f.transparency[v]
	}
	return 0xFF
}

// keyed returns the alpha of a color: 0 for the one that tRNS names.
func (f *pngFile) keyed(samples ...int) byte {
	if f.transparency == nil {
		return 0xFF
	}
	for k, v := range samples {
		if v != int(f.transparency[2*k])<<8|int(f.transparency[2*k+1]) {
			return 0xFF
		}
	}
	return 0
}
