#include "CountriesBundle.h"

static const unsigned char records[] = {
#embed "countries.json"
};

static const unsigned char recording[] = {
#embed "countries.har"
};

static const unsigned char names[] = {
#embed "names.txt"
};

CountriesFile countries_names(void) {
  return (CountriesFile){ names, sizeof names };
}

CountriesFile countries_file(void) {
  return (CountriesFile){ records, sizeof records };
}

CountriesFile countries_recording(void) {
  return (CountriesFile){ recording, sizeof recording };
}
