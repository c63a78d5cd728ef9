#pragma once
#include <stddef.h>

/// What a shell loads to complete commands, compiled in. FUNCTION stands for a name of the shell's own, PROGRAM for the program.
typedef struct { const unsigned char *bytes; size_t count; } ShellScript;

ShellScript bash_completions(void);
ShellScript zsh_completions(void);
ShellScript fish_completions(void);
