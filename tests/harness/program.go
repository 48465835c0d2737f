package harness

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/rectohq/recto/libs/testkit/syncbuffer"
)

// program is a program that runs on this machine.
type program struct {
	// log holds its standard output and standard error so far.
	log     syncbuffer.Buffer
	cmd     *exec.Cmd
	done    chan struct{}
	waitErr error
}

// run starts a program with env in addition to the environment of the test.
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

// stop sends SIGTERM and returns an error unless the program exits with status 0. If
// the program has already ended, stop does nothing.
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

// wait waits until the program ends, and returns an error unless it exits with status 0.
func (p *program) wait() error {
	select {
	case <-p.done:
		return p.waitErr
	case <-time.After(startTimeout()):
		return errors.Join(errors.New("the program does not end"), p.kill())
	}
}

// kill kills the program without warning, as a power cut would.
func (p *program) kill() error {
	_ = p.cmd.Process.Kill() // it may already have ended
	<-p.done
	return nil
}
