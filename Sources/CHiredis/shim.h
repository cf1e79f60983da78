#ifndef GATEHOUSE_CHIREDIS_SHIM_H
#define GATEHOUSE_CHIREDIS_SHIM_H

#include <hiredis/hiredis.h>
#include <hiredis/read.h>

#endif
