import CCurl

/// A packed body on its way: bytes go in as they come, and come out as they were. It lives on the worker's thread.
final class Unpacking {
  /// What a request asks for; nil where nothing can be unpacked.
  static var accepted: String? { ccurl_can_inflate() ? "gzip" : nil }

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
        guard result != CCURL_INFLATE_BROKEN, take(UnsafeRawBufferPointer(rebasing: part[..<(Self.room - left)])) else { return false }
        isOver = result == CCURL_INFLATE_END
        if count == 0, left > 0 { break }
      }
      return true
    }
  }
}
