#pragma once
#include <stddef.h>

/// The bundled products, as JSON: compiled in, so that the binary can be moved.
typedef struct { const unsigned char *bytes; size_t count; } ProductsFile;
ProductsFile products_file(void);
