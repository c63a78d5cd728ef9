package import AggregatorCore

/// A word that names none of those things that it could name: a field, a source, a parameter.
public struct Unknown: Sendable, Hashable {
  /// What is called so: `field`.
  public let kind: String
  /// What somebody wrote.
  public let word: String
  /// All that there are.
  public let known: [String]

  /// A word for which no such thing is known.
  public init(_ kind: String, _ word: String, among known: [String]) {
    (self.kind, self.word, self.known) = (kind, word, known)
  }

  /// The one that was probably meant.
  public var nearest: String? { Closest.closest(to: word, among: known) }
}

extension Unknown: CustomStringConvertible {
  /// `unknown field "nam"`.
  public var description: String { "unknown \(kind) \"\(word)\"" }

  /// The same with all that there are.
  package var listing: String { "\(self); available \(kind)s: \(known.joined(separator: ", "))" }
}

extension SourceError {
  /// The error that nothing is called so; `remedy` helps where nothing is called alike.
  package init(_ unknown: Unknown, remedy: Remedy? = nil) {
    self.init(.settings, "\(unknown)", remedy: unknown.nearest.map { "did you mean \"\($0)\"?" } ?? remedy)
  }
}
