package import AggregatorCore

/// The way to a value in what a service sent: `a.b`, `a[0]`, `a[-1]`, `a[*].b`, `["odd name"]`; `""` is the value itself.
///
/// It is the notation in which errors tell where a value stands.
package struct ValuePath: Sendable, Hashable {
  package enum Step: Sendable, Hashable {
    case member(String)
    /// A negative number counts from the end.
    case element(Int)
    /// Every element.
    case each
  }

  package let steps: [Step]
  /// As it was written.
  package let text: String

  /// Whether it leads to any number of values.
  package var isMany: Bool { steps.contains(.each) }
  /// The names on the way, where it goes by names alone.
  package var names: FieldPath? {
    var names: [String] = []
    for step in steps {
      guard case .member(let name) = step else { return nil }
      names.append(name)
    }
    return FieldPath(names)
  }

  /// The value itself.
  static let itself = ValuePath(steps: [], text: "")

  private init(steps: [Step], text: String) { (self.steps, self.text) = (steps, text) }

  /// The way through these names.
  package init(_ path: FieldPath) {
    let text = path.names.reduce(into: "") { text, name in
      let isPlain = !name.isEmpty && !name.utf8.contains { ".[]\"".utf8.contains($0) }
      let quoted = "[\(String(decoding: Value.text(name).bytes, as: UTF8.self))]"
      text += isPlain ? "\(text.isEmpty ? "" : ".")\(name)" : quoted
    }
    self.init(steps: path.names.map(Step.member), text: text)
  }

  /// Reads a path; nil where it is not written as one.
  package init?(_ text: String) {
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
    self.init(steps: steps, text: text)
  }

  /// `[0]`, `[*]` or `["odd name"]`, which is written as JSON writes a text.
  private static func bracket(_ rest: inout Substring.UTF8View) -> Step? {
    let inner = rest.dropFirst()
    if inner.first == Byte.quote {
      // The opening quote ends nothing, nor does one behind a backslash.
      var isPassed = true
      let body = inner.prefix { byte in
        defer { isPassed = byte == Byte.backslash && !isPassed }
        return isPassed || byte != Byte.quote
      }
      let behind = inner[body.endIndex...].dropFirst()
      guard behind.first == UInt8(ascii: "]"), let name = try? JSON(Array(inner[..<behind.startIndex])).asString() else {
        return nil
      }
      rest = behind.dropFirst()
      return .member(name)
    }
    let body = inner.prefix { $0 != UInt8(ascii: "]") }
    guard body.endIndex < inner.endIndex else { return nil }
    rest = inner[body.endIndex...].dropFirst()
    let word = String(Substring(body))
    return word == "*" ? .each : Int(word).map(Step.element)
  }

  /// What stands there; nil where something on the way is missing. Of many the first.
  package func value(in json: JSON) -> JSON? { isMany ? values(in: json)?.first : Self.follow(steps[...], from: json) }

  /// Everything that stands there; nil where no list is where one has to be.
  package func values(in json: JSON) -> [JSON]? { Self.values(steps[...], from: json) }

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
      let place = index < 0 ? elements.count.adding(index) : index
      return place < 0 || place >= elements.count ? nil : elements.dropFirst(place).first { _ in true }
    }
  }
}
