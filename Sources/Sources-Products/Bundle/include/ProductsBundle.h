#pragma once
#include <stddef.h>

/// Compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } ProductsFile;

/// The bundled products, as JSON.
ProductsFile products_file(void);

/// Answers of the service with its oddities, as an HTTP archive.
ProductsFile products_recording(void);
