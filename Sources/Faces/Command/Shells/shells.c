#include "CShells.h"

static const unsigned char bash[] = {
#embed "completions.bash"
};

static const unsigned char zsh[] = {
#embed "completions.zsh"
};

static const unsigned char fish[] = {
#embed "completions.fish"
};

ShellScript bash_completions(void) { return (ShellScript){ bash, sizeof bash }; }

ShellScript zsh_completions(void) { return (ShellScript){ zsh, sizeof zsh }; }

ShellScript fish_completions(void) { return (ShellScript){ fish, sizeof fish }; }
