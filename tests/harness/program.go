package harness

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// program is a program that runs on this machine.
type program struct {
	// log is what it has written so far, to both streams.
	log     SafeBuffer
	cmd     *exec.Cmd
	done    chan struct{}
	waitErr error
}

// run starts a program with further environment variables.
func run(env []string, binary string, args ...string) (*program, error) {
	p := &program{cmd: exec.Command(binary, args...), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.waitErr = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// stop sends SIGTERM and returns how the program ends. One that has ended is
// stopped already.
func (p *program) stop() error {
	select {
	case <-p.done:
		return nil
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.wait()
}

// wait returns how the program ends.
func (p *program) wait() error {
	select {
	case <-p.done:
		return p.waitErr
	case <-time.After(startTimeout()):
		return errors.Join(errors.New("it does not end"), p.kill())
	}
}

// kill ends the program as a power cut would.
func (p *program) kill() error {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.done
	return nil
}

// SafeBuffer is a buffer that one goroutine writes and others read.
type SafeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (s *SafeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// Bytes returns a copy of what was written.
func (s *SafeBuffer) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.b.Bytes())
}

func (s *SafeBuffer) String() string { return string(s.Bytes()) }

var _ io.Writer = (*SafeBuffer)(nil)
