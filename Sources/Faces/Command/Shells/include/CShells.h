#pragma once
#include <stddef.h>

/// The script that a shell loads to complete commands, compiled in. FUNCTION stands for
/// the name of the shell's function, PROGRAM for the program.
typedef struct { const unsigned char *bytes; size_t count; } ShellScript;

ShellScript bash_completions(void);
ShellScript zsh_completions(void);
ShellScript fish_completions(void);
