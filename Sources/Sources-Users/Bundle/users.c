#include "UsersBundle.h"

static const unsigned char records[] = {
#embed "users.json"
};

static const unsigned char recording[] = {
#embed "users.har"
};

UsersFile users_file(void) {
  return (UsersFile){ records, sizeof records };
}

UsersFile users_recording(void) {
  return (UsersFile){ recording, sizeof recording };
}
