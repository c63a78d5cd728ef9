extension JSON {
  /// The path of this value in its document, such as `results[3].name`; empty for the document itself. A long name is cut, and a deep path
  /// keeps only both ends, so that input from outside does not make messages long.
  public var path: String {
    var steps: [String] = []
    var step = tape.pathStep(to: Int(index))
    while step.parent >= 0 {
      let isMember = tape[Int(step.parent)].tag == .object
      steps.append(isMember ? Self.step(to: tape.text(tape[Int(step.ordinal)])) : "[\(step.ordinal)]")
      step = tape.pathStep(to: Int(step.parent))
    }
    steps.reverse()
    if steps.count > 16 { steps.replaceSubrange(8..<(steps.count - 8), with: [".…"]) }
    let path = steps.joined()
    return path.hasPrefix(".") ? String(path.dropFirst()) : path
  }

  private static func step(to name: String) -> String {
    let shown = name.utf8.count > 40 ? String(name.prefix(40)) + "…" : name
    let isWord = !name.isEmpty && name.utf8.allSatisfy { Byte.isWord($0) || $0 == 0x5F || $0 == 0x2D }
    return isWord ? "." + shown : #"[""# + shown + #""]"#
  }

  /// Returns the error that says where a value is, what was expected there and what was found.
  public func mismatch(_ expected: StaticString) -> SourceError { error("expected \(expected), found \(finding)") }

  /// Returns the error for a missing member, or for the member of a value that is not an object.
  @usableFromInline @inline(never) func missing(_ key: String) -> SourceError {
    guard kind == .object else { return mismatch("an object") }
    return error("the member \(Self.step(to: key).drop { $0 == "." }) is missing")
  }

  /// Returns the error for a text or a number that is not a value of an enum.
  @inline(never) func unknownValue<Content>(of type: Content.Type) -> SourceError {
    let found = String(String(decoding: raw.prefix(200), as: UTF8.self).prefix(40))
    return error("\(Printable.clean(found)) is not a value of \(type)")
  }

  /// Returns an error with this text, after the value's path in its document.
  @inline(never) package func error(_ text: String) -> SourceError {
    let path = path
    return SourceError(.malformed, path.isEmpty ? text : "\(path): \(text)")
  }

  private var finding: String {
    switch node.tag {
    case .null: "null"
    case .true: "true"
    case .false: "false"
    case .integer: node.length > 18 ? "a large number" : "a number"
    case .fraction: "a fraction"
    case .string, .key: node.length == 0 ? "an empty string" : "a string"
    case .array: node.length == 0 ? "an empty array" : "an array"
    case .object: "an object"
    }
  }
}

/// The step to each value in a document: its container, and its number among the children. Built as a whole when the first error needs a
/// path, so that a page with only broken rows pays once.
final class PathSteps: Sendable {
  struct Step {
    /// The container of the value. 0 is the root, and -1 means that the value is the root.
    var parent: Int32
    /// The node of the member's name, or the position in the array.
    var ordinal: Int32
  }

  let steps: [Step]

  init(of tape: Tape) {
    var steps = [Step](repeating: Step(parent: -1, ordinal: 0), count: tape.count)
    for container in 0..<tape.count {
      let node = tape[container]
      guard node.tag == .array || node.tag == .object else { continue }
      var child = container + 1
      var position: Int32 = 0
      while child < Int(node.next) {
        let value = node.tag == .object ? child + 1 : child
        steps[value] = Step(parent: Int32(container), ordinal: node.tag == .object ? Int32(child) : position)
        position += 1
        child = Int(tape[value].next)
      }
    }
    self.steps = steps
  }
}
