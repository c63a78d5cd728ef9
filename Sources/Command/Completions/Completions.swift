import AggregatorCore

/// What may come next on a command line.
struct Completions: Sendable {
  /// What a shell does with the values, and what it offers beside them.
  enum Manner: String, Sendable {
    /// A blank follows the value.
    case words
    /// More may follow at once.
    case parts
    case files
    case folders
  }

  /// A word that would be right, and what it is.
  struct Candidate: Sendable, Hashable {
    let value: String
    let description: String

    init(_ value: String, _ description: String = "") {
      self.value = value
      self.description = description
    }
  }

  var manner = Manner.words
  var candidates: [Candidate] = []

  /// A line for the manner, then one for each candidate: the value, and behind a tab its description.
  ///
  /// What a terminal would obey is no value that anybody could type, and is left out.
  var text: String {
    let lines = candidates.filter { !$0.value.isEmpty && Printable.clean($0.value) == $0.value }
      .map { $0.description.isEmpty ? $0.value : "\($0.value)\t\(Printable.clean($0.description))" }
    return ([manner.rawValue] + lines).map { $0 + "\n" }.joined()
  }

  /// The candidates that go on from `typed`; whoever types in lower case may mean a capital.
  func beginning(with typed: String) -> Completions {
    let typed = typed.lowercased()
    var completions = self
    completions.candidates = candidates.filter { $0.value.lowercased().hasPrefix(typed) }
    return completions
  }
}
