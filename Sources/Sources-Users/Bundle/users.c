#include "UsersBundle.h"

static const unsigned char bytes[] = {
#embed "users.json"
};

UsersFile users_file(void) {
  return (UsersFile){ bytes, sizeof bytes };
}
