/// A statement of an answer about itself, outside its rows: rows are missing, a part of the service did not answer, or its total is a bound.
///
/// This type has the one table of the names by which services say so. A page that is made of JSON rows hears the answer around them. For a
/// page that is made in another way, hand the answer to ``Page/hear(_:ignoring:)``.
public struct Caveat: Sendable, Hashable {
  /// The meaning of a statement for the rows.
  public enum Meaning: Sendable, Hashable, CaseIterable {
    /// More rows follow the page. A later page can take that back.
    case moreFollows
    /// Rows are missing that the answer should have.
    case isIncomplete
    /// A part of the service did not answer, and the rows of that part are missing.
    case partFailed
    /// The total is a bound or an estimate, so the rows cannot be compared with it.
    case totalIsNoCount
    /// A person should read it. It says nothing about rows.
    case isWarning
  }

  /// The member of the answer.
  public let path: ValuePath
  /// The value as it came, shortened to 80 characters.
  public let value: String
  /// The meaning for the rows.
  public let meaning: Meaning
  /// False when the member is there and says that nothing is wrong: `incomplete_results: false`.
  public let isSaid: Bool

  /// The member and its value, for a person: `hits.total.relation: "gte"`.
  public var text: String { "\(path.text): \(value)" }

  /// The statement as a clause.
  var clause: String {
    switch meaning {
    case .moreFollows: "the service has more than it returned (\(text))"
    case .isIncomplete: "the service says that rows are missing (\(text))"
    case .partFailed: "a part of the service did not answer (\(text))"
    case .totalIsNoCount: "the announced total is not exact (\(text))"
    case .isWarning: "the service warns: \(text)"
    }
  }
}

// MARK: - The table

extension Caveat {
  /// The values by which a member makes its statement.
  private enum Condition {
    /// The member is true, is false (`no` takes `0` for it too), is above zero, has anything, tells of trouble, or has one of these words.
    case yes, no, isFalse, positive, something, trouble, words([String])
  }

  /// The names of members, without case and joints, each with what it means and when. A name with a dot is that of a member inside another.
  private static let signs: [String: (meaning: Meaning, condition: Condition)] = {
    var signs: [String: (meaning: Meaning, condition: Condition)] = [:]
    func add(_ meaning: Meaning, _ condition: Condition, _ names: String...) {
      for name in names { signs[name] = (meaning, condition) }
    }
    add(.moreFollows, .yes, "truncated", "istruncated", "resultstruncated", "exceededtransferlimit")
    add(
      .isIncomplete, .yes, "incompleteresults", "partialresults", "partialresult", "partial", "ispartial", "incomplete",
      "isincomplete", "resultsincomplete", "terminatedearly")
    add(.partFailed, .yes, "timedout", "hastimedout")
    add(.partFailed, .positive, "shards.failed", "clusters.failed", "clusters.skipped", "clusters.partial", "failedshards")
    add(.partFailed, .words(["error", "timed out", "timeout", "out of memory"]), "remark")
    add(.totalIsNoCount, .words(["gte"]), "total.relation", "totalrelation")
    add(.totalIsNoCount, .no, "numfoundexact", "exhaustivenbhits", "exhaustive.nbhits")
    add(
      .totalIsNoCount, .yes, "isestimate", "isestimated", "estimated", "isapproximate", "approximate", "totalisestimate",
      "totalisestimated", "totalestimated", "totalisapproximate", "countisestimate", "countisestimated", "countestimated")
    add(.partFailed, .trouble, "error", "errors")
    add(.partFailed, .isFalse, "success", "succeeded", "ok")
    add(.isWarning, .something, "warnings", "warning")
    return signs
  }()

  /// The words of a warning that tells of missing rows.
  private static let lackingRows = [
    "timed out", "did not answer", "did not respond", "not responding", "partial result", "partial response",
    "incomplete result", "is incomplete", "are incomplete", "truncated to", "truncated at", "was truncated", "were truncated",
    "been truncated",
    "not all results", "unable to return all", "are missing", "missing rows", "missing results", "omitted", "only the first",
    "limit reached", "limited to", "some results", "some rows",
  ]

  /// The depth to which an answer is looked through, and the most members that are looked at. Lists of statements are never longer.
  private static let (deepest, most) = (4, 2_000)

  /// Returns the statements of an answer, those that say that nothing is wrong included. `rows` is the place of its rows, which are not
  /// looked at; neither is anything inside an array.
  package static func all(in answer: JSON, besides rows: ValuePath? = nil) -> [Caveat] {
    guard rows?.steps.isEmpty != true else { return [] }
    return all(in: answer) { path, _ in path == rows }
  }

  /// Returns the statements of the answer that `row` is the first row of.
  static func all(around row: JSON) -> [Caveat] {
    // An object may have each row under its key.
    func holdsRows(_ value: JSON) -> Bool { value.index == row.index || value.index + 2 == row.index }
    let answer = JSON(row.tape, 0)
    return holdsRows(answer) ? [] : all(in: answer) { _, value in holdsRows(value) }
  }

