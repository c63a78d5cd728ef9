/// The shape that the rows of a source are expected to have, as earlier syncs saw it, with the drifts from it. A store holds it as a text.
struct ExpectedShape: Part {
  /// The digest of the description that read the rows; nil if it is not known.
  var reading: String?
  /// The fields that nearly every record had.
  private var present: Set<String> = []
  /// The fields whose values always were of another type than declared.
  private var mistyped: Set<String> = []
  /// The fields that the rows always had and the description lacks.
  private var unknown: Set<String> = []
  /// The kinds of unreadable rows that are expected: `keyless`, `broken`.
  private var tolerated: Set<ShapeDrift.Kind> = []
  /// True once a sync has been judged; before that no shape is expected.
  private(set) var isJudged = false
  /// The drifts that last, and the latest of those that have ended.
  private(set) var drifts: [ShapeDrift] = []
  /// The number of the latest beginning or end of a drift.
  private(set) var number = 0
  /// The rows of a sync that has not ended; `sync` is the number of that sync.
  private var unfinished: ShapeCounts?
  private var sync = 0
  /// The rows that syncs of changes alone have brought since the last judgment, because each of them brings few.
  private var changed: ShapeCounts?
  /// True when the fields that the description lacks are to be learned again, because the description has changed.
  private var isRedescribed = false

  /// A run of a sync, as far as a judgment needs to know it.
  struct Run {
    let number: Int
    let isFull: Bool
    let hasEnded: Bool
  }

  init() {}

  static let fields: [Field<ExpectedShape>] = [
    Field("reading", \.reading), Field("present", \.present), Field("mistyped", \.mistyped), Field("unknown", \.unknown),
    Field("tolerated", \.tolerated), Field("isJudged", \.isJudged), Field("drifts", \.drifts), Field("number", \.number),
    Field("unfinished", \.unfinished), Field("sync", \.sync), Field("changed", \.changed),
    Field("isRedescribed", \.isRedescribed),
  ]

  /// Reads ``text``. If another description read the rows, only the expectations about fields that still exist stay.
  init(text: String?, readBy reading: String?, fields: Set<String>) {
    if let stored = ExpectedShape(stored: text) {
      self = stored
      if stored.reading != reading {
        present.formIntersection(fields)
        mistyped.formIntersection(fields)
        drifts.removeAll { $0.kind == .new || $0.field.map { !fields.contains($0) } ?? false }
        (unknown, isRedescribed, unfinished, changed) = ([], true, nil, nil)
      }
    }
    self.reading = reading
  }

  var standing: [ShapeDrift] { drifts.filter { $0.until == nil } }

  /// Takes the rows of a sync, or of one run of it, and notes the drifts that begin and end with them. Returns the number of values in all runs
  /// of the sync that do not fit their fields.
  @discardableResult
  mutating func judge(_ shape: ShapeCounts, of run: Run, at now: Moment) -> ShapeCounts.Tally {
    var shape = shape
    if let unfinished, unfinished.isSound, sync == run.number { shape += unfinished }
    sync = run.number
    let mistyped = shape.mistyped
    guard run.hasEnded else {
      unfinished = shape
      return mistyped
    }
    unfinished = nil
    if !run.isFull, let changed, changed.isSound { shape += changed }
    // Few rows prove nothing. Changed rows may be special, so more of them are needed.
    guard shape.rows >= (run.isFull ? 3 : 10) else {
      changed = run.isFull ? nil : shape
      return mistyped
    }
    changed = nil
    if isRedescribed { unknown.formUnion(shape.unknown.counts.keys) }
    isRedescribed = false
    let found = differences(of: shape).map { drift in
      copy(of: drift) { if let field = drift.field, drift.kind != .absent { $0.types = shape.types(of: field) } }
    }
    note(found, at: now)
    guard run.isFull else { return mistyped }
    endDrifts(but: found, at: now)
    forgetOldEnds()
    learn(shape, but: found)
    return mistyped
  }

