#pragma once
#include <stddef.h>

/// The bundled heroes, as JSON: compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } HeroesFile;
HeroesFile heroes_file(void);