  private static func all(in answer: JSON, besides areRows: (ValuePath, JSON) -> Bool) -> [Caveat] {
    var (found, left): ([Caveat], Int) = ([], most)
    look(in: answer, at: ValuePath(), inside: "", besides: areRows, &left, &found)
    return found
  }

  private static func look(
    in object: JSON, at place: ValuePath, inside parent: String, besides areRows: (ValuePath, JSON) -> Bool, _ left: inout Int,
    _ found: inout [Caveat]
  ) {
    for (name, value) in object.members {
      left -= 1
      guard left > 0 else { return }
      let (kind, plain) = (value.kind, plainName(name))
      if let sign = signs["\(parent).\(plain)"] ?? signs[plain], let caveat = Caveat(sign, at: place.appending(name), value) {
        found.append(caveat)
      } else if kind == .object, place.steps.count + 1 < deepest {
        let path = place.appending(name)
        if !areRows(path, value) { look(in: value, at: path, inside: plain, besides: areRows, &left, &found) }
      }
    }
  }

  /// True for what a member called `error` has if there was one: anything but nothing, zero and calm words.
  private static func tellsTrouble(_ value: Value) -> Bool {
    switch value {
    case .null, .bool(false), .int(0): false
    case .text(let text):
      !["", "0", "no", "none", "null", "false", "ok", "success"].contains(text.lowercased().trimmingSpaces)
        && !text.lowercased().hasPrefix("no error")
    case .list(let values): values.contains(where: tellsTrouble)
    case .object(let members): members.contains { tellsTrouble($0.value) }
    default: true
    }
  }

  private static func plainName(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// The statement of a member with that sign; nil if its value is of another kind, so that the name means something else.
  private init?(_ sign: (meaning: Meaning, condition: Condition), at path: ValuePath, _ value: JSON) {
    let text = value.kind == .string ? ((try? value.asString()) ?? "").lowercased() : ""
    let word = value.kind == .number ? String(decoding: value.raw.prefix(8), as: UTF8.self) : text
    let flag: Bool? = value.kind == .bool ? value.raw.count == 4 : ["true": true, "1": true, "false": false, "0": false][word]
    let isSaid: Bool?
    var meaning = sign.meaning
    switch sign.condition {
    case .yes: isSaid = flag
    case .no: isSaid = flag.map { !$0 }
    case .isFalse: isSaid = value.kind == .bool ? flag.map { !$0 } : nil
    case .trouble: isSaid = Self.tellsTrouble(value.value)
    case .positive: isSaid = (try? value.asDouble()).map { $0 > 0 }
    case .words(let words):
      let isCalm = text.hasPrefix("no ") || text.contains("no error") || text.contains("error-free")
      isSaid = value.kind == .string ? !isCalm && words.contains { text.contains($0) } : nil
    case .something:
      isSaid = value.kind == .array ? !value.elements.isEmpty : value.kind == .object ? !value.members.isEmpty : !text.isEmpty
      let words = String(decoding: value.raw.prefix(2_000), as: UTF8.self).lowercased()
      if Self.lackingRows.contains(where: { words.contains($0) }) { meaning = .partFailed }
    }
    guard let isSaid else { return nil }
    let shown = Printable.clean(String(decoding: value.raw.prefix(400), as: UTF8.self))
    (self.path, self.value, self.meaning, self.isSaid) = (path, String(shown.prefix(80)), meaning, isSaid)
  }
}

// MARK: - Hearing

extension Page {
  /// Notes what an answer says of itself beside its rows, by the names in ``Caveat``.
  ///
  ///     var page = Page(of: self, items, total: try body.int("total_count"))
  ///     page.hear(body)
  ///
  /// A walk over a page that is not everything ends as partial, and says which member told it. Call this after setting the total, which a
  /// statement can take away. A statement at a path of `ignored` is not heard. ``init(of:rows:total:next:origin:ignoring:reading:)`` does
  /// the same.
  public mutating func hear(_ answer: JSON, ignoring ignored: Set<ValuePath> = []) {
    hear(Caveat.all(in: answer), ignoring: ignored)
  }

  /// Notes the statements of an answer, except for those at a path of `ignored`.
  package mutating func hear(_ caveats: [Caveat], ignoring ignored: Set<ValuePath>) {
    for caveat in caveats where caveat.isSaid && !ignored.contains(caveat.path) {
      switch caveat.meaning {
      case .moreFollows: more = true
      case .isIncomplete, .partFailed: limit(to: .partial(.said(caveat.clause)))
      case .totalIsNoCount:
        total = nil
        limit(to: .unverifiable)
        notices.append(caveat.clause)
      case .isWarning: notices.append(caveat.clause)
      }
    }
  }

  /// Weakens what a walk over these rows may claim.
  package mutating func limit(to verdict: Verdict) { standing = (standing ?? .complete).capped(by: verdict) }
}
