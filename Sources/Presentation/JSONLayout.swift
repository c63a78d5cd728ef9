import AggregatorCore
import Terminal

/// Lays JSON out while it is written: compact bytes go in, piece by piece, and lines with colours come out.
struct JSONLayout {
  private enum Token {
    case none, key, string, word
  }

  private let isIndented: Bool
  /// Whether a terminal shows it, where some characters make a text read otherwise than it is.
  private let isForTerminal: Bool
  private let style: Style
  private var token = Token.none
  private var isEscaped = false
  /// The open brackets; true for an object.
  private var open: [Bool] = []
  private var isKeyNext = false
  /// Whether nothing stands in the innermost bracket yet.
  private var isEmpty = false
  private var output: [UInt8] = []

  init(isIndented: Bool, isForTerminal: Bool, style: Style) {
    self.isIndented = isIndented
    self.isForTerminal = isForTerminal
    self.style = style
  }

  /// What comes of the next bytes.
  mutating func laidOut(_ bytes: [UInt8]) -> [UInt8] {
    output.removeAll(keepingCapacity: true)
    output.reserveCapacity(bytes.count * 2)
    var index = 0
    while index < bytes.count {
      if isForTerminal, let escaped = Self.turning(bytes[index...].prefix(3)) {
        output += escaped.utf8
        index += 3
      } else {
        add(bytes[index])
        index += 1
      }
    }
    return output
  }

  /// The escape of a mark that turns the direction of writing; nothing else that a terminal obeys is left raw in JSON.
  private static func turning(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.first == 0xE2, bytes.count == 3 else { return nil }
    switch (bytes[bytes.startIndex + 1], bytes[bytes.startIndex + 2]) {
    case (0x80, let last) where 0xAA...0xAE ~= last: return "\\u202" + String(last - 0xA0, radix: 16)
    case (0x81, let last) where 0xA6...0xA9 ~= last: return "\\u206" + String(last - 0xA0, radix: 16)
    default: return nil
    }
  }

  private mutating func add(_ byte: UInt8) {
    if token == .key || token == .string {
      output.append(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        end()
      }
      return
    }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      beginValue()
      output.append(byte)
      open.append(byte == UInt8(ascii: "{"))
      isKeyNext = byte == UInt8(ascii: "{")
      isEmpty = true
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      end()
      _ = open.popLast()
      if !isEmpty { breakLine() }
      isEmpty = false
      output.append(byte)
    case UInt8(ascii: ","):
      end()
      output.append(byte)
      isKeyNext = open.last ?? false
      breakLine()
    case UInt8(ascii: ":"):
      output.append(byte)
      isKeyNext = false
      if isIndented { output.append(UInt8(ascii: " ")) }
    case UInt8(ascii: "\""):
      beginValue()
      begin(isKeyNext ? .key : .string, isKeyNext ? "1" : "32")
      output.append(byte)
    case UInt8(ascii: "\n"):
      end()
      output.append(byte)
    default:
      if token == .none {
        beginValue()
        begin(.word, byte == UInt8(ascii: "n") ? "2" : "36")
      }
      output.append(byte)
    }
  }

  /// The first thing in a bracket stands on a line of its own.
  private mutating func beginValue() {
    if isEmpty { breakLine() }
    isEmpty = false
  }

  private mutating func begin(_ token: Token, _ code: String) {
    self.token = token
    if style.isColored { output += "\u{1B}[\(code)m".utf8 }
  }

  private mutating func end() {
    guard token != .none else { return }
    token = .none
    if style.isColored { output += "\u{1B}[0m".utf8 }
  }

  private mutating func breakLine() {
    guard isIndented else { return }
    output.append(UInt8(ascii: "\n"))
    output += repeatElement(UInt8(ascii: " "), count: 2 * open.count)
  }
}
