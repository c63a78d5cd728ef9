#include "HeroesBundle.h"

static const unsigned char records[] = {
#embed "heroes.json"
};

static const unsigned char recording[] = {
#embed "heroes.har"
};

HeroesFile heroes_file(void) {
  return (HeroesFile){ records, sizeof records };
}

HeroesFile heroes_recording(void) {
  return (HeroesFile){ recording, sizeof recording };
}
