import AggregatorCore
public import SourceVerification

/// What was guessed from a recording, how surely, and where it stands now.
public struct GuessReport: Sendable {
  public struct Line: Sendable, Hashable {
    /// `paging`.
    public let subject: String
    public let guess: String
    public let confidence: Confidence
    public let reason: String
    /// The file to look at.
    public let file: String
  }

  public let lines: [Line]
  /// What was recorded and is not read.
  public let omissions: [String]

  init(_ plan: SourcePlan) {
    let (name, service) = (plan.name, plan.service)
    let (list, sources) = (service.list, "Sources/\(name.module)")
    let asking = "\(sources)/\(name.service).swift"
    var lines: [Line] = []
    func note<Content: CustomStringConvertible>(_ subject: String, _ guess: Guess<Content>?, in file: String, _ addition: String = "") {
      guard let guess else { return }
      lines.append(
        Line(
          subject: subject, guess: SwiftText.clause("\(guess.value)"), confidence: guess.confidence,
          reason: SwiftText.clause(guess.reason) + addition, file: file))
    }
    note("rows", list.items, in: asking)
    note("paging", list.paging, in: asking)
    note("page size", list.size, in: asking, service.sizeParameter == nil ? "; it is sent as it was recorded" : "")
    note("total", list.total, in: asking, service.total == nil ? "; it is not used" : "")
    if list.total == nil, list.paging.value.parameter != nil, !list.isToken {
      lines.append(Self.missing("total", "no total is announced", "an empty or last page ends a walk", asking))
    }
    note("id", list.key, in: "\(sources)/\(name.record).swift")
    if list.key == nil {
      lines.append(Self.missing("id", "several fields together", "no single field differs in every row", "\(sources)/\(name.record).swift"))
    }
    note("search", plan.searchGuess, in: asking, service.search == nil ? "; the walk searches locally" : "")
    if plan.walk.text != nil {
      lines.append(Self.missing("list", "it can be requested without a search text", "only a search was recorded", asking))
    }
    for key in service.keys {
      lines.append(
        Line(
          subject: "key", guess: SwiftText.clause("\(key.carrier.isHeader ? "header" : "query") \(key.carrier.name)"),
          confidence: .fair,
          reason: "its name suggests it; set it in \(key.setting)", file: "\(sources)/Source+\(name.module).swift"))
    }
    let count = list.rows.count
    lines.append(
      Line(
        subject: "fields", guess: "which may be missing", confidence: count < 10 ? .weak : count < 50 ? .fair : .strong,
        reason: "\(count) rows were recorded", file: "\(sources)/\(name.record)+JSON.swift"))
    self.lines = lines
    omissions = plan.record.omissions.map(SwiftText.clause)
  }

  private static func missing(_ subject: String, _ guess: String, _ reason: String, _ file: String) -> Line {
    Line(subject: subject, guess: guess, confidence: .weak, reason: reason, file: file)
  }

  public var weak: [Line] { lines.filter { $0.confidence == .weak } }

  /// For the README of the package.
  var markdown: String {
    let rows = lines.map { line in
      let cells = [line.subject, line.guess, "\(line.confidence)", line.reason]
      return "| " + (cells.map(Self.escaped) + ["`\(line.file)`"]).joined(separator: " | ") + " |\n"
    }
    let left =
      omissions.isEmpty ? "" : "\nRecorded but not used:\n\n" + omissions.map { "- \(Self.escaped($0))\n" }.joined()
    return "| what | guess | how sure | why | see |\n|---|---|---|---|---|\n" + rows.joined() + left
  }

  /// Nothing of it is markup.
  private static func escaped(_ text: String) -> String {
    text.map { "\\`*_{}[]()<>#+!|&".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
