package import AggregatorCore

extension Value {
  /// The number of bytes of its JSON.
  package var size: Int { bytes.count }

  /// The value with its longest parts cut, each with a mark, so that its JSON has at most that many bytes.
  package func cut(to room: Int) -> Value {
    if size <= room { return self }
    switch self {
    case .text(let text): return .text(Self.cut(text, to: room))
    case .list(let values):
      let parts = Self.cut(values.map { ($0, $0.size + 1) }, to: room - 60)
      let rest = values.count - parts.count
      return .list(parts + (rest > 0 ? [.text("… \(rest) more")] : []))
    case .object(let members):
      let parts = Self.cut(members.map { ($0.value, $0.value.size + Value.text($0.name).size + 2) }, to: room - 60)
      let rest = members.count - parts.count
      return .object(
        zip(members, parts).map { Member(name: $0.name, value: $1) }
          + (rest > 0 ? [Member(name: "…", value: .text("\(rest) more fields"))] : []))
    default: return .text("…")
    }
  }

  private static func cut(_ text: String, to room: Int) -> String {
    let letters = text.unicodeScalars
    let mark = "… (cut; \(letters.count) letters in all)"
    var kept = min(letters.count, room)
    while kept > 0 {
      let short = String(String.UnicodeScalarView(letters.prefix(kept))) + mark
      let excess = Value.text(short).size - room
      if excess <= 0 { return short }
      kept -= max(1, excess / 6)
    }
    return "…"
  }

  /// Returns as many of the first parts as have room, with the long ones cut to what short ones leave to each.
  private static func cut(_ parts: [(value: Value, size: Int)], to room: Int) -> [Value] {
    var (left, most) = (room, 0)
    let sorted = parts.map(\.size).sorted()
    for (index, size) in sorted.enumerated() {
      most = left / (sorted.count - index)
      if size > most { break }
      (left, most) = (left - size, .max)
    }
    // A part that is cut still says something.
    most = max(most, 80)
    var kept: [Value] = []
    left = room
    for part in parts {
      let short = part.size > most ? part.value.cut(to: max(8, most - (part.size - part.value.size))) : part.value
      left -= short.size + part.size - part.value.size
      if left < 0 { break }
      kept.append(short)
    }
    return kept
  }
}

extension Value {
  /// The value as JSON.
  package var json: String { String(decoding: bytes, as: UTF8.self) }

  /// The value with numbers as texts that are beyond what programs read as numbers.
  package var readable: Value {
    switch self {
    case .decimal(let number) where !(number.double.isFinite) || size > 400: .text("\(number)")
    case .list(let values): .list(values.map(\.readable))
    case .object(let members): .object(members.map { Member(name: $0.name, value: $0.value.readable) })
    default: self
    }
  }
}
