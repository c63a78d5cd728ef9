#include "ProductsBundle.h"

static const unsigned char records[] = {
#embed "products.json"
};

static const unsigned char recording[] = {
#embed "products.har"
};

ProductsFile products_file(void) {
  return (ProductsFile){ records, sizeof records };
}

ProductsFile products_recording(void) {
  return (ProductsFile){ recording, sizeof recording };
}
