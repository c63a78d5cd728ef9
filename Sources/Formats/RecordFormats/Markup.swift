import AggregatorCore

/// HTML that is put together of pieces. A literal is markup as it stands; every text in it is escaped.
///
///     let row: Markup = "<td>\(text)</td>"
package struct Markup: Sendable, ExpressibleByStringInterpolation {
  package private(set) var bytes: [UInt8] = []

  package init() {}
  package init(stringLiteral markup: String) { bytes = Array(markup.utf8) }
  package init(stringInterpolation: Pieces) { bytes = stringInterpolation.bytes }

  /// Markup that the program brings itself, such as its style.
  package init(trusted bytes: [UInt8]) { self.bytes = bytes }

  package static func += (left: inout Markup, right: Markup) { left.bytes += right.bytes }
  package static func + (left: Markup, right: Markup) -> Markup { copy(of: left) { $0 += right } }

  package var isEmpty: Bool { bytes.isEmpty }

  package struct Pieces: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ markup: String) { bytes += markup.utf8 }
    package mutating func appendInterpolation(_ markup: Markup) { bytes += markup.bytes }
    /// Adds markup only under a condition: `\("<hr>", if: isLong)`.
    package mutating func appendInterpolation(_ markup: @autoclosure () -> Markup, if isShown: Bool) {
      if isShown { bytes += markup().bytes }
    }
    package mutating func appendInterpolation(_ number: Int) { bytes += String(number).utf8 }
    package mutating func appendInterpolation(_ text: String) {
      // What a reader would not see, or what would turn the direction of the text around it, is left out.
      for byte in Printable.clean(text, lines: .kept).utf8 {
        switch byte {
        case UInt8(ascii: "&"): bytes += "&amp;".utf8
        case UInt8(ascii: "<"): bytes += "&lt;".utf8
        case UInt8(ascii: ">"): bytes += "&gt;".utf8
        case UInt8(ascii: "\""): bytes += "&quot;".utf8
        case UInt8(ascii: "'"): bytes += "&#39;".utf8
        default: bytes.append(byte)
        }
      }
    }
  }
}

extension DefaultStringInterpolation {
  /// Warns where markup would become a text, which is then escaped: a literal with markup in it needs the type ``Markup``.
  @available(*, deprecated, message: "write the literal as Markup")
  package mutating func appendInterpolation(_ markup: Markup) {
    appendInterpolation(String(decoding: markup.bytes, as: UTF8.self))
  }
}
