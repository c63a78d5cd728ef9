#pragma once
#include <stddef.h>

/// Compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } CountriesFile;

/// The bundled countries, as JSON. They have their common names besides the service's own.
CountriesFile countries_file(void);

/// The names of the countries in other languages, as Scripts/make-country-names.py writes them.
CountriesFile countries_names(void);

/// An answer of the service with a few of its oddities, as an HTTP archive.
CountriesFile countries_recording(void);
