#pragma once
#include <stddef.h>

/// Compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } HeroesFile;

/// The bundled heroes, as JSON.
HeroesFile heroes_file(void);

/// Answers of the service with its oddities, as an HTTP archive.
HeroesFile heroes_recording(void);
