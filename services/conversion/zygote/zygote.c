/*
 * recto-zygote converts documents to PDF in copies of one warm LibreOffice.
 *
 * It loads LibreOffice once through LibreOfficeKit, converts sample documents so that
 * filters, fonts and caches are in memory, and then forks a copy of itself for each
 * document. A copy converts one document and exits: it answers as fast as a warm
 * LibreOffice, and leaves as little behind as a new process. The copy for the next
 * document is forked beforehand.
 *
 * The supervisor (package zygote of the conversion service) starts this program in the
 * sandbox and talks to it in frames over standard input and output. A copy restricts
 * itself further before it opens the document: see confine.
 *
 * A frame is a byte for its kind, the length of its payload as a 32-bit big-endian
 * number, and the payload. Strings in a payload end with a NUL.
 *
 *   to the supervisor                      from the supervisor
 *   H  version of the protocol             S  input URL, output URL, load options:
 *   R  ready: the samples are converted,      convert a sample in this process
 *      and the number of pages learned     L  the same, and learn which memory it
 *   D  done: one decimal number each for      touches
 *      how the copy ended (0: exited, 1:   F  fork: the samples are over
 *      killed), its exit code or signal,   C  input URL, output URL, load options,
 *      CPU time in microseconds and peak      filter options: convert in a copy
 *      memory in KiB; then what it said    K  kill the copy
 *   W  a sample failed: what was said
 */
#define _GNU_SOURCE
#include "prefault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROTOCOL "1"

/* The beginnings of the structures of LibreOfficeKit, whose layout is stable:
 * include/LibreOfficeKit/LibreOfficeKit.h of LibreOffice. New members are appended, and
 * nSize tells which are there. */
struct document;
struct document_class {
	size_t size;
	void (*destroy)(struct document *);
	int (*save_as)(struct document *, const char *url, const char *format, const char *options);
};
struct document {
	struct document_class *class;
};
struct office;
struct office_class {
	size_t size;
	void (*destroy)(struct office *);
	struct document *(*load)(struct office *, const char *url);
	char *(*error)(struct office *);
	struct document *(*load_with_options)(struct office *, const char *url, const char *options);
	void (*free_error)(char *);
	void *since_6_0[4];
	char *(*version)(struct office *);
	void *run_macro, *sign_document;
	void (*run_loop)(struct office *, int (*poll)(void *, int), void (*wake)(void *), void *);
};
struct office {
	struct office_class *class;
};

/* Exit codes of a copy. */
enum { CONVERTED = 0, NOT_LOADED = 2, NOT_SAVED = 3, NOT_CONFINED = 4 };

enum { MAX_PAYLOAD = 64 << 10, MAX_SAID = 4 << 10, MAX_FILTER = 4096 };

static struct office *office;

/* What the copies are restricted to. */
static int ruleset = -1; /* a Landlock ruleset */
static struct sock_filter filter[MAX_FILTER];
static unsigned short filter_length;
static uint32_t placeholder; /* stands for the process id in filter */
static rlim_t cpu_seconds;

