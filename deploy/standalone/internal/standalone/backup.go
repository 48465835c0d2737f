package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rectohq/recto/deploy/standalone/internal/backup"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/runner"
)

// backupCommand returns the command that makes a backup.
func backupCommand(f *Flags) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Write everything in the data folder to a file, whether or not Recto runs", Args: cobra.ExactArgs(1), GroupID: administer,
		Long: "Writes everything in the data folder to FILE, or to standard output if FILE is -. Recto may run meanwhile: the\n" +
			"backup shows one moment, at which requests that write wait for less than a second. Everything that Recto had\n" +
			"acknowledged before is in it.\n\n" +
			"FILE appears when it is complete and checked. It contains the secrets and keys of Recto: keep it like a password.",
		Example:           "backup /backups/recto-$(date +%F).tar.zst --data /srv/recto\nbackup - --data /srv/recto | age -r KEY > /backups/recto.tar.zst.age",
		ValidArgsFunction: fileArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := datadir.Find(f.Data)
			if err != nil {
				return err
			}
			return writeBackup(cmd.Context(), dir, args[0], force, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE if it exists")
	return cmd
}

// fileArgument completes the names of files.
func fileArgument(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// writeBackup makes a backup of a data folder, and says on problems what is in it.
func writeBackup(ctx context.Context, dir datadir.Dir, path string, force bool, stdout, problems io.Writer) error {
	begin := time.Now()
	if path == "-" {
		h, err := receive(ctx, dir, stdout, "", problems)
		if err == nil {
			summarize(problems, "The backup is complete", h, withWaiting(time.Since(begin), h))
		}
		return err
	}
	out, err := createBackup(dir, path, force)
	if err != nil {
		return err
	}
	h, err := receive(ctx, dir, out.file, filepath.Dir(out.path), problems)
	if err != nil {
		return errors.Join(fmt.Errorf("no backup was written: %w", err), out.abandon())
	}
	size, err := out.publish(force)
	if err != nil {
		return err
	}
	summarize(problems, "The backup is "+out.path, h, withWaiting(time.Since(begin), h))
	fmt.Fprintf(problems, "  size        %s\n", readable(size))
	return nil
}

// output is the file of a backup until it is complete.
type output struct {
	path string // of the backup, absolute
	file *os.File
}

// createBackup creates the file next to path that becomes the backup.
func createBackup(dir datadir.Dir, path string, force bool) (output, error) {
	o := output{}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return o, err
	}
	if name, err := filepath.Rel(dir.Path(), absolute); err == nil && filepath.IsLocal(name) {
		return o, runner.Usage(fmt.Errorf("%s is in the data folder: name a file elsewhere, best on another disk", absolute))
	}
	switch info, err := os.Stat(absolute); {
	case err == nil && info.IsDir():
		return o, runner.Usage(fmt.Errorf("%s is a folder: name a file in it", absolute))
	case err == nil && !info.Mode().IsRegular():
		return o, runner.Usage(fmt.Errorf("%s is not a file: name a file, or - for standard output", absolute))
	case err == nil && !force:
		return o, runner.Usage(fmt.Errorf("%s exists: name another file, or replace it with --force", absolute))
	}
	if _, err := os.Stat(filepath.Dir(absolute)); errors.Is(err, fs.ErrNotExist) {
		return o, runner.Usage(fmt.Errorf("the folder %s does not exist: create it, or name a file in another folder", filepath.Dir(absolute)))
	}
	o.path = absolute
	if err := os.Remove(o.partial()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return o, err
	}
	o.file, err = os.OpenFile(o.partial(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	return o, err
}

func (o output) partial() string { return o.path + ".partial" }

// abandon removes the incomplete file.
func (o output) abandon() error { return errors.Join(o.file.Close(), os.Remove(o.partial())) }

// publish gives the complete file its name, once it is on disk, and returns its size.
func (o output) publish(force bool) (int64, error) {
	info, err := o.file.Stat()
	if err = errors.Join(err, o.file.Sync()); err != nil {
		return 0, errors.Join(err, o.abandon())
	}
	if force {
		err = os.Rename(o.partial(), o.path)
	} else if err = os.Link(o.partial(), o.path); !errors.Is(err, fs.ErrExist) {
		// A link replaces no file that has been created meanwhile. Some disks have none.
		err = os.Rename(o.partial(), o.path)
	}
	if err != nil {
		return 0, errors.Join(err, o.abandon())
	}
	_ = os.Remove(o.partial()) // it is the same file, if it still exists
	folder, err := os.Open(filepath.Dir(o.path))
	if err == nil {
		err = errors.Join(folder.Sync(), folder.Close())
	}
	return info.Size(), errors.Join(err, o.file.Close())
}

// receive writes the archive to w, and checks it on the way. folder is where w is, if it is
// a file.
func receive(ctx context.Context, dir datadir.Dir, w io.Writer, folder string, problems io.Writer) (backup.Header, error) {
	archive, err := requestBackup(ctx, dir)
	if errors.Is(err, errNotRunning) {
		archive, err = ownBackup(ctx, dir)
	}
	if err != nil {
		return backup.Header{}, err
	}
	defer archive.Close()
	first := true
	shown := meter{w: problems}
	h, err := backup.Check(io.TeeReader(archive, w), func(h backup.Header, done backup.Progress) {
		if free, err := backup.Free(folder); first && folder != "" && err == nil && free < h.Bytes {
			fmt.Fprintf(problems, "WARNING: the backup may not fit: %s has %s free, and the files have %s before compression.\n", folder, readable(free), readable(h.Bytes))
		}
		first = false
		shown.show(h, done)
	})
	return h, err
}

// ownBackup makes a backup in this process, of a folder on which no Recto runs.
func ownBackup(ctx context.Context, dir datadir.Dir) (io.ReadCloser, error) {
	if err := dir.Lock(); err != nil {
		return nil, fmt.Errorf("%w. If it is starting or stopping, try again in a moment", err)
	}
	server, err := natsserver.Start(natsserver.Config{Dir: dir.NATS(), MaxMemory: memoryReserve, MaxStore: maxStore, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	b, err := backup.Take(ctx, backup.Source{Dir: dir, NATS: server})
	server.Stop()
	if err != nil {
		return nil, err
	}
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.CloseWithError(errors.Join(b.Write(ctx, w), b.Close()))
	}()
	return &own{r, done}, nil
}

// own is an archive that this process makes.
type own struct {
	*io.PipeReader
	done chan struct{}
}

// Close ends the making of the archive, and waits until its files are removed.
func (o *own) Close() error {
	err := o.PipeReader.Close()
	<-o.done
	return err
}

// restoreCommand returns the command that restores a backup.
func restoreCommand(f *Flags) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Create a data folder from a backup, or check a backup", Args: cobra.ExactArgs(1), GroupID: administer,
		Long: "Creates the data folder from a backup. It reads all of FILE first, and changes nothing if FILE is damaged. The data\n" +
			"folder must not exist, or be empty. API keys, certificates and sign-ins stay valid.",
		Example:           "restore /backups/recto-2026-11-25.tar.zst --data /srv/recto\nrestore --check /backups/recto-2026-11-25.tar.zst",
		ValidArgsFunction: fileArgument,
		RunE: func(cmd *cobra.Command, args []string) error {
			return restore(cmd.Context(), f.Data, args[0], check, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "only check that FILE is complete and undamaged")
	return cmd
}

// restore restores a backup, or only checks it.
func restore(ctx context.Context, data, path string, check bool, problems io.Writer) error {
	defer datadir.CreatePrivately()()
	begin := time.Now()
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, runner.Usage(fmt.Errorf("%s is not a file: a restore reads its backup twice, so write it to a file first", path)))
	}
	shown := meter{w: problems}
	if check {
		h, err := backup.Check(file, shown.show)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		summarize(problems, path+" is complete and undamaged", h, rounded(time.Since(begin)))
		return nil
	}
	h, err := backup.Restore(ctx, file, data, shown.show)
	if err != nil {
		return fmt.Errorf("nothing was restored from %s: %w", path, err)
	}
	summarize(problems, "Restored "+data+" from "+path, h, rounded(time.Since(begin)))
	fmt.Fprintf(problems, "\nStart Recto with:  recto up --data %s\n", quote(data))
	return nil
}

// summarize says what is in a backup, and how long the command took.
func summarize(w io.Writer, what string, h backup.Header, took string) {
	fmt.Fprintf(w, "%s.\n\n", strings.TrimSuffix(what, "."))
	fmt.Fprintf(w, "  state of    %s UTC, Recto %s\n", h.CreatedAt.UTC().Format(time.DateTime), h.Version)
	fmt.Fprintf(w, "  content     %d databases, %d objects, %s; secrets and keys\n", h.Databases, h.Objects, readable(h.Bytes))
	fmt.Fprintf(w, "  time        %s\n", took)
}

// rounded returns a duration as people read it.
func rounded(d time.Duration) string { return d.Round(time.Millisecond).String() }

// withWaiting returns the duration of making a backup, and how long it kept writers waiting.
func withWaiting(took time.Duration, h backup.Header) string {
	return fmt.Sprintf("%s (writers waited %d ms)", rounded(took), h.HeldMS)
}

// readable returns a number of bytes as people read it.
func readable(n int64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// meterEvery is how often a meter writes a line.
const meterEvery = 5 * time.Second

// meter shows how much of a backup has been read.
type meter struct {
	w    io.Writer
	last time.Time
}

// show writes a line if the last one is some time ago.
func (m *meter) show(h backup.Header, done backup.Progress) {
	now := time.Now()
	if m.last.IsZero() {
		m.last = now
	}
	if now.Sub(m.last) < meterEvery {
		return
	}
	m.last = now
	fmt.Fprintf(m.w, "  %s of %s, %d of %d objects\n", readable(done.Bytes), readable(h.Bytes), done.Objects, h.Objects)
}
