import AggregatorCore
public import Manifests

/// What was guessed from a recording, how surely, and where it stands now.
public struct GuessReport: Sendable {
  /// One guess.
  public struct Line: Sendable, Hashable {
    /// `paging`.
    public let subject: String
    /// What was guessed: `pages by offset and limit`.
    public let guess: String
    /// How sure it is.
    public let confidence: Confidence
    /// A clause for a person that says why.
    public let reason: String
    /// The file to look at.
    public let file: String
  }

  /// In the order in which a person checks them.
  public let lines: [Line]
  /// What was recorded and is not read.
  public let omissions: [String]

  /// Nothing was guessed.
  init() { (lines, omissions) = ([], []) }

  init(_ plan: SourcePlan) {
    let (name, service) = (plan.name, plan.service)
    let (list, sources) = (service.list, "Sources/\(name.module)")
    let (asking, record) = ("\(sources)/\(name.service).swift", "\(sources)/\(name.record).swift")
    var lines: [Line] = []
    func note(_ subject: String, _ guess: String, _ confidence: Confidence, _ reason: String, in file: String) {
      lines.append(Line(subject: subject, guess: guess, confidence: confidence, reason: reason, file: file))
    }
    func note<Content: CustomStringConvertible>(
      _ subject: String, _ guess: Guess<Content>?, in file: String, _ addition: String = ""
    ) {
      guard let guess else { return }
      note(subject, SwiftText.clause("\(guess.value)"), guess.confidence, SwiftText.clause(guess.reason) + addition, in: file)
    }
    note("rows", list.items, in: asking)
    note("paging", list.paging, in: asking)
    note("page size", list.size, in: asking, service.sizeParameter == nil ? "; it is sent as it was recorded" : "")
    note("total", list.total, in: asking, service.total == nil ? "; it is not used" : "")
    if list.total == nil, list.paging.value.parameter != nil, !list.paging.value.isToken {
      note("total", "no total is announced", .weak, "an empty or last page ends a walk", in: asking)
    }
    note("id", list.key, in: record)
    if list.key == nil { note("id", "several fields together", .weak, "no single field differs in every row", in: record) }
    note("search", plan.searchGuess, in: asking, service.search == nil ? "; the walk searches locally" : "")
    if plan.walk.text != nil {
      note("list", "it can be requested without a search text", .weak, "only a search was recorded", in: asking)
    }
    for key in service.keys {
      let carrier = SwiftText.clause("\(key.carrier.isHeader ? "header" : "query") \(key.carrier.name)")
      let source = "\(sources)/Source+\(name.module).swift"
      note("key", carrier, .fair, "its name suggests it; set it in \(key.setting)", in: source)
    }
    let count = list.rows.count
    let confidence = count < 10 ? Confidence.weak : count < 50 ? .fair : .strong
    note(
      "fields", "which may be missing", confidence, "\(count) rows were recorded", in: "\(sources)/\(name.record).swift")
    self.lines = lines
    omissions = plan.record.omissions.map(SwiftText.clause)
  }

  /// Those that a person should check first.
  public var weak: [Line] { lines.filter { $0.confidence == .weak } }

  /// All of it in lines for a person under `heading`, the weak guesses with the place to look at.
  public func text(under heading: String) -> String {
    func list(_ heading: String, _ lines: [String]) -> String {
      lines.isEmpty ? "" : "\n\(heading):\n" + lines.map { "  \($0)\n" }.joined()
    }
    return list(heading, lines.map { "\($0.subject): \($0.guess) (\($0.confidence))" })
      + list("recorded but not used", omissions)
      + list("weak guesses to check", weak.map { "\($0.subject): \($0.guess) (\($0.reason)); see \($0.file)" })
  }
}
