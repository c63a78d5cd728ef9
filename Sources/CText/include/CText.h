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
extern const uint32_t text_apart_count;
extern const uint32_t text_apart[];
extern const uint32_t text_together_count;
extern const uint32_t text_together[];
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

/// The two scalars that a scalar is made of by the canonical rules, the second 0 where it is made of one; null if it is whole.
static inline const uint32_t *_Nullable text_parts(uint32_t scalar) {
  uint32_t low = 0, high = text_apart_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    const uint32_t *row = text_apart + middle * 3;
    if (row[0] == scalar) return row + 1;
    if (row[0] < scalar) low = middle + 1; else high = middle;
  }
  return NULL;
}

/// The scalar that these two make together by the canonical rules; 0 where they stay two.
static inline uint32_t text_whole(uint32_t first, uint32_t second) {
  uint32_t low = 0, high = text_together_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    const uint32_t *row = text_together + middle * 3;
    if (row[0] == first && row[1] == second) return row[2];
    if (row[0] < first || (row[0] == first && row[1] < second)) low = middle + 1; else high = middle;
  }
  return 0;
}

/// HTML's named characters in the order of their bytes; each is the count of the name's bytes, the count of the value's,
/// whether the name counts without its semicolon, the name, the value. Null past the last.
static inline const uint8_t *_Nullable text_entity(uint32_t index) {
  return index < text_entity_count ? text_entity_pool + text_entity_starts[index] : NULL;
}

#pragma clang assume_nonnull end

#endif
