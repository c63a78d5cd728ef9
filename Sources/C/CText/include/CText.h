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

/// Returns what a scalar folds to: a count, then that many bytes of UTF-8. Null if it folds to itself.
static inline const uint8_t *_Nullable text_fold(uint32_t scalar) {
  if (scalar > 0x10FFFF) return NULL;
  uint16_t cell = text_fold_cells[text_fold_pages[scalar >> 7] * 128 + (scalar & 127)];
  return cell == 0 ? NULL : text_fold_pool + cell;
}

/// Returns the columns that a scalar takes on a terminal by itself: 0, 1 or 2.
static inline uint8_t text_width(uint32_t scalar) {
  if (scalar > 0x10FFFF) return 1;
  return text_width_cells[text_width_pages[scalar >> 7] * 128 + (scalar & 127)];
}

/// Returns the two scalars that the canonical rules split a scalar into; the second is 0
/// if it becomes one scalar. Null if the scalar is not split.
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

/// Returns the scalar that the canonical rules make of these two; 0 if they stay two.
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

/// Returns one of HTML's named characters, in the order of their bytes; null after the last. The bytes are: the length
/// of the name, the length of the value, whether the name counts without its semicolon, the name, and the value.
static inline const uint8_t *_Nullable text_entity(uint32_t index) {
  return index < text_entity_count ? text_entity_pool + text_entity_starts[index] : NULL;
}

#pragma clang assume_nonnull end

#endif
