import AggregatorCore
import CCurl

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

  /// Takes the next line, its end included. False when the head grows beyond all measure.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
    bytes += line.count
    guard bytes <= WireRequest.mostHeadBytes else { return false }
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
    let text = String(decoding: line, as: UTF8.self)[...]
    isWhole = text.trimmingSpaces.isEmpty
    // A line that begins with a space would go on with the one before it, which nobody sends any more.
    guard let colon = text.firstIndex(of: ":"), text.first != " ", text.first != "\t" else { return }
    headers.append(HTTPResponse.Header(text[..<colon].trimmingSpaces, text[text.index(after: colon)...].trimmingSpaces))
  }
}

/// A packed body on its way: bytes go in as they come, and come out as they were. It lives on the worker's thread.
final class Unpacking {
  /// Whether the end has come. What stands behind it is left alone, as browsers do.
  private(set) var isOver = false
  private let inflate: UnsafeMutableRawPointer
  private static let room = 64 << 10

  /// Nil where that coding is not known here.
  init?(_ coding: String) {
    guard ["gzip", "x-gzip", "deflate"].contains(coding.lowercased()), let inflate = ccurl_inflate_new() else { return nil }
    self.inflate = inflate
  }

  deinit { ccurl_inflate_free(inflate) }

  /// Unpacks the next bytes, part by part, until `take` has enough; false where they cannot be unpacked, or it has.
  func take(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard var rest = bytes.baseAddress else { return true }
    var count = bytes.count
    return withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 1) { part in
      guard let start = part.baseAddress else { return false }
      while !isOver {
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
