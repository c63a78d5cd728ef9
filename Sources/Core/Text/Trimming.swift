extension String {
  /// Without spaces, tabs and line ends at both ends.
  package var trimmingSpaces: String { self[...].trimmingSpaces }
}

extension Substring {
  /// Without spaces, tabs and line ends at both ends.
  package var trimmingSpaces: String {
    var rest = utf8
    while let byte = rest.first, Byte.isSpace(byte) { rest.removeFirst() }
    while let byte = rest.last, Byte.isSpace(byte) { rest.removeLast() }
    return String(Substring(rest))
  }
}
