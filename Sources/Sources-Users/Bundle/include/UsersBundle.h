#pragma once
#include <stddef.h>

/// Compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } UsersFile;

/// The bundled users, as JSON.
UsersFile users_file(void);

/// Answers of the service with its oddities, as an HTTP archive.
UsersFile users_recording(void);
