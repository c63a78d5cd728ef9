package import AggregatorCore

/// A word that is not among the known names of its kind, such as fields, sources or parameters.
public struct Unknown: Sendable, Hashable {
  /// The kind of thing that was meant: `field`.
  public let kind: String
  /// The word as it was written.
  public let word: String
  /// All known names.
  public let known: [String]

  /// A word that is not among these known names.
  public init(_ kind: String, _ word: String, among known: [String]) {
    (self.kind, self.word, self.known) = (kind, word, known)
  }

  /// The known name that was probably meant; nil if none is similar.
  public var nearest: String? { Closest.closest(to: word, among: known) }
}

extension Unknown: CustomStringConvertible {
  /// The word with its kind: `unknown field "nam"`.
  public var description: String { "unknown \(kind) \"\(word)\"" }

  /// The same with all known names.
  package var listing: String { "\(self); available \(kind)s: \(known.joined(separator: ", "))" }
}

extension SourceError {
  /// The error for an unknown name; `remedy` helps if no known name is similar.
  package init(_ unknown: Unknown, remedy: Remedy? = nil) {
    self.init(.settings, "\(unknown)", remedy: unknown.nearest.map { "did you mean \"\($0)\"?" } ?? remedy)
  }
}
