#include "ProductsBundle.h"

static const unsigned char bytes[] = {
#embed "products.json"
};

ProductsFile products_file(void) {
  return (ProductsFile){ bytes, sizeof bytes };
}
