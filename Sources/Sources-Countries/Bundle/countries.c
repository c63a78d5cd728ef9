#include "CountriesBundle.h"

static const unsigned char bytes[] = {
#embed "countries.json"
};

CountriesFile countries_file(void) {
  return (CountriesFile){ bytes, sizeof bytes };
}
