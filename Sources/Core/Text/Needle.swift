/// A text to look for, folded once.
///
///     let needle = Needle("strasse")
///     needle.matches("Hauptstraße 5")  // true
public struct Needle: Sendable, Hashable {
  private let folded: [UInt8]

  public init(_ text: String) {
    var text = text
    folded = text.withUTF8 { bytes in
      var folded: [UInt8] = []
      Fold.fold(utf8: bytes, into: &folded)
      return folded
    }
  }

  /// True if nothing is left of the needle after folding; then it matches every text.
  public var isEmpty: Bool { folded.isEmpty }

  /// Whether the folded text contains the folded needle.
  public func matches(_ text: String) -> Bool {
    guard !isEmpty else { return true }
    var text = text
    return text.withUTF8 { bytes in
      var haystack: [UInt8] = []
      Fold.fold(utf8: bytes, into: &haystack)
      return matches(folded: haystack)
    }
  }

  /// The same over bytes that are folded already.
  public func matches(folded haystack: [UInt8]) -> Bool {
    haystack.withUnsafeBufferPointer { matches(folded: $0) }
  }

  public func matches(folded haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = folded.first else { return true }
    guard haystack.count >= folded.count else { return false }
    return folded.withUnsafeBufferPointer { needle in
      for start in 0...(haystack.count - needle.count) where haystack[start] == first {
        var length = 1
        while length < needle.count, haystack[start + length] == needle[length] { length += 1 }
        if length == needle.count { return true }
      }
      return false
    }
  }
}
