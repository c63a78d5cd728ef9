extension Duration {
  private static let units: [(name: String, word: String, seconds: Int)] = [
    ("w", "week", 604_800), ("d", "day", 86_400), ("h", "h", 3600), ("m", "min", 60), ("s", "s", 1),
  ]

  /// Reads `90`, `1.5s`, `500ms`, `30m`, `1h30m`, `2d`; a bare number is seconds. Nil for any other text.
  public init?(amount text: String) {
    var rest = text.lowercased()[...]
    var total = Duration.zero
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
      rest = rest[digits.endIndex...]
      let unit = rest.prefix { ("a"..."z").contains($0) }
      rest = rest[unit.endIndex...]
      guard let amount = Double(digits), amount < 1e9, let length = Self.length(of: String(unit)) else { return nil }
      // A whole number is multiplied as an integer: with a floating-point factor even a week comes out slightly wrong.
      total += Int(digits).map { length * $0 } ?? length * amount
    }
    self = total
  }

  private static func length(of unit: String) -> Duration? {
    switch unit {
    case "": .seconds(1)
    case "ms": .milliseconds(1)
    default: units.first { $0.name == unit }.map { .seconds($0.seconds) }
    }
  }

  /// The length for a person, in its two largest units: `3 h 20 min`, `12 s`, `2.5 s`, `250 ms`.
  public var inWords: String { inWords(units: 2) }

  /// The length as a time in the past, in its largest unit: `6 min ago`; below a second `just now`.
  public var ago: String { inMilliseconds < 1000 ? "just now" : "\(inWords(units: 1)) ago" }

  /// The length for a person, in its largest unit: `3 h`.
  public var inLargestUnit: String { inWords(units: 1) }

  private func inWords(units count: Int) -> String {
    let milliseconds = inMilliseconds
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    let tenths = (milliseconds + 50) / 100
    if tenths < 100 { return tenths % 10 == 0 || count == 1 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s" }
    var rest = (milliseconds + 500) / 1000
    let first = Self.units.firstIndex { rest >= $0.seconds } ?? Self.units.count - 1
    let parts = Self.units[first...].prefix(count).compactMap { unit -> String? in
      let number = rest / unit.seconds
      rest %= unit.seconds
      let plural = number > 1 && unit.seconds >= 86_400 ? "s" : ""
      return number > 0 ? "\(number) \(unit.word)\(plural)" : nil
    }
    return parts.joined(separator: " ")
  }

  /// The length in milliseconds, rounded and limited to about 285 million years, so that a service's number cannot overflow.
  private var inMilliseconds: Int { Int((min(max(inSeconds, -Self.longest), Self.longest) * 1000).rounded()) }

  private static let longest = 9e15

  /// The length to the millisecond, in as many units as needed, so that it reads back as the same length: `1h30m`, `1s500ms`.
  package var exactAmount: String {
    var rest = inMilliseconds
    var text = ""
    for (name, length) in Self.units.map({ ($0.name, $0.seconds * 1000) }) + [("ms", 1)] where rest >= length {
      text += "\(rest / length)\(name)"
      rest %= length
    }
    return text.isEmpty ? "0s" : text
  }
}
