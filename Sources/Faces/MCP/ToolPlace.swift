import AggregatorCore
import Asking
import Platform

/// The place where a result ended, as a text that a client sends back with the same call.
///
/// It tells when the list is another one by then: the row before the place has to be the same, and so has what the rows were read from.
struct ToolPlace: Sendable {
  /// The thing that rows were read from.
  enum Basis: Sendable, Hashable {
    /// The service. The name is that of the walk under which the answer was cached.
    case live(String)
    /// The answer that was cached under the name of that walk.
    case kept(String)
    case bundled
    /// The stored list, by a digest of what the last sync and a person left.
    case stored(String)

    init(_ outcome: Outcome, _ report: SourceReport) {
      switch outcome.summary.origin?.kind {
      case .live, nil: self = .live(outcome.keptWalk ?? "")
      case .bundled, .replay: self = .bundled
      case .cache: self = outcome.keptWalk.map { .kept($0) } ?? Basis([report])
      }
    }

    /// The stored lists of these sources.
    init(_ reports: [SourceReport]) {
      self = .stored(
        ToolPlace.digest(
          of: reports.flatMap { report in
            let (status, sync) = (report.status, report.status?.sync)
            let times = [sync?.ended ?? sync?.began, status?.census.newest].map { $0?.iso ?? "" }
            let counts = [status?.census.count, status?.removals.deleted, status?.removals.gone, status?.edited]
            return times + counts.map { "\($0 ?? 0)" }
          }))
    }

    init?(_ text: Substring) {
      let name = String(text.dropFirst())
      switch text.first {
      case "l": self = .live(name)
      case "k": self = .kept(name)
      case "b": self = .bundled
      case "s": self = .stored(name)
      default: return nil
      }
    }

    var text: String {
      switch self {
      case .live(let name): "l\(name)"
      case .kept(let name): "k\(name)"
      case .bundled: "b"
      case .stored(let name): "s\(name)"
      }
    }

    /// The basis after a result that was read from another one. What was cached of a walk is a part of that walk.
    func following(_ earlier: Basis?) -> Basis {
      guard case .live(let name) = earlier, self == .kept(name) else { return self }
      return .live(name)
    }

    /// True when rows of the other one may follow rows of this one. A service keeps its order, so that its rows may be read anew unless they
    /// were `sorted` here.
    func goesOn(in other: Basis, sorted isSorted: Bool) -> Bool {
      switch (self, other) {
      case (.live(let one), .kept(let name)): one == name
      case (.live(let one), .live(let name)): !isSorted || !one.isEmpty && one == name
      default: self == other
      }
    }
  }

  /// The place of a live answer from which rows are counted, and the walk under which what follows is cached.
  struct Start: Sendable {
    let answer: String
    var thread = ""
  }

  /// The place from which rows are counted; nil for the beginning of the list.
  var start: Start?
  /// The number of rows to leave out after that.
  var offset: Int
  /// The number of rows before the place that tell whether the list is the same: one, or none at the beginning.
  var before: Int { offset > 0 ? 1 : 0 }
  /// A digest of the question.
  private let asked: String
  /// A digest of the list and of the row before the place.
  private let ground: String
  let basis: Basis
  /// The number of times that the list moved since the first result.
  let moves: Int

  /// The place after that row of the answer to a question. `list` tells the list from others under its name.
  init(
    after row: String?, of question: [String], in list: String = "", on basis: Basis, from start: Start? = nil, offset: Int,
    moves: Int = 0
  ) {
    (self.start, self.offset, self.basis, self.moves) = (start, offset, basis, moves)
    asked = Self.digest(of: question)
    ground = Self.digest(of: [list, offset > 0 ? row ?? "" : ""])
  }

  /// Reads a text; nil if it is not one of a place.
  init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 6, omittingEmptySubsequences: false)
    guard parts.count == 7, let offset = Int(digits: parts[0]), let basis = Basis(parts[3]), let moves = Int(digits: parts[4])
    else { return nil }
    (self.offset, self.basis, self.moves) = (offset, basis, moves)
    (asked, ground) = (String(parts[1]), String(parts[2]))
    start = parts[6].isEmpty ? nil : Start(answer: String(parts[6]), thread: String(parts[5]))
  }

  var text: String {
    "\(offset).\(asked).\(ground).\(basis.text).\(moves).\(start?.thread ?? "").\(start?.answer ?? "")"
  }

  /// The arguments of a call that continues here. A time such as 1d is another one by then.
  func parameters(asOf past: String?) -> [Remedy.Parameter] {
    [.init("cursor", text)] + [past.map { .init("as-of", $0) }].compactMap(\.self)
  }

  /// True when the place is in the answer to that question.
  func isOf(_ question: [String]) -> Bool { Self.digest(of: question) == asked }

  /// True when the list is another one now. `row` is the last one before the place, if one is.
  func isLost(after row: String?, in list: String = "", on other: Basis, sorted isSorted: Bool = false) -> Bool {
    !follows(row, in: list) || !basis.goesOn(in: other, sorted: isSorted)
  }

  /// True when that row is the one before the place.
  func follows(_ row: String?, in list: String = "") -> Bool { Self.digest(of: [list, row ?? ""]) == ground }

  /// The words for a place in a list that is another one now, and for one in an order that was made of another answer, whole or not.
  static let changed = "the list changed between two calls"
  static let sortedAnew = "the service was asked again, and the order of its rows is another one"

  private static func digest(of texts: [String]) -> String { String(SHA256.hex(texts.joined(separator: "\0")).prefix(8)) }
}
