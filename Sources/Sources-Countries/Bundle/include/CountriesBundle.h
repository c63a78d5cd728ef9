#pragma once
#include <stddef.h>

/// Compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } CountriesFile;

/// The bundled countries, as JSON.
CountriesFile countries_file(void);

/// The countries' names in other languages, as Scripts/make-country-names.py writes them.
CountriesFile countries_names(void);

/// What people call the countries beside the names that the service gives them, as JSON, sorted by code.
CountriesFile countries_usual_names(void);

/// An answer of the service with a few of its oddities, as an HTTP archive.
CountriesFile countries_recording(void);
