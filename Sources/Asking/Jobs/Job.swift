public import AggregatorCore

/// A snapshot of a long verb that runs in the background, see ``Jobs``.
public struct Job: Sendable {
  /// The state of a job.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// It waits until another job ends.
    case waiting
    /// It runs.
    case running
    /// It has an outcome, which may be that only a part was stored.
    case ended
    /// It has an error, and no outcome.
    case failed
    /// It was cancelled. A sync that had begun has stored what came, and its outcome says how much.
    case cancelled
  }

  /// The number of the job.
  public let id: Int
  /// The verb that runs.
  public let verb: Verb
  /// The name of the source.
  public let source: String
  /// The state at the moment of the snapshot.
  public internal(set) var state = State.waiting
  /// The moment at which it began to run; nil while it waits.
  public internal(set) var began: Moment?
  /// The moment at which it ended in any way.
  public internal(set) var ended: Moment?
  /// The progress so far.
  public internal(set) var progress: AskProgress
  /// The fields of the outcome: of a ``StoringOutcome``, with its notices if it has any, or an ``AuditAnswer``.
  public internal(set) var outcome: Value?
  /// The outcome of an audit; nil for a sync, and before its end.
  public internal(set) var audit: AuditAnswer?
  /// The error of a job that failed. A face may put its remedy into other words.
  public var error: SourceError?
  /// The moment of the snapshot.
  public internal(set) var at: Moment

  init(_ id: Int, _ verb: Verb, of source: String, at now: Moment) {
    (self.id, self.verb, self.source, at) = (id, verb, source, now)
    progress = AskProgress(at: now)
  }

  /// Returns the job with its error in the words of a face.
  public func worded(_ words: Remedy.Wording) -> Job { copy(of: self) { $0.error = error?.worded(words) } }

  /// True when nothing more will happen to it.
  public var isOver: Bool { ended != nil }
}

extension Job: Fielded {
  public static let fields: [Field<Job>] = [
    Field<Job>("id", .title, width: .whole) { $0.id },
    Field<Job>("source", width: .whole) { $0.source },
    Field<Job>("verb", width: .whole) { $0.verb.name },
    Field<Job>("state", .badge, width: .whole) { $0.state.rawValue },
    Field<Job>("began") { $0.began },
    Field<Job>("ended") { $0.ended },
    Field<Job>("progress") { ProgressPart($0.progress, at: $0.at) },
    Field<Job>("outcome", width: .hidden) { $0.outcome ?? .null },
    Field<Job>("error", width: .hidden) { $0.error.map(ErrorPart.init) },
  ]
}

/// An error in JSON.
struct ErrorPart: Part {
  var kind = ""
  var message = ""
  var remedy: String?

  static let fields: [Field<ErrorPart>] = [
    Field("kind", \.kind), Field("message", \.message), Field("remedy", \.remedy),
  ]
}

extension ErrorPart {
  init(_ error: SourceError) { (kind, message, remedy) = (error.kind.name, error.message, error.remedy.map { "\($0)" }) }
}
