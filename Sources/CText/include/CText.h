// Unicode tables, constant and without relocations, so that they cost nothing at start.
// The functions keep every index inside its table; Swift never sees the arrays.
#ifndef CTEXT_H
#define CTEXT_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

extern const uint8_t text_fold_pages[];
extern const uint16_t text_fold_cells[];
extern const uint8_t text_fold_pool[];
extern const uint8_t text_width_pages[];
extern const uint8_t text_width_cells[];
extern const uint32_t text_entity_count;
extern const uint16_t text_entity_starts[];
extern const uint8_t text_entity_pool[];

/// What a scalar folds to, as a count and that many bytes of UTF-8; null if it folds to itself.
static inline const uint8_t *_Nullable text_fold(uint32_t scalar) {
  if (scalar > 0x10FFFF) return NULL;
  uint16_t cell = text_fold_cells[text_fold_pages[scalar >> 7] * 128 + (scalar & 127)];
  return cell == 0 ? NULL : text_fold_pool + cell;
}

/// The columns a scalar takes on a terminal by itself: 0, 1 or 2.
static inline uint8_t text_width(uint32_t scalar) {
  if (scalar > 0x10FFFF) return 1;
  return text_width_cells[text_width_pages[scalar >> 7] * 128 + (scalar & 127)];
}

/// HTML's named characters in the order of their bytes; each is the count of the name's bytes, the count of the value's,
/// whether the name counts without its semicolon, the name, the value. Null past the last.
static inline const uint8_t *_Nullable text_entity(uint32_t index) {
  return index < text_entity_count ? text_entity_pool + text_entity_starts[index] : NULL;
}

#pragma clang assume_nonnull end

#endif
