#pragma once
#include <stddef.h>

/// The bundled countries, as JSON: compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } CountriesFile;
CountriesFile countries_file(void);
