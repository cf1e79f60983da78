#ifndef GATEHOUSE_CSQLITE_SHIM_H
#define GATEHOUSE_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Swift does not see this macro, a cast of -1 to a function: SQLite copies what is bound. */
static inline sqlite3_destructor_type gatehouse_sqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif
