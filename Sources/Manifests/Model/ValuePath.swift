public import AggregatorCore

/// The way to a value in what a service sent: `a.b`, `a[0]`, `a[-1]`, `a[*].b`, `["odd name"]`; `""` is the value itself.
///
/// It is the notation in which errors tell where a value stands.
public struct ValuePath: Sendable, Hashable {
  package enum Step: Sendable, Hashable {
    case member(String)
    /// A negative number counts from the end.
    case element(Int)
    /// Every element.
    case each
  }

  package let steps: [Step]
  /// As it was written.
  public let text: String

  /// Whether it leads to any number of values.
  public var isMany: Bool { steps.contains(.each) }
  /// The names on the way, where it goes by names alone.
  public var names: FieldPath? {
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
    let text = path.names.enumerated().reduce(into: "") { text, name in
      let isPlain = !name.element.isEmpty && !name.element.utf8.contains { ".[]\"".utf8.contains($0) }
      text +=
        isPlain
        ? "\(name.offset == 0 ? "" : ".")\(name.element)"
        : "[\(String(decoding: Value.text(name.element).bytes, as: UTF8.self))]"
    }
    self.init(steps: path.names.map(Step.member), text: text)
  }

  /// Reads a path; nil where it is not written as one.
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
    self.init(steps: steps, text: text)
  }

  /// `[0]`, `[*]` or `["odd name"]`, which is written as JSON writes a text.
  private static func bracket(_ rest: inout Substring.UTF8View) -> Step? {
    let inner = rest.dropFirst()
    if inner.first == UInt8(ascii: "\"") {
      var isEscaped = false
      let body = inner.dropFirst().prefix { byte in
        if isEscaped {
          isEscaped = false
          return true
        }
        isEscaped = byte == UInt8(ascii: "\\")
        return byte != UInt8(ascii: "\"")
      }
      let behind = inner[body.endIndex...].dropFirst()
      guard behind.first == UInt8(ascii: "]"),
        let name = try? JSON(Array(inner[..<behind.startIndex])).asString()
      else { return nil }
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
  public func value(in json: JSON) -> JSON? { value(in: json, steps[...]) }

  private func value(in json: JSON, _ steps: ArraySlice<Step>) -> JSON? {
    var json = json
    for (index, step) in zip(steps.indices, steps) {
      if step == .each { return json.elements.lazy.compactMap { value(in: $0, steps[(index + 1)...]) }.first }
      guard let next = Self.take(step, of: json) else { return nil }
      json = next
    }
    return json
  }

  /// Everything that stands there; nil where no list is where one has to be.
  public func values(in json: JSON) -> [JSON]? { values(in: json, steps[...]) }

  private func values(in json: JSON, _ steps: ArraySlice<Step>) -> [JSON]? {
    guard let each = steps.firstIndex(of: .each) else { return value(in: json, steps).map { [$0] } }
    guard let list = value(in: json, steps[..<each]), list.kind == .array else { return nil }
    return list.elements.flatMap { values(in: $0, steps[(each + 1)...]) ?? [] }
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
