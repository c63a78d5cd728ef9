/// The shape that the rows of a source are due to have, as earlier syncs saw it, and what has drifted from it. A store holds it as a text.
struct DueShape: Part {
  /// The digest of the description by which the rows were read; nil where it is not known.
  var reading: String?
  /// The fields that nearly every record had.
  private var present: Set<String> = []
  /// The fields whose values were of another type than declared all along.
  private var mistyped: Set<String> = []
  /// The fields that the rows had all along, and the description lacks.
  private var unknown: Set<String> = []
  /// The kinds of rows that are due although they cannot be read: `keyless`, `broken`.
  private var tolerated: Set<ShapeDrift.Kind> = []
  /// True when a sync has been judged, so that there is something due.
  private(set) var isJudged = false
  /// What drifted and stands, and the latest of what has ended.
  private(set) var drifts: [ShapeDrift] = []
  /// The number of the latest beginning or end.
  private(set) var number = 0
  /// The rows of a sync that has not ended, and the number of that sync.
  private var unfinished: ShapeCounts?
  private var sync = 0
  /// The rows that syncs of changes alone have brought since the last judgement: few at a time.
  private var changed: ShapeCounts?
  /// True when the fields that the description lacks are to be learnt anew, since it is another one than it was.
  private var isRedescribed = false

  init() {}

  static let fields: [Field<DueShape>] = [
    Field("reading", \.reading), Field("present", \.present), Field("mistyped", \.mistyped), Field("unknown", \.unknown),
    Field("tolerated", \.tolerated), Field("isJudged", \.isJudged), Field("drifts", \.drifts), Field("number", \.number),
    Field("unfinished", \.unfinished), Field("sync", \.sync), Field("changed", \.changed),
    Field("isRedescribed", \.isRedescribed),
  ]

  /// Reads ``text``. Where the rows were read by another description, what it says of the fields that are still there stays due.
  init(text: String?, readBy reading: String?, fields: Set<String>) {
    if let text, let json = try? JSON(Array(text.utf8)), let stored = try? DueShape(json, as: .own) {
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

  /// The shape as a store holds it: a JSON object.
  var text: String { String(decoding: value.bytes, as: UTF8.self) }

  /// What stands at present.
  var standing: [ShapeDrift] { drifts.filter { $0.until == nil } }

  /// Takes the rows of a sync, or of one run of it, and notes what has begun and what has ended with them.
  mutating func judge(_ shape: ShapeCounts, of state: SyncState, at now: Moment) {
    var shape = shape
    if let unfinished, unfinished.isSound, sync == state.number { shape += unfinished }
    sync = state.number
    guard state.verdict != nil else {
      unfinished = shape
      return
    }
    unfinished = nil
    if !state.isFull, let changed, changed.isSound { shape += changed }
    // Few rows prove nothing, and what changed may be special.
    guard shape.rows >= (state.isFull ? 3 : 10) else {
      changed = state.isFull ? nil : shape
      return
    }
    changed = nil
    if isRedescribed { unknown.formUnion(shape.unknown.counts.keys) }
    isRedescribed = false
    let found = isJudged ? drift(in: shape) : []
    for var drift in found {
      if let place = drifts.firstIndex(where: { $0.until == nil && $0.isAbout(drift) }) {
        drifts[place].share = drift.share
      } else {
        number = number.adding(1)
        (drift.since, drift.number) = (now, number)
        // What it was before is no news any more.
        drifts.removeAll { $0.isAbout(drift) }
        drifts.append(drift)
      }
    }
    guard state.isFull else { return }
    for place in drifts.indices where drifts[place].until == nil && !found.contains(where: drifts[place].isAbout) {
      number = number.adding(1)
      (drifts[place].until, drifts[place].number) = (now, number)
    }
    forgetOldEnds()
    learn(shape, but: found)
  }

  /// Takes what drifted as due from now on.
  mutating func accept() {
    let accepted = standing
    for drift in accepted { tolerate(drift) }
    drifts.removeAll { drift in accepted.contains { $0.isAbout(drift) } }
  }

  private func drift(in shape: ShapeCounts) -> [ShapeDrift] {
    let others = shape.broken - shape.keyless
    let rows = [
      ShapeDrift(.keyless, in: shape.keyless, of: shape.rows, from: 0.01),
      ShapeDrift(.broken, in: others, of: shape.rows, from: 0.1),
    ].compactMap(\.self).filter { !tolerated.contains($0.kind) }
    let missing = present.sorted().compactMap { field in
      // A value of another type is there, and is told as what it is.
      let count = shape.records.adding(-shape.present[field]).adding(-shape.mistyped[field])
      return ShapeDrift(.absent, field, in: count, of: shape.records, from: 0.5.nextUp)
    }
    let mistyped = shape.mistyped.counts.compactMap { field, count in
      self.mistyped.contains(field) ? nil : ShapeDrift(.mistyped, field, in: count, of: shape.records, from: 0.1)
    }
    let new = shape.unknown.counts.compactMap { field, count in
      unknown.contains(field) ? nil : ShapeDrift(.new, field, in: count, of: shape.sampled, from: 0.1)
    }
    return rows + missing + (mistyped + new).sorted { ($0.kind.rawValue, $0.field ?? "") < ($1.kind.rawValue, $1.field ?? "") }
  }

  /// Takes as due what the rows show, but for what has drifted.
  private mutating func learn(_ shape: ShapeCounts, but found: [ShapeDrift]) {
    let drifted = found.filter { $0.kind == .new }.compactMap(\.field)
    let whole = shape.present.counts.filter { Double($0.value) >= Double(shape.records) * 0.98 }.map(\.key)
    present.formUnion(whole)
    unknown.formUnion(Set(shape.unknown.counts.keys).subtracting(drifted))
    guard !isJudged else { return }
    isJudged = true
    // What was so all along has not drifted.
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

  /// Keeps the latest ends alone.
  private mutating func forgetOldEnds() {
    let ended = drifts.filter { $0.until != nil }.sorted { $0.number > $1.number }.dropFirst(50).map(\.number)
    drifts.removeAll { ended.contains($0.number) }
  }
}
