package import RecordFormats
import Synchronization
import Terminal

extension Layout {
  /// Returns the sink for JSON in this layout: JSON stays as it comes for a program, and is laid out in lines with colors for a person.
  package func json(into sink: any Sink, inLines isIndented: Bool) -> any Sink {
    // Only a person wants JSON in another form than it comes.
    guard isTerminal || style.isColored else { return sink }
    return JSONSink(JSONLayout(isIndented: isIndented && isTerminal, isForTerminal: isTerminal, style: style), into: sink)
  }
}

/// Lays out the JSON that goes through it.
private final class JSONSink: Sink {
  private let layout: Mutex<JSONLayout>
  private let sink: any Sink

  init(_ layout: JSONLayout, into sink: any Sink) {
    self.layout = Mutex(layout)
    self.sink = sink
  }

  func write(_ bytes: [UInt8]) throws { try sink.write(layout.withLock { $0.laidOut(bytes) }) }
}

/// Lays out JSON while it is written. Compact pieces go in, each of whole names and values, and lines with colors come out.
private struct JSONLayout {
  let isIndented: Bool
  /// True when a terminal shows it, where some characters would make a text look different from what it is.
  let isForTerminal: Bool
  let style: Style
  /// The number of open brackets.
  private var depth = 0
  /// True when the innermost bracket is still empty.
  private var isEmpty = false

  init(isIndented: Bool, isForTerminal: Bool, style: Style) {
    (self.isIndented, self.isForTerminal, self.style) = (isIndented, isForTerminal, style)
  }

  /// Returns the next bytes, laid out.
  mutating func laidOut(_ bytes: [UInt8]) -> [UInt8] {
    var rest = bytes[...]
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count * 2)
    func breakLine() { if isIndented { output += [UInt8(ascii: "\n")] + repeatElement(UInt8(ascii: " "), count: 2 * depth) } }
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if !isEmpty { breakLine() }
        isEmpty = false
        output.append(rest.removeFirst())
      case UInt8(ascii: ","):
        output.append(rest.removeFirst())
        breakLine()
      case UInt8(ascii: ":"):
        output.append(rest.removeFirst())
        if isIndented { output.append(UInt8(ascii: " ")) }
      case UInt8(ascii: "\n"): output.append(rest.removeFirst())
      default:
        // The first thing in a bracket begins a line.
        if isEmpty { breakLine() }
        isEmpty = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
        if isEmpty {
          depth += 1
          output.append(rest.removeFirst())
        } else {
          output += coloured(Self.takeToken(&rest), isName: rest.first == UInt8(ascii: ":"))
        }
      }
    }
    return output
  }

  /// Takes a text, or a word such as a number.
  private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var end = rest.startIndex + 1
    if rest.first == UInt8(ascii: "\"") {
      while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
      end = min(end + 1, rest.endIndex)
    } else {
      end = rest.firstIndex { ",]}\n".utf8.contains($0) } ?? rest.endIndex
    }
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  private func coloured(_ token: ArraySlice<UInt8>, isName: Bool) -> [UInt8] {
    let token = isForTerminal && token.contains(0xE2) ? Self.withoutTurns(token) : Array(token)
    guard style.isColored else { return token }
    let code = token.first == UInt8(ascii: "\"") ? (isName ? "1" : "32") : token.first == UInt8(ascii: "n") ? "2" : "36"
    return Array("\u{1B}[\(code)m".utf8) + token + Array("\u{1B}[0m".utf8)
  }

  /// Escapes the marks that turn the direction of writing. JSON already escapes everything else that a terminal obeys.
  private static func withoutTurns(_ token: ArraySlice<UInt8>) -> [UInt8] {
    let scalars = String(decoding: token, as: UTF8.self).unicodeScalars
    return scalars.flatMap { scalar in
      switch scalar.value {
      case 0x202A...0x202E, 0x2066...0x2069: Array("\\u\(String(scalar.value, radix: 16))".utf8)
      default: Array(String(scalar).utf8)
      }
    }
  }
}
