import AggregatorCore

/// The addresses of a product's pictures, which shops write in many ways.
enum PictureAddresses {
  /// Returns the texts that the row lists. They are usually in an array; sometimes there is only one text. Other values are misfits, and left
  /// out.
  static func listed(in row: JSON) -> [String] {
    guard let images = row["images"] else { return [] }
    let values = (images.kind == .array ? Array(images.elements) : [images]).filter { !$0.isNull }
    if let misfit = values.first(where: { $0.kind != .string }) { row.noteMisfit(of: "images", misfit) }
    return values.compactMap { try? $0.asString() }
  }

  /// Returns complete addresses, each once. Placeholders are removed, `//` gets a scheme, joined addresses are separated, and the http
  /// address of a picture that also has an https address is removed.
  static func cleaned(_ images: [String]) -> [String] {
    var distinct: [String] = []
    for address in images.flatMap(unglued).compactMap(address) where !distinct.contains(address) { distinct.append(address) }
    let secure = Set(distinct.filter { $0.hasPrefix("https://") }.map { $0.dropFirst("https://".count) })
    return distinct.filter { !$0.hasPrefix("http://") || !secure.contains($0.dropFirst("http://".count)) }
  }

  private static func address(_ text: String) -> String? {
    let text = text.trimmingSpaces
    if isPlaceholder(text) { return nil }
    return text.hasPrefix("//") ? "https:" + text : text
  }

  /// True when the text means nothing, in one of the ways shops write that.
  static func isPlaceholder(_ text: String) -> Bool { ["", "none"].contains(text.trimmingSpaces.lowercased()) }

  /// Separates several addresses in one text.
  ///
  /// A new address begins at a scheme, unless the character before makes it part of the earlier one: a path (`/https://…`), a value
  /// (`=https://…`) or an encoded character.
  private static func unglued(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    let lowered = bytes.map { 65...90 ~= $0 ? $0 | 32 : $0 }
    let starts = bytes.indices.filter { index in
      guard index > 0, ["http://", "https://"].contains(where: { lowered[index...].starts(with: $0.utf8) }) else {
        return false
      }
      return !"/=:@%".utf8.contains(bytes[index - 1])
    }
    let bounds = [0] + starts + [bytes.count]
    return zip(bounds, bounds.dropFirst()).map { start, end in
      let piece = String(decoding: bytes[start..<end], as: UTF8.self)
      // Separators between two addresses belong to neither.
      return end < bytes.count ? String(piece.reversed().drop { " ,;|\n\t".contains($0) }.reversed()) : piece
    }
  }
}
