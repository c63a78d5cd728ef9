import AggregatorCore
import CCurl

/// The head of an answer, taken line by line; only the head of the final answer.
struct ResponseHead {
  private(set) var headers: [HTTPResponse.Header] = []
  /// True when the head's empty line has come, and the head is not that of an interim answer.
  var isFinal: Bool { isWhole && !isInterim }

  /// True when the head says how the end of the body is shown. HTTP/2 shows it by itself.
  var showsEndOfBody: Bool {
    !isOfVersion1
      || headers.contains { header in
        let name = header.name.lowercased()
        return name == "content-length" || name == "transfer-encoding" && header.value.lowercased().contains("chunked")
      }
  }

  /// The coding of the body; nil if it is not packed.
  var coding: String? {
    let codings = headers.filter { $0.name.lowercased() == "content-encoding" }.flatMap { $0.value.split(separator: ",") }
    let names = codings.map { $0.filter { $0 != " " } }.filter { !$0.isEmpty && $0.lowercased() != "identity" }
    return names.isEmpty ? nil : names.joined(separator: ",")
  }

  private var isWhole = false
  private var isInterim = false
  private var isOfVersion1 = false
  private var bytes = 0

  /// Takes the next line, including its end. Returns false when the head grows too long.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    bytes += line.count
    guard bytes <= WireRequest.mostHeadBytes else { return false }
    let isStart = headers.isEmpty || isWhole
    if isStart, line.starts(with: "HTTP/".utf8) {
      // The head of an interim answer, or of a proxy's, came before.
      headers.removeAll()
      isWhole = false
      isOfVersion1 = line.starts(with: "HTTP/1".utf8)
      isInterim = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().first == UInt8(ascii: "1")
    } else if !isWhole {
      takeField(line)
    }  // else it belongs to the trailer, not to the head
    return true
  }

  private mutating func takeField(_ line: UnsafeRawBufferPointer) {
    let text = String(decoding: line, as: UTF8.self)[...]
    // Bytes, because characters would have to be found first.
    let bytes = text.utf8
    // A line that begins with a space continues the line before it.
    if let first = bytes.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      let rest = text.trimmingSpaces
      guard !rest.isEmpty, let last = headers.indices.last else { return }
      headers[last].value += headers[last].value.isEmpty ? rest : " " + rest
      return
    }
    isWhole = text.trimmingSpaces.isEmpty
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return }
    headers.append(HTTPResponse.Header(text[..<colon].trimmingSpaces, text[bytes.index(after: colon)...].trimmingSpaces))
  }
}

/// A packed body: packed bytes go in as they come, and unpacked bytes come out. It lives on the worker's thread.
///
/// gzip is a series of members, which are one body. Most services send one. Zeros may follow, with which tar fills up its last block.
final class Unpacking {
  /// True at the end of a member. The body may end there.
  private(set) var isOver = false
  /// True once a zero came after the end of a member, which no member begins with.
  private var isPadded = false
  private let inflate: UnsafeMutableRawPointer
  private static let room = 64 << 10

  /// Nil if the coding is unknown here.
  init?(_ coding: String) {
    guard ["gzip", "x-gzip", "deflate"].contains(coding.lowercased()), let inflate = ccurl_inflate_new() else { return nil }
    self.inflate = inflate
  }

  deinit { ccurl_inflate_free(inflate) }

  /// Unpacks the next bytes, part by part, until `take` has enough. Returns false if they cannot be unpacked, or if `take` has enough.
  func take(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard var rest = bytes.baseAddress else { return true }
    var count = bytes.count
    return withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 1) { part in
      guard let start = part.baseAddress else { return false }
      while count > 0 || !isOver {
        if isOver {
          let tail = UnsafeRawBufferPointer(start: rest, count: count)
          isPadded = isPadded || tail.first == 0
          if isPadded { return tail.allSatisfy { $0 == 0 } }
          guard ccurl_inflate_next(inflate) else { return false }
        }
        var left = Self.room
        let result = ccurl_inflate(inflate, &rest, &count, start, &left)
        guard result != CCURL_INFLATE_BROKEN, take(UnsafeRawBufferPointer(rebasing: part[..<(Self.room - left)])) else {
          return false
        }
        isOver = result == CCURL_INFLATE_END
        if count == 0, left > 0 { break }
      }
      return true
    }
  }
}