static void fail(const char *what)
{
	fprintf(stderr, "recto-zygote: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int read_all(int fd, void *to, size_t n)
{
	for (char *p = to; n > 0;) {
		ssize_t got = read(fd, p, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		p += got;
		n -= (size_t)got;
	}
	return 0;
}

static void write_all(int fd, const void *from, size_t n)
{
	for (const char *p = from; n > 0;) {
		ssize_t put = write(fd, p, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			exit(1); /* the supervisor is gone */
		p += put;
		n -= (size_t)put;
	}
}

static void send_frame(char kind, const char *payload, size_t length)
{
	unsigned char head[5] = {(unsigned char)kind, (unsigned char)(length >> 24), (unsigned char)(length >> 16),
				 (unsigned char)(length >> 8), (unsigned char)length};
	write_all(1, head, sizeof head);
	write_all(1, payload, length);
}

/* receive reads a frame and returns its kind. The payload ends with a NUL of its own. It
 * exits at the end of the input, with which the supervisor ends this program. */
static char receive(char *payload, size_t *length)
{
	unsigned char head[5];
	if (read_all(0, head, sizeof head))
		_exit(0);
	*length = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
	if (*length > MAX_PAYLOAD || read_all(0, payload, *length)) {
		fprintf(stderr, "recto-zygote: a frame was cut or is too long\n");
		exit(1);
	}
	payload[*length] = 0;
	return (char)head[0];
}

/* strings points out[i] to the i-th string of the payload, or to "" if there are fewer. */
static void strings(char *payload, size_t length, char **out, int n)
{
	char *end = payload + length;
	for (int i = 0; i < n; i++) {
		out[i] = payload < end ? payload : end;
		payload += strlen(out[i]) + 1;
	}
}

/* loaded is the document that convert loaded last. A copy ends before it is closed. */
static struct document *loaded;

/* convert returns an exit code, and why the document was not converted in said. */
static int convert(const char *in, const char *out, const char *load, const char *save, char *said, size_t room)
{
	loaded = office->class->load_with_options(office, in, load);
	int code = loaded ? CONVERTED : NOT_LOADED;
	if (loaded && !loaded->class->save_as(loaded, out, "pdf", *save ? save : NULL))
		code = NOT_SAVED;
	if (code != CONVERTED) {
		char *why = office->class->error(office);
		snprintf(said, room, "%s", why && *why ? why : code == NOT_LOADED ? "it cannot be loaded" : "it cannot be saved");
	}
	return code;
}

/* convert_sample is convert for this process, which closes the document and its files. */
static int convert_sample(char **sample, char *said, size_t room)
{
	int code = convert(sample[0], sample[1], sample[2], "", said, room);
	if (loaded)
		loaded->class->destroy(loaded);
	return code;
}

/* confine restricts a copy before it touches a document. Nothing of the document's can
 * have influenced this program up to here. The order matters: the filter comes last,
 * because it refuses the calls that the other steps make. */
static int confine(pid_t parent)
{
	struct rlimit cpu = {cpu_seconds, cpu_seconds};
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || setrlimit(RLIMIT_CPU, &cpu))
		return -1;
	if (syscall(SYS_landlock_restrict_self, ruleset, 0))
		return -1;
	close(ruleset);
	uint32_t pid = (uint32_t)getpid();
	for (unsigned i = 0; i < filter_length; i++)
		if (BPF_CLASS(filter[i].code) == BPF_JMP && filter[i].k == placeholder)
			filter[i].k = pid;
	struct sock_fprog program = {filter_length, filter};
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* copy is the life of a copy: it restricts itself, waits for its job, converts and exits.
 * Its only open files are the pipe with its job, the pipe to say why a conversion failed,
 * and /dev/null. */
static void copy(pid_t parent, int job, int say)
{
	static char payload[MAX_PAYLOAD + 1];
	char said[MAX_SAID] = "the copy could not be restricted", *strings_of[4];
	uint32_t length;
	prefault();
	int code = NOT_CONFINED, null = open("/dev/null", O_RDWR);
	if (null >= 0 && dup2(null, 0) == 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2 && !confine(parent)) {
		close(null);
		if (read_all(job, &length, sizeof length) || length > MAX_PAYLOAD || read_all(job, payload, length))
			_exit(NOT_CONFINED);
		close(job);
		strings(payload, length, strings_of, 4);
		said[0] = 0;
		code = convert(strings_of[0], strings_of[1], strings_of[2], strings_of[3], said, sizeof said);
	}
	for (size_t n = strlen(said), at = 0; at < n;) {
		ssize_t put = write(say, said + at, n - at);
		if (put <= 0)
			break;
		at += (size_t)put;
	}
	_exit(code); /* without destructors, which would write to the profile */
}

/* standby is the copy that waits for the next document. It is forked while nobody waits
 * for it. */
static struct {
	pid_t pid; /* 0: there is none */
	int job, said;
} standby;

static void make_standby(void)
{
	int job[2], said[2];
	if (pipe2(job, O_CLOEXEC) || pipe2(said, O_CLOEXEC))
		fail("open a pipe");
	fflush(NULL);
	pid_t self = getpid();
	standby.pid = fork();
	if (standby.pid < 0)
		fail("fork");
	if (standby.pid == 0) {
		close(job[1]);
		close(said[0]);
		copy(self, job[0], said[1]);
	}
	close(job[0]);
	close(said[1]);
	standby.job = job[1];
	standby.said = said[0];
}

/* listen_to keeps what the copy says until it ends, and kills it if the supervisor asks
 * for that. It returns the length of what was said. */
static size_t listen_to(int pipe, pid_t child, char *said)
{
	static char payload[MAX_PAYLOAD + 1];
	size_t length = 0;
	for (;;) {
		struct pollfd ready[] = {{.fd = pipe, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
		if (poll(ready, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			fail("poll");
		}
		if (ready[1].revents) {
			size_t n;
			if (receive(payload, &n) == 'K')
				kill(child, SIGKILL);
		}
		if (ready[0].revents) {
			char rest[512];
			ssize_t n = read(pipe, length < MAX_SAID ? said + length : rest, length < MAX_SAID ? MAX_SAID - length : sizeof rest);
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return length;
			if (length < MAX_SAID)
				length += (size_t)n;
		}
	}
}

/* convert_in_copy has the copy that waits convert a document, reports how it ended, and
 * forks the next one. */
static void convert_in_copy(const char *payload, size_t length)
{
	static char answer[MAX_SAID + 128], said[MAX_SAID];
	uint32_t head = (uint32_t)length;
	/* If the copy has died while it waited, these fail, and its end is reported. */
	if (write(standby.job, &head, sizeof head) == sizeof head)
		for (ssize_t n; length > 0 && (n = write(standby.job, payload, length)) > 0; length -= (size_t)n)
			payload += n;
	close(standby.job);
	size_t n = listen_to(standby.said, standby.pid, said);
	close(standby.said);
	int status;
	struct rusage used;
	while (wait4(standby.pid, &status, 0, &used) < 0)
		if (errno != EINTR)
			fail("wait for a copy");
	long long cpu = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
	int killed = WIFSIGNALED(status);
	int begin = snprintf(answer, 128, "%d %d %lld %ld ", killed, killed ? WTERMSIG(status) : WEXITSTATUS(status), cpu, used.ru_maxrss);
	memcpy(answer + begin, said, n);
	send_frame('D', answer, (size_t)begin + n);
	make_standby();
}

/* wait_alone waits until this thread is the only one. With unipoll, LibreOffice does its
 * work on this thread, but after a change it saves its configuration on another one, about
 * a second later. A copy that is forked meanwhile inherits the locks of that thread, and
 * waits for them forever. */
static void wait_alone(void)
{
	enum { ATTEMPTS = 3000, PAUSE = 10 * 1000 };
	for (int i = 0; i < ATTEMPTS; i++) {
		struct stat tasks; /* its links are ".", ".." and the threads */
		if (stat("/proc/self/task", &tasks))
			fail("count the threads");
		if (tasks.st_nlink <= 3)
			return;
		usleep(PAUSE);
	}
	fprintf(stderr, "recto-zygote: LibreOffice has threads that do not end\n");
	exit(1);
}

/* serve follows the supervisor's frames. LibreOffice calls it from its event loop. */
static int serve(void *unused, int timeout)
{
	static char payload[MAX_PAYLOAD + 1];
	static int serving;
	static long pages;
	(void)unused;
	(void)timeout;
	if (serving) /* a sample's conversion turns the event loop, too */
		return 0;
	serving = 1;
	for (;;) {
		char said[MAX_SAID], *sample[3];
		size_t length;
		switch (receive(payload, &length)) {
		case 'S':
			strings(payload, length, sample, 3);
			said[0] = 0;
			if (convert_sample(sample, said, sizeof said) != CONVERTED)
				send_frame('W', said, strlen(said));
			break;
		case 'L':
			strings(payload, length, sample, 3);
			learn_begin();
			(void)convert_sample(sample, said, sizeof said); /* S tells if that fails */
			pages = learn_end();
			break;
		case 'F':
			wait_alone();
			make_standby();
			send_frame('R', said, (size_t)snprintf(said, sizeof said, "%ld", pages));
			break;
		case 'C':
			convert_in_copy(payload, length);
			break;
		case 'K': /* the copy ended before this arrived */
			break;
		default:
			fprintf(stderr, "recto-zygote: a frame has an unknown kind\n");
			exit(1);
		}
	}
}

static void wake(void *unused) { (void)unused; }

static void read_filter(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail(path);
	ssize_t n = read(fd, filter, sizeof filter);
	if (n <= 0 || (size_t)n % sizeof filter[0] || (size_t)n == sizeof filter)
		fail("read the filter");
	filter_length = (unsigned short)((size_t)n / sizeof filter[0]);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		fprintf(stderr, "usage: recto-zygote PROGRAM-FOLDER PROFILE-URL FILTER PLACEHOLDER CPU-SECONDS RULESET-FD\n"
				"The conversion service of Recto starts this program. It does nothing useful alone.\n");
		return 2;
	}
	read_filter(argv[3]);
	placeholder = (uint32_t)strtoul(argv[4], NULL, 10);
	cpu_seconds = strtoul(argv[5], NULL, 10);
	ruleset = atoi(argv[6]);
	if (fcntl(ruleset, F_SETFD, FD_CLOEXEC))
		fail("the Landlock ruleset");
	send_frame('H', PROTOCOL, strlen(PROTOCOL));

	signal(SIGPIPE, SIG_IGN); /* a copy may die before it gets its job */
	reserve();
	char library[4096];
	snprintf(library, sizeof library, "%s/libmergedlo.so", argv[1]);
	void *handle = dlopen(library, RTLD_LAZY | RTLD_GLOBAL);
	if (!handle) {
		fprintf(stderr, "recto-zygote: %s\n", dlerror());
		return 1;
	}
	struct office *(*hook)(const char *, const char *) = (struct office * (*)(const char *, const char *))dlsym(handle, "libreofficekit_hook_2");
	if (!hook || !(office = hook(argv[1], argv[2]))) {
		fprintf(stderr, "recto-zygote: LibreOfficeKit does not start\n");
		return 1;
	}
	if (office->class->size < sizeof(struct office_class)) {
		fprintf(stderr, "recto-zygote: this LibreOffice is too old: its LibreOfficeKit has no event loop\n");
		return 1;
	}
	static int closure; /* without one, LibreOffice does not call serve */
	office->class->run_loop(office, serve, wake, &closure);
	return 0;
}
