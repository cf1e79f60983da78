#ifndef GATEHOUSE_CAUXV_SHIM_H
#define GATEHOUSE_CAUXV_SHIM_H

// Not in Glibc's module for Swift.
#include <elf.h>
#include <sys/auxv.h>

#endif
