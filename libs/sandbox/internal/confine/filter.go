package confine

import (
	"fmt"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data. Each argument has 64 bits. Both architectures are
// little-endian: the low half comes first.
const (
	offsetNumber    = 0
	offsetArch      = 4
	offsetArguments = 16
)

// check is a condition on one argument of a call.
type check struct {
	argument uint32
	// mask selects the bits that are compared.
	mask uint64
	// values are the allowed values. A mask that includes high bits permits only one.
	values []uint64
}

// lowHalf is the mask for an argument that the kernel reads as 32 bits. The kernel
// ignores the high half, where programs leave garbage.
const lowHalf = 1<<32 - 1

// oneOf checks an argument of type int or unsigned int.
func oneOf[T ~int | ~uint32](argument uint32, values ...T) check {
	c := check{argument: argument, mask: lowHalf}
	for _, v := range values {
		c.values = append(c.values, uint64(v)&lowHalf)
	}
	return c
}

// exactly checks all 64 bits of an argument.
func exactly(argument uint32, value uint64) check {
	return check{argument: argument, mask: ^uint64(0), values: []uint64{value}}
}

// call is a system call that is allowed if every check passes.
type call struct {
	number uint32
	checks []check
}

// assemble returns the filter that allows the calls. The filter returns refusal for every
// other call. A call of another architecture kills the process, because its number means a
// different call. x32 calls have their own numbers, which are not listed.
//
// The filter compares the calls one after the other. Since Linux 5.11, the kernel caches
// which calls pass with any arguments, and skips the filter for them.
func assemble(refusal uint32, calls []call) ([]unix.SockFilter, error) {
	refuse := bpf.RetConstant{Val: refusal}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
		// The flags of clone3 are in memory, where a filter cannot see them. ENOSYS makes
		// the C library and the Go runtime fall back to clone.
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE3, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
	}
	for _, c := range calls {
		var body []bpf.Instruction
		for _, check := range c.checks {
			body = append(body, check.assemble(refuse)...)
		}
		body = append(body, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
		if len(body) > maxSkip {
			return nil, fmt.Errorf("call %d has too many checks", c.number)
		}
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: c.number, SkipTrue: uint8(len(body))})
		program = append(program, body...)
	}
	raw, err := bpf.Assemble(append(program, refuse))
	if err != nil {
		return nil, err
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return filter, nil
}

// maxSkip is the longest conditional jump, in instructions.
const maxSkip = 255

// assemble returns instructions that refuse the call if the check fails, and otherwise
// continue with the next instruction.
func (c check) assemble(refuse bpf.Instruction) []bpf.Instruction {
	low := offsetArguments + 8*c.argument
	var program []bpf.Instruction
	if mask := uint32(c.mask >> 32); mask != 0 {
		program = append(program, compare(low+4, mask, uint32(c.values[0]>>32))...)
		program = append(program, refuse)
	}
	values := make([]uint32, len(c.values))
	for i, v := range c.values {
		values[i] = uint32(v)
	}
	program = append(program, compare(low, uint32(c.mask), values...)...)
	return append(program, refuse)
}

// compare returns instructions that load the word at offset, and skip the instruction that
// follows them if the masked bits equal one of the values.
func compare(offset, mask uint32, values ...uint32) []bpf.Instruction {
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offset, Size: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: mask},
	}
	for i, v := range values {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(len(values) - i)})
	}
	return program
}

// Install installs the filter for this thread and every program it executes. It returns
// the kernel's result, which is a file descriptor with SECCOMP_FILTER_FLAG_NEW_LISTENER.
func Install(filter []unix.SockFilter, flags uintptr) (int, error) {
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	answer, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return -1, fmt.Errorf("install the filter: %w", errno)
	}
	return int(answer), nil
}
