// Package xobject writes images as objects of PDF.
package xobject

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/appearance"
)

// Add adds the image XObject of an image, and that of its mask, to a file.
func Add(i appearance.Image, add func(types.Object) types.IndirectRef) types.IndirectRef {
	d := types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Image"),
		"Width": types.Integer(i.Width), "Height": types.Integer(i.Height), "BitsPerComponent": types.Integer(i.Bits),
		"ColorSpace": types.Name(i.ColorSpace), "Filter": types.Name(i.Filter),
	}
	if i.ColorSpace == "Indexed" {
		d["ColorSpace"] = types.Array{types.Name("Indexed"), types.Name("DeviceRGB"), types.Integer(len(i.Palette)/3 - 1), types.NewHexLiteral(i.Palette)}
	}
	if i.Predictor {
		d["DecodeParms"] = types.Dict{
			"Predictor": types.Integer(15), "Colors": types.Integer(i.Components()),
			"BitsPerComponent": types.Integer(i.Bits), "Columns": types.Integer(i.Width),
		}
	}
	if i.Decode != nil {
		decode := types.Array{}
		for _, n := range i.Decode {
			decode = append(decode, types.Float(n))
		}
		d["Decode"] = decode
	}
	if i.Mask != nil {
		d["SMask"] = Add(*i.Mask, add)
	}
	return add(types.StreamDict{Dict: d, Raw: i.Data})
}
