/*
 * After a fork, a copy has the memory of the zygote, but each page that it writes to must
 * be copied, and most pages of code and read-only data must be mapped again. A short
 * document touches some 5,000 pages. On virtual machines the faults take longer than the
 * conversion itself.
 *
 * Which pages a conversion touches hardly depends on the document. So the zygote finds
 * them in /proc/self/pagemap after a sample, and every copy has the kernel map them all at
 * once, with MADV_POPULATE_READ and MADV_POPULATE_WRITE (Linux 5.14). Nothing depends on
 * this but time: all errors are ignored.
 *
 * While the sample is converted, another process holds all memory. So the pages that the
 * sample wrote to, which are this process's own again, differ from those that both share.
 */
#define _GNU_SOURCE
#include "prefault.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* Bits of an entry of pagemap: see admin-guide/mm/pagemap.rst of Linux. */
#define PRESENT (1ULL << 63)
#define EXCLUSIVE (1ULL << 56)

enum { PAGE = 4096, MAX_AREAS = 4096, MAX_RANGES = 8192, NEAR = 4, HEADROOM = 12 << 20 };

struct area {
	uintptr_t from, to;
	int written; /* private and writable: pages are copied on write */
};
static struct area areas[MAX_AREAS];
static int area_count;
static pid_t holder;

struct range {
	uintptr_t from;
	uint32_t pages;
	int32_t advice;
};
static struct range ranges[MAX_RANGES];
static int range_count;

void reserve(void)
{
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
}

void learn_begin(void)
{
	free(malloc(HEADROOM)); /* stays mapped, because of reserve */
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4352];
	area_count = 0;
	while (maps && area_count < MAX_AREAS && fgets(line, sizeof line, maps)) {
		struct area *a = &areas[area_count];
		char mode[5];
		unsigned long file;
		if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &a->from, &a->to, mode, &file) != 4 || mode[0] != 'r' || strstr(line, "[v"))
			continue; /* not [vdso], [vvar], [vsyscall] */
		a->written = mode[1] == 'w' && mode[3] == 'p';
		if (!strcmp(mode, "r-xp") && file) /* so that only the code of the sample is present after it */
			(void)madvise((void *)a->from, a->to - a->from, MADV_DONTNEED);
		area_count++;
	}
	if (maps)
		fclose(maps);
	fflush(NULL);
	pid_t self = getpid();
	holder = fork();
	if (holder == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == self)
			(void)poll(NULL, 0, -1); /* the sandbox refuses pause */
		_exit(0);
	}
}

static void add(struct area *a, uintptr_t page)
{
	int advice = a->written ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
	struct range *last = range_count ? &ranges[range_count - 1] : NULL;
	if (last && last->advice == advice && last->from >= a->from && page - (last->from + (uintptr_t)last->pages * PAGE) <= NEAR * PAGE)
		last->pages = (uint32_t)((page - last->from) / PAGE + 1);
	else if (range_count < MAX_RANGES)
		ranges[range_count++] = (struct range){page, 1, advice};
}

/* scan adds the pages of an area that the sample touched. */
static void scan(int pagemap, struct area *a)
{
	static uint64_t entries[4096];
	for (uintptr_t at = a->from; at < a->to;) {
		size_t n = (a->to - at) / PAGE;
		if (n > sizeof entries / sizeof entries[0])
			n = sizeof entries / sizeof entries[0];
		ssize_t bytes = (ssize_t)(n * sizeof entries[0]);
		if (pread(pagemap, entries, (size_t)bytes, (off_t)(at / PAGE * sizeof entries[0])) != bytes)
			return;
		for (size_t k = 0; k < n; k++, at += PAGE)
			if (entries[k] & PRESENT && (!a->written || entries[k] & EXCLUSIVE))
				add(a, at);
	}
}

long learn_end(void)
{
	long pages = 0;
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	range_count = 0;
	for (int i = 0; pagemap >= 0 && holder > 0 && i < area_count; i++)
		scan(pagemap, &areas[i]);
	if (pagemap >= 0)
		close(pagemap);
	for (int i = 0; i < range_count; i++)
		pages += ranges[i].pages;
	if (holder > 0) {
		kill(holder, SIGKILL);
		while (waitpid(holder, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return pages;
}

void prefault(void)
{
	for (int i = 0; i < range_count; i++)
		(void)madvise((void *)ranges[i].from, (size_t)ranges[i].pages * PAGE, ranges[i].advice);
}
