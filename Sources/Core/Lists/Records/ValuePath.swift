/// The path to a value in what a service sent: `a.b`, `a[0]`, `a[-1]`, `a[*].b`, `["odd name"]`; `""` is the value itself.
///
/// Errors say in this notation where a value is.
public struct ValuePath: Sendable, Hashable {
  /// One step of the path.
  public enum Step: Sendable, Hashable {
    /// The member with that name.
    case member(String)
    /// An element of an array; a negative number counts from the end.
    case element(Int)
    /// Every element of an array.
    case each
  }

  /// The steps from the outermost value inwards; empty for the value itself.
  public let steps: [Step]

  /// A path of these steps.
  public init(steps: [Step]) { self.steps = steps }

  /// A path through members with these names.
  public init(_ names: [String] = []) { steps = names.map(Step.member) }

  package func appending(_ name: String) -> ValuePath { ValuePath(steps: steps + [.member(name)]) }

  /// Returns the rest of the path after `other`; nil if the path does not begin with `other`.
  package func after(_ other: ValuePath) -> ValuePath? {
    steps.starts(with: other.steps) ? ValuePath(steps: Array(steps.dropFirst(other.steps.count))) : nil
  }

  package var isMany: Bool { steps.contains(.each) }
  package var isPlain: Bool { names.count == steps.count }
  package var names: [String] { steps.compactMap { if case .member(let name) = $0 { name } else { nil } } }

  /// The path as a person writes it.
  public var text: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .member(let name):
        let isPlain = !name.isEmpty && !name.utf8.contains { ".[]\" ".utf8.contains($0) }
        let quoted = "[\(String(decoding: Value.text(name).bytes, as: UTF8.self))]"
        text += isPlain ? "\(text.isEmpty ? "" : ".")\(name)" : quoted
      case .element(let index): text += "[\(index)]"
      case .each: text += "[*]"
      }
    }
  }

  /// Reads a path; nil if the text is not one.
  public init?(_ text: String) {
    var (steps, rest): ([Step], _) = ([], text.utf8[...])
    while let byte = rest.first {
      if byte == UInt8(ascii: "[") {
        guard let step = Self.bracket(&rest) else { return nil }
        steps.append(step)
      } else {
        if !steps.isEmpty {
          guard byte == UInt8(ascii: ".") else { return nil }
          rest.removeFirst()
        }
        let name = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        guard !name.isEmpty else { return nil }
        steps.append(.member(String(Substring(name))))
        rest = rest[name.endIndex...]
      }
    }
    self.init(steps: steps)
  }

  /// Reads `[0]`, `[*]` or `["odd name"]`, in which the name is a JSON string.
  private static func bracket(_ rest: inout Substring.UTF8View) -> Step? {
    let inner = rest.dropFirst()
    if inner.first == Byte.quote {
      // Neither the opening quote nor a quote after a backslash ends the name.
      var isPassed = true
      let body = inner.prefix { byte in
        defer { isPassed = byte == Byte.backslash && !isPassed }
        return isPassed || byte != Byte.quote
      }
      let after = inner[body.endIndex...].dropFirst()
      guard after.first == UInt8(ascii: "]"), let name = try? JSON(Array(inner[..<after.startIndex])).asString() else {
        return nil
      }
      rest = after.dropFirst()
      return .member(name)
    }
    let body = inner.prefix { $0 != UInt8(ascii: "]") }
    guard body.endIndex < inner.endIndex else { return nil }
    rest = inner[body.endIndex...].dropFirst()
    let word = String(Substring(body))
    return word == "*" ? .each : Int(word).map(Step.element)
  }

  /// Returns the value at the path, or the first of several; nil if something on the way is missing.
  package func value(in json: JSON) -> JSON? { isMany ? values(in: json)?.first : Self.follow(steps[...], from: json) }

  /// Returns all values at the path; nil if the value is missing, or if the first `[*]` is not at an array.
  package func values(in json: JSON) -> [JSON]? { Self.values(steps[...], from: json) }

  /// Returns the value that ends the way to a missing one, because it has nothing inside: a text in place of an object. Nil if the value is
  /// only missing, or null.
  package func obstacle(in json: JSON) -> JSON? {
    var json = json
    for step in steps {
      switch (step, json.kind) {
      case (_, .null): return nil
      case (.member, .object), (.element, .array):
        guard let next = Self.take(step, of: json) else { return nil }
        json = next
      // What is inside a list is looked at one by one.
      case (.each, .array): return nil
      default: return json
      }
    }
    return nil
  }

  private static func values(_ steps: ArraySlice<Step>, from json: JSON) -> [JSON]? {
    guard let each = steps.firstIndex(of: .each) else { return follow(steps, from: json).map { [$0] } }
    guard let list = follow(steps[..<each], from: json), list.kind == .array else { return nil }
    return list.elements.flatMap { values(steps[(each + 1)...], from: $0) ?? [] }
  }

  private static func follow(_ steps: ArraySlice<Step>, from json: JSON) -> JSON? {
    steps.reduce(Optional(json)) { json, step in json.flatMap { take(step, of: $0) } }
  }

  private static func take(_ step: Step, of json: JSON) -> JSON? {
    switch step {
    case .member(let name): return json[name]
    case .each: return nil
    case .element(let index):
      guard json.kind == .array else { return nil }
      let elements = json.elements
      let position = index < 0 ? elements.count.adding(index) : index
      return position < 0 || position >= elements.count ? nil : elements.dropFirst(position).first { _ in true }
    }
  }
}

extension ValuePath: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The path in this notation; a text that is not a path is the name of a member.
  public init(stringLiteral text: String) { self = ValuePath(text) ?? ValuePath([text]) }

  public var description: String { steps.isEmpty ? "the document itself" : text }
}
