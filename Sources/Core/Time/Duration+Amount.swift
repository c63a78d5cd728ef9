extension Duration {
  private static let units: [(name: String, seconds: Int)] = [("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

  /// Reads `90`, `1.5s`, `500ms`, `30m`, `1h30m`, `2d`; a bare number is seconds.
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
      // By a floating-point factor even a week comes out a little off.
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

  /// The length as a person says it, in its largest units: `3 h 20 min` is `3h20m`, below a minute `12s`, below a second `250ms`.
  public var amount: String {
    let milliseconds = inMilliseconds
    if milliseconds < 1000 { return "\(milliseconds)ms" }
    let seconds = Int(min(inSeconds, Self.longest).rounded())
    guard let first = Self.units.firstIndex(where: { seconds >= $0.seconds }) else { return "0s" }
    let large = Self.units[first]
    let text = "\(seconds / large.seconds)\(large.name)"
    guard first + 1 < Self.units.count else { return text }
    let small = Self.units[first + 1]
    let rest = seconds % large.seconds / small.seconds
    return rest == 0 ? text : "\(text)\(rest)\(small.name)"
  }

  /// Rounded; at most some two hundred million years, whatever a service says.
  private var inMilliseconds: Int { Int((min(max(inSeconds, -Self.longest), Self.longest) * 1000).rounded()) }

  private static let longest = 9e15

  /// The length to the millisecond, in as many units as that takes, so that it reads back as it was: `1h30m`, `1s500ms`.
  var exactAmount: String {
    var rest = inMilliseconds
    var text = ""
    for (name, length) in Self.units.map({ ($0.name, $0.seconds * 1000) }) + [("ms", 1)] where rest >= length {
      text += "\(rest / length)\(name)"
      rest %= length
    }
    return text.isEmpty ? "0s" : text
  }
}
