/// The failures of a source's syncs that follow each other, up to the last sync. A store holds them as a text.
///
/// An error fails a sync, unless rows came and the service only asks for a pause. A sync that reached its service without an error ends the
/// series.
public struct SyncFailures: Part {
  /// The moment of the first failure.
  public private(set) var since = Moment(secondsSinceEpoch: 0)
  /// The moment of the last failure.
  public private(set) var last = Moment(secondsSinceEpoch: 0)
  /// The number of failures.
  public private(set) var count = 0
  private var kind = ""
  private var message = ""
  private var remedies: [StoredRemedy] = []
  /// The moment from which the service may be asked again; nil if it named none.
  public private(set) var again: Moment?

  /// No failures.
  public init() {}

  public static let fields: [Field<SyncFailures>] = [
    Field("since", \.since), Field("last", \.last), Field("count", \.count), Field("kind", \.kind),
    Field("message", \.message), Field("remedies", \.remedies), Field("again", \.again),
  ]

  /// Reads ``text``; nil if the text is missing or has no failures, as after the end of a series.
  init?(text: String?) {
    guard let stored = Self(stored: text), stored.count > 0 else { return nil }
    self = stored
  }

  /// Returns the series with one more failure. A series that began later than now was noted while the clock was wrong.
  func adding(_ error: SourceError, at now: Moment) -> SyncFailures {
    copy(of: self) { series in
      series.since = count == 0 ? now : min(since, now)
      (series.last, series.count) = (now, count.adding(1))
      (series.kind, series.message) = (error.kind.name, String(error.reasonToWait.prefix(500)))
      series.remedies = error.remedy.map(StoredRemedy.all) ?? []
      // A year is longer than any pause, and leaves a time that can be written.
      series.again = error.namedWait.map { now + min($0, .seconds(366 * 86_400)) }
    }
  }

  /// Returns the last error as of `now`. It says how long to wait only while that is not over.
  public func error(at now: Moment) -> SourceError {
    var error = SourceError.pausing(.custom(kind), message, for: again.flatMap { $0 > now ? $0 - now : nil })
    let remedies = remedies.compactMap(\.remedy)
    error.remedy = remedies.count > 1 ? .either(remedies) : remedies.first
    return error
  }
}

/// A remedy that an error has brought along.
private struct StoredRemedy: Part {
  private var way = ""
  private var words: [String] = []
  /// Parameters as `name` or `name=value`.
  private var parameters: [String] = []
  private var source: String?
  private var isOfProgram = false
  private var purpose = ""

  static let fields: [Field<StoredRemedy>] = [
    Field("way", \.way), Field("words", \.words), Field("parameters", \.parameters), Field("source", \.source),
    Field("isOfProgram", \.isOfProgram), Field("purpose", \.purpose),
  ]

  /// Returns the choices of a remedy. Those that only change the request are left out: faces know them by the kind of the error.
  static func all(_ remedy: Remedy) -> [StoredRemedy] {
    var stored = StoredRemedy()
    switch remedy {
    case .ask(let call, let purpose):
      (stored.way, stored.words, stored.purpose) = ("ask", [call.verb] + call.subjects, purpose)
      (stored.source, stored.isOfProgram) = (call.source, !call.isOfSource)
      stored.parameters = call.parameters.map(\.description)
    case .give(let parameters, let purpose):
      (stored.way, stored.parameters, stored.purpose) = ("give", parameters.map(\.description), purpose)
    case .set(let names, let purpose): (stored.way, stored.words, stored.purpose) = ("set", names, purpose)
    case .advice(let text): (stored.way, stored.words) = ("advice", [text])
    case .either(let remedies): return remedies.flatMap(all)
    case .lengthen, .omit, .check: return []
    }
    return [stored]
  }

  /// The remedy; nil for one of a later version.
  var remedy: Remedy? {
    let parameters = self.parameters.map { text in
      let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return Remedy.Parameter(sides[0], sides.count > 1 ? sides[1] : nil)
    }
    switch (way, words.first) {
    case ("ask", let verb?):
      var call = Remedy.Call(verb, of: source, with: parameters)
      (call.subjects, call.isOfSource) = (Array(words.dropFirst()), !isOfProgram)
      return .ask(call, purpose)
    case ("give", _): return .give(parameters, purpose)
    case ("set", _?): return .set(words, purpose)
    case ("advice", let text?): return .advice(text)
    default: return nil
    }
  }
}

extension SourceError {
  /// True when the error tells that a sync of its source failed. The end of a plan or of the requests that a person allowed does not, nor does
  /// another sync that runs, nor a store that fails for every source. Nor do the settings of one machine: others share the store, and may
  /// have the key.
  var failsSync: Bool { !isOfStore && ![.planned, .requestsSpent, .taken, .settings, .missingKey].contains(kind) }
}

extension RecordStore {
  /// Returns the failures of the last syncs; nil if the last sync did not fail.
  package func failures(of kind: RecordKind) async throws -> SyncFailures? {
    SyncFailures(text: try await snapshot().storedText(kind.name(of: .failures)))
  }

  /// Notes that a sync failed, unless another one is running, whose end will say more. What cannot be noted is left out: the error itself is
  /// worth more.
  package func note(failure error: SourceError, of kind: RecordKind, at now: Moment) async {
    guard error.failsSync, !Task.isCancelled else { return }
    let claim = Claim()
    try? await Deadline.disregarded {
      try await claim.held(of: kind, in: self) {
        let series = try await failures(of: kind) ?? SyncFailures()
        try await note(series.adding(error, at: now).text, as: .failures, of: kind)
      }
    }
  }

  /// Notes that a sync did not fail.
  func endFailures(of kind: RecordKind) async throws {
    if try await failures(of: kind) != nil { try await note("", as: .failures, of: kind) }
  }
}
