package tinymodel

import (
	"bytes"
	"encoding/binary"
	"math"
)

// The codes of GGUF version 3 for the types of metadata and tensors. See
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
const (
	ggufVersion = 3
	alignment   = 32

	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9

	tensorFloat32 = 0
)

// file is a file in the format GGUF: metadata and tensors.
type file struct {
	metadata      bytes.Buffer
	metadataCount uint64
	tensors       []tensor
}

// The methods set… add one entry of metadata each.

func (f *file) setUint32(key string, v int) {
	f.set(key, typeUint32)
	number(&f.metadata, uint32(v))
}

func (f *file) setFloat32(key string, v float32) {
	f.set(key, typeFloat32)
	number(&f.metadata, math.Float32bits(v))
}

func (f *file) setBool(key string, v bool) {
	f.set(key, typeBool)
	f.metadata.WriteByte(map[bool]byte{true: 1}[v])
}

func (f *file) setString(key, v string) {
	f.set(key, typeString)
	text(&f.metadata, v)
}

func (f *file) setStrings(key string, all []string) {
	f.setArray(key, typeString, len(all))
	for _, v := range all {
		text(&f.metadata, v)
	}
}

func (f *file) setInt32s(key string, all []int32) {
	f.setArray(key, typeInt32, len(all))
	for _, v := range all {
		number(&f.metadata, uint32(v))
	}
}

func (f *file) setFloat32s(key string, all []float32) {
	f.setArray(key, typeFloat32, len(all))
	for _, v := range all {
		number(&f.metadata, math.Float32bits(v))
	}
}

// set begins an entry of metadata.
func (f *file) set(key string, code uint32) {
	f.metadataCount++
	text(&f.metadata, key)
	number(&f.metadata, code)
}

// setArray begins an entry that is an array.
func (f *file) setArray(key string, code uint32, length int) {
	f.set(key, typeArray)
	number(&f.metadata, code)
	number(&f.metadata, uint64(length))
}

// bytes returns the file.
func (f *file) bytes() []byte {
	var out bytes.Buffer
	out.WriteString("GGUF")
	number(&out, uint32(ggufVersion))
	number(&out, uint64(len(f.tensors)))
	number(&out, f.metadataCount)
	out.Write(f.metadata.Bytes())
	offset := 0
	for _, t := range f.tensors {
		t.describe(&out, offset)
		offset += aligned(4 * len(t.values))
	}
	pad(&out)
	for _, t := range f.tensors {
		for _, v := range t.values {
			number(&out, math.Float32bits(v))
		}
		pad(&out)
	}
	return out.Bytes()
}

// describe writes the header of a tensor, whose values begin at the offset.
func (t tensor) describe(out *bytes.Buffer, offset int) {
	text(out, t.name)
	shape := []int{t.columns, t.rows}
	if t.rows == 0 {
		shape = shape[:1]
	}
	number(out, uint32(len(shape)))
	for _, n := range shape {
		number(out, uint64(n))
	}
	number(out, uint32(tensorFloat32))
	number(out, uint64(offset))
}

// aligned returns the next multiple of the alignment.
func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

// pad writes zeros up to the next multiple of the alignment.
func pad(out *bytes.Buffer) { out.Write(make([]byte, aligned(out.Len())-out.Len())) }

// text writes a string after its length.
func text(out *bytes.Buffer, s string) {
	number(out, uint64(len(s)))
	out.WriteString(s)
}

// number writes an integer, the least significant byte first.
func number[N uint32 | uint64](out *bytes.Buffer, n N) {
	_ = binary.Write(out, binary.LittleEndian, n) // writing to a buffer cannot fail
}
