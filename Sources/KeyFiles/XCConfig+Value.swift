import AggregatorCore

extension XCConfig {
  /// What a name holds once its references are followed.
  struct Value: Sendable {
    let text: Secret
    /// Where the assignment that counts stands.
    let place: Place
    /// The files that text of the value was written in.
    let files: Set<Int>
    let warnings: [String]
  }

  /// What `name` holds after the last line; nil if nothing assigns it.
  func value(of name: String) throws(SourceError) -> Value? {
    guard let last = assignments[name]?.last else { return nil }
    var expansion = Expansion(config: self)
    try expansion.follow(name, version: (assignments[name]?.count ?? 0) - 1)
    return Value(
      text: Secret(String(decoding: expansion.text, as: UTF8.self)), place: last.place, files: expansion.files, warnings: expansion.warnings
    )
  }
}

extension XCConfig {
  /// The files in which text of `name` is written, in its own assignments, overridden or not, and in those it refers to.
  func files(writing name: String) throws(SourceError) -> Set<Int> {
    var expansion = Expansion(config: self)
    for version in (assignments[name] ?? []).indices {
      expansion.text = []
      try expansion.follow(name, version: version)
    }
    return expansion.files
  }
}

/// The work of following one value's references, with its bounds.
private struct Expansion {
  let config: XCConfig
  var text: [UInt8] = []
  var files: Set<Int> = []
  var warnings: [String] = []

  /// The assignments being followed, outermost first: a name may stand in it once for each of its assignments.
  private var active: [(name: String, version: Int, place: XCConfig.Place)] = []
  private var effort = 0

  private static let longestValue = 1 << 16
  private static let deepest = 64
  /// Bytes of expressions read, and a few for each: beyond what any sensible file needs, and done in a blink.
  private static let mostEffort = 1 << 21

  init(config: XCConfig) { self.config = config }

  /// Appends what the assignment number `version` of `name` comes to.
  mutating func follow(_ name: String, version: Int) throws(SourceError) {
    guard let assignments = config.assignments[name], assignments.indices.contains(version) else { return }
    let assignment = assignments[version]
    let raw = assignment.value.reveal()
    effort += raw.utf8.count + 128
    guard effort <= Self.mostEffort else { throw config.fault(assignment.place, "the references in the value of \(name) expand too far") }
    guard active.count < Self.deepest else {
      throw config.fault(assignment.place, "references are nested more than \(Self.deepest) deep: \(chain(from: 0, to: name))")
    }
    let expression: XCConfigExpression
    do { expression = try XCConfigExpression(raw) } catch { throw explain(error, in: assignment) }
    if expression.holdsText { files.insert(assignment.place.file) }
    active.append((name, version, assignment.place))
    try append(expression.parts)
    active.removeLast()
  }

  private mutating func append(_ parts: [XCConfigExpression.Part]) throws(SourceError) {
    for part in parts {
      switch part {
      case .text(let bytes): text.append(contentsOf: bytes)
      case .bareReference(let name): try refer(to: name, isBare: true)
      case .reference(let parts, let defaults):
        let start = text.count
        try refer(to: try aside(parts), isBare: false)
        // Each default stands in only if what came before it is empty.
        for alternative in defaults where text.count == start { try append(alternative) }
      }
      if text.count > Self.longestValue, let place = active.first?.place {
        throw config.fault(place, "the value of \(active[0].name) is longer than \(Self.longestValue / 1024) kB")
      }
    }
  }

  /// What `parts` come to, as a name.
  private mutating func aside(_ parts: [XCConfigExpression.Part]) throws(SourceError) -> String {
    let start = text.count
    try append(parts)
    let name = String(decoding: text[start...], as: UTF8.self)
    text.removeSubrange(start...)
    return name
  }

  private mutating func refer(to name: String, isBare: Bool) throws(SourceError) {
    let isInherited = name == "inherited" || name == "value"
    let name = isInherited ? active.last?.name ?? name : name
    guard let position = active.lastIndex(where: { $0.name == name }) else {
      if let assignments = config.assignments[name] {
        try follow(name, version: assignments.count - 1)
      } else if isBare, let place = active.last?.place {
        warnings.append(
          "\(config.describe(place)): $ before a letter refers to a setting that is not set; write $$ for a literal $")
      }
      return
    }
    // A name inside its own value is what it held before.
    let before = active[position].version - 1
    if before < 0, position < active.count - 1, let place = active.last?.place {
      throw config.fault(
        place, "these settings refer to each other: \(chain(from: position, to: name))", remedy: "give one of them a value")
    }
    try follow(name, version: before)
  }

  private func chain(from position: Int, to name: String) -> String {
    (active[position...].map(\.name) + [name]).joined(separator: " → ")
  }

  private func explain(_ fault: XCConfigExpression.Fault, in assignment: XCConfig.Assignment) -> SourceError {
    switch fault {
    case .unclosed:
      config.fault(assignment.place, "a $( in the value of \(assignment.name) is not closed", remedy: "write $$ for a literal $")
    case .modifier:
      config.fault(
        assignment.place, "the value of \(assignment.name) uses an unknown modifier; only :default= is supported")
    case .tooDeep: config.fault(assignment.place, "the references in the value of \(assignment.name) are nested too deeply")
    }
  }
}
