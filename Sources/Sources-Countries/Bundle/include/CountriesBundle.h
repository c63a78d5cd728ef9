#pragma once
#include <stddef.h>

/// Compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } CountriesFile;

/// The bundled countries, as JSON.
CountriesFile countries_file(void);

/// The names of the countries in other languages, as Scripts/make-country-names.py writes them.
CountriesFile countries_names(void);

/// Common names of the countries besides the service's own, as JSON, sorted by code.
CountriesFile countries_usual_names(void);

/// An answer of the service with a few of its oddities, as an HTTP archive.
CountriesFile countries_recording(void);
