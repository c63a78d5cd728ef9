#include "HeroesBundle.h"

static const unsigned char bytes[] = {
#embed "heroes.json"
};

HeroesFile heroes_file(void) {
  return (HeroesFile){ bytes, sizeof bytes };
}
