/* The memory that a copy is about to touch, mapped in a few calls instead of thousands of
 * page faults. */
#ifndef PREFAULT_H
#define PREFAULT_H

/* reserve makes malloc serve a copy from memory that is mapped before the fork. Call it
 * once, before LibreOffice starts. */
void reserve(void);

/* learn_begin and learn_end surround the conversion of a sample in this process.
 * learn_end returns the number of pages that the sample touched, or 0 if this machine does
 * not tell. */
void learn_begin(void);
long learn_end(void);

/* prefault maps what the sample touched. Call it in a new copy. */
void prefault(void);

#endif
