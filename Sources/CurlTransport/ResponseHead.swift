import AggregatorCore

/// The head of an answer, line by line: of the final answer only.
struct ResponseHead {
  private(set) var headers: [HTTPResponse.Header] = []
  /// Whether its empty line has come, and not that of an interim answer.
  var isFinal: Bool { isWhole && !isInterim }

  /// How the body is packed; nil where it is not.
  var coding: String? {
    let codings = headers.filter { $0.name.lowercased() == "content-encoding" }.flatMap { $0.value.split(separator: ",") }
    let names = codings.map { $0.filter { $0 != " " } }.filter { !$0.isEmpty && $0.lowercased() != "identity" }
    return names.isEmpty ? nil : names.joined(separator: ",")
  }

  private var isWhole = false
  private var isInterim = false
  private var bytes = 0
  private static let mostBytes = 256 << 10

  /// Takes the next line, its end included. False when the head grows beyond all measure.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    bytes += line.count
    guard bytes <= Self.mostBytes else { return false }
    let isStart = headers.isEmpty || isWhole
    if isStart, line.starts(with: "HTTP/".utf8) {
      // An interim answer, or a proxy's, came before.
      headers.removeAll()
      isWhole = false
      isInterim = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().first == UInt8(ascii: "1")
    } else if !isWhole {
      takeField(line)
    }  // else it belongs to the trailer, which is no part of the head
    return true
  }

  private mutating func takeField(_ line: UnsafeRawBufferPointer) {
    let text = line.trimmed
    guard let first = text.first else {
      isWhole = true
      return
    }
    if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      fold(text)
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      headers.append(HTTPResponse.Header(Self.text(text[..<colon]), Self.text(text[(colon + 1)...])))
    }
  }

  /// A line that begins with a space goes on with the one before it (RFC 9112, section 5.2).
  private mutating func fold(_ text: Slice<UnsafeRawBufferPointer>) {
    guard var last = headers.popLast() else { return }
    last.value += " " + Self.text(text)
    headers.append(last)
  }

  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UnsafeRawBufferPointer {
  /// Without the line's end.
  fileprivate var trimmed: Slice<UnsafeRawBufferPointer> {
    var line = self[...]
    while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
