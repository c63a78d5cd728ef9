import AggregatorCore

/// A value of an xcconfig file, taken apart into text and references to other names.
struct XCConfigExpression {
  indirect enum Part {
    case text(ArraySlice<UInt8>)
    /// `$(NAME)` or `$(NAME:default=…)`; both may hold references of their own.
    case reference(name: [Part], defaults: [[Part]])
    /// `$NAME`, as Xcode still reads it.
    case bareReference(String)
  }

  /// What is wrong; it never repeats the value.
  enum Fault: Error { case unclosed, modifier, tooDeep }

  let parts: [Part]

  init(_ text: String) throws(Fault) {
    var reader = Reader(bytes: Array(text.utf8))
    parts = try reader.parts(until: nil, depth: 0)
  }

  /// Whether any of it is text, rather than what other names hold.
  var holdsText: Bool { Self.holdText(parts) }

  private static func holdText(_ parts: [Part]) -> Bool {
    parts.contains { part in
      switch part {
      case .text(let text): !text.isEmpty
      case .reference(_, let defaults): defaults.contains(where: holdText)
      case .bareReference: false
      }
    }
  }
}

extension XCConfigExpression {
  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    private static let dollar = UInt8(ascii: "$")
    private static let colon = UInt8(ascii: ":")
    private static let deepest = 16

    /// Up to `closing` or a `:`, or, outside every reference, up to the end.
    mutating func parts(until closing: UInt8?, depth: Int) throws(Fault) -> [Part] {
      guard depth <= Self.deepest else { throw .tooDeep }
      var parts: [Part] = []
      while let byte = current, closing == nil || (byte != closing && byte != Self.colon) {
        if byte == Self.dollar {
          parts.append(try dollarPart(depth: depth))
        } else {
          let start = index
          while let byte = current, byte != Self.dollar, closing == nil || (byte != closing && byte != Self.colon) { index += 1 }
          parts.append(.text(bytes[start..<index]))
        }
      }
      return parts
    }

    private mutating func dollarPart(depth: Int) throws(Fault) -> Part {
      let start = index
      index += 1
      switch current {
      case UInt8(ascii: "("): return try reference(until: UInt8(ascii: ")"), depth: depth)
      case UInt8(ascii: "{"): return try reference(until: UInt8(ascii: "}"), depth: depth)
      case UInt8(ascii: "["): return try reference(until: UInt8(ascii: "]"), depth: depth)
      case Self.dollar:
        // `$$` stands for one `$`.
        index += 1
        return .text(bytes[start...start])
      case let byte? where XCConfig.mayBegin(byte):
        let name = index
        while let byte = current, XCConfig.mayContinue(byte) { index += 1 }
        return .bareReference(String(decoding: bytes[name..<index], as: UTF8.self))
      default: return .text(bytes[start...start])
      }
    }

    private mutating func reference(until closing: UInt8, depth: Int) throws(Fault) -> Part {
      index += 1
      let name = try parts(until: closing, depth: depth + 1)
      var defaults: [[Part]] = []
      while current == Self.colon {
        index += 1
        guard bytes[index...].starts(with: "default=".utf8) else { throw current == nil ? .unclosed : .modifier }
        index += "default=".utf8.count
        defaults.append(try parts(until: closing, depth: depth + 1))
      }
      guard current == closing else { throw .unclosed }
      index += 1
      return .reference(name: name, defaults: defaults)
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }
  }
}
