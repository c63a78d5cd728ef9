#pragma once
#include <stddef.h>

/// The bundled users, as JSON: compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } UsersFile;
UsersFile users_file(void);