  /// Notes drifts, each of which has begun `now` unless it is known.
  private mutating func note(_ found: [ShapeDrift], at now: Moment) {
    for var drift in found {
      if let index = drifts.firstIndex(where: { $0.until == nil && $0.isAbout(drift) }) {
        (drifts[index].share, drifts[index].types) = (drift.share, drift.types)
      } else {
        number = number.adding(1)
        (drift.since, drift.number) = (now, number)
        // The end of an earlier drift of the same field is old news.
        drifts.removeAll { $0.isAbout(drift) }
        drifts.append(drift)
      }
    }
  }

  /// Ends the drifts that a whole reading did not find again.
  private mutating func endDrifts(but found: [ShapeDrift], at now: Moment) {
    for index in drifts.indices where drifts[index].until == nil && !found.contains(where: drifts[index].isAbout) {
      number = number.adding(1)
      (drifts[index].until, drifts[index].number) = (now, number)
    }
  }

  /// Accepts everything that has drifted as expected from now on. Of fields with a `corrected` description nothing but that is tolerated.
  mutating func accept(corrected: Set<String> = []) {
    let accepted = standing
    for drift in accepted where drift.field.map({ !corrected.contains($0) || drift.kind == .absent }) ?? true {
      tolerate(drift)
    }
    drifts.removeAll { drift in accepted.contains { $0.isAbout(drift) } }
  }

  /// Returns the differences of these rows from the expected shape; none before a sync has been judged.
  func differences(of shape: ShapeCounts) -> [ShapeDrift] {
    isJudged ? drift(in: shape).filter { $0.kind != .new || !isRedescribed } : []
  }

  private func drift(in shape: ShapeCounts) -> [ShapeDrift] {
    let others = shape.broken - shape.keyless
    let rows = [
      ShapeDrift(.keyless, in: shape.keyless, of: shape.rows, from: 0.01),
      ShapeDrift(.broken, in: others, of: shape.rows, from: 0.1),
    ].compactMap(\.self).filter { !tolerated.contains($0.kind) }
    let missing = present.sorted().compactMap { field in
      ShapeDrift(.absent, field, in: shape.records.adding(-shape.present[field]), of: shape.records, from: 0.5.nextUp)
    }
    let mistyped = shape.mistyped.counts.compactMap { field, count in
      self.mistyped.contains(field) ? nil : ShapeDrift(.mistyped, field, in: count, of: shape.records, from: 0.1)
    }
    let new = shape.unknown.counts.compactMap { field, count in
      unknown.contains(field) ? nil : ShapeDrift(.new, field, in: count, of: shape.sampled, from: 0.1)
    }
    return rows + missing + (mistyped + new).sorted { ($0.kind.rawValue, $0.field ?? "") < ($1.kind.rawValue, $1.field ?? "") }
  }

  /// Learns the expected shape from the rows, except for what has drifted.
  private mutating func learn(_ shape: ShapeCounts, but found: [ShapeDrift]) {
    let drifted = found.filter { $0.kind == .new }.compactMap(\.field)
    let whole = shape.present.counts.filter { Double($0.value) >= Double(shape.records) * 0.98 }.map(\.key)
    present.formUnion(whole)
    unknown.formUnion(Set(shape.unknown.counts.keys).subtracting(drifted))
    guard !isJudged else { return }
    isJudged = true
    // Differences that the first judged rows have are expected; they have not drifted.
    for drift in drift(in: shape) { tolerate(drift) }
  }

  private mutating func tolerate(_ drift: ShapeDrift) {
    switch (drift.kind, drift.field) {
    case (.absent, let field?): present.remove(field)
    case (.mistyped, let field?): mistyped.insert(field)
    case (.new, let field?): unknown.insert(field)
    default: tolerated.insert(drift.kind)
    }
  }

  private mutating func forgetOldEnds() {
    let ended = drifts.filter { $0.until != nil }.sorted { $0.number > $1.number }.dropFirst(50).map(\.number)
    drifts.removeAll { ended.contains($0.number) }
  }
}
