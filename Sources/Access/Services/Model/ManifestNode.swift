package import AggregatorCore

/// A value of a manifest while it is read. Its errors name the file, the path and the nearest valid word.
struct ManifestNode {
  let json: JSON
  let file: String
  /// The names of the keys, which templates must not use.
  var keys: Set<String> = []

  private func at(_ json: JSON) -> ManifestNode { ManifestNode(json: json, file: file, keys: keys) }

  /// Returns an error about this value, or about a member of it.
  func error(_ text: String, at member: String? = nil) -> SourceError {
    let path = (member.flatMap { json[$0] } ?? json).path
    return SourceError(.settings, Printable.clean("\(file): \(path.isEmpty ? "" : "\(path): ")\(text)"))
  }

  /// Throws if a member is not in `known`, or if a member comes twice.
  func check(_ known: [String]) throws {
    for (name, member) in try members() where !known.contains(name) {
      throw member.error("unknown member" + Self.hint(name, known, else: "known members:"))
    }
  }

  /// Returns the end of an error: the nearest of `known`, or all of them if none is near.
  static func hint(_ word: String, _ known: [String], else choose: String) -> String {
    if let nearest = Closest.closest(to: word, among: known) { return "; did you mean \"\(nearest)\"?" }
    return known.isEmpty ? "" : "; \(choose) \(known.joined(separator: ", "))"
  }

  subscript(name: String) -> ManifestNode? { json[name].map(at) }

  func member(_ name: String) throws -> ManifestNode {
    guard let member = self[name] else { throw error("the member \"\(name)\" is missing") }
    return member
  }

  func members() throws -> [(name: String, node: ManifestNode)] {
    guard json.kind == .object else { throw error("expected an object") }
    var names: Set<String> = []
    for (name, value) in json.members where !names.insert(name).inserted {
      throw at(value).error("the member is there twice")
    }
    return json.members.map { ($0.key, at($0.value)) }
  }

  func elements() throws -> [ManifestNode] {
    guard json.kind == .array else { throw error("expected a list") }
    return json.elements.map(at)
  }

  func text() throws -> String {
    guard json.kind == .string, let text = try? json.asString() else { throw error("expected a text") }
    return text
  }

  func texts() throws -> [String] { try elements().map { try $0.text() } }

  func isTrue() throws -> Bool {
    guard let bool = try? json.asBool() else { throw error("expected true or false") }
    return bool
  }

  func int(in range: ClosedRange<Int>) throws -> Int {
    guard json.kind == .number, let int = try? json.asInt(), range.contains(int) else {
      let end = range.upperBound == .max ? "on" : "to \(range.upperBound)"
      throw error("expected a whole number from \(range.lowerBound) \(end)")
    }
    return int
  }

  func path() throws -> ValuePath {
    let text = try text()
    guard !text.hasPrefix("header ") else {
      throw error("\"\(text)\" names a header, but the body is read here; for a member of that name write [\"\(text)\"]")
    }
    guard let path = ValuePath(text) else {
      throw error("\"\(text)\" is not a path; write a.b, a[0], a[-1], a[*].b or [\"odd name\"]")
    }
    return path
  }

  func choice<Choice: RawRepresentable<String>>(_ choices: [Choice]) throws -> Choice {
    let word = try text()
    if let choice = choices.first(where: { $0.rawValue == word }) { return choice }
    throw error("unknown value \"\(word)\"" + Self.hint(word, choices.map(\.rawValue), else: "choose one of"))
  }

  /// Returns the value as the name of a setting, in the form of the environment and of key files.
  func settingName() throws -> String {
    let name = try text()
    let isName = name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 }
    guard isName, name.first?.isLetter == true else {
      throw error("\"\(name)\" is not a name of a setting; use capital letters, digits and _")
    }
    guard !name.hasPrefix("AGGREGATOR_") else {
      throw error("\(name) begins as the command's own settings do; give it another name")
    }
    return name
  }

  /// Returns the value as one of `known`; `thing` is what an error calls them.
  func name(of thing: String, among known: [String]) throws -> String {
    let name = try text()
    guard known.contains(name) else {
      throw error("no \(thing) is called \"\(name)\"" + Self.hint(name, known, else: "choose one of"))
    }
    return name
  }

  func headerName() throws -> String {
    let name = try text()
    guard name.isHeaderName else { throw error("\"\(name)\" is not a name of a header") }
    return name
  }

  /// Throws if a header of this name cannot be sent, or not by a manifest.
  func check(header name: String, at member: String) throws {
    guard name.isHeaderName else { throw error("\"\(name)\" is not a name of a header", at: member) }
    guard !name.isHeaderOfTransport else { throw error("a manifest cannot set this header", at: member) }
  }

  /// Throws if a header cannot be sent with this value.
  func check(headerValue value: String, at member: String) throws {
    guard WireRequest.isHeaderValue(value) else { throw error("a header cannot have a control character", at: member) }
  }

  /// Returns the value if it is a text, a number, true, false or null.
  func scalar() throws -> Value {
    guard json.kind != .object, json.kind != .array else { throw error("expected a text, a number, true, false or null") }
    return json.value
  }

  /// Returns the value as a length of time such as `5m`.
  func duration() throws -> Duration {
    guard let duration = Duration(amount: try text()) else { throw error("expected a length of time, such as 90, 5m or 1h30m") }
    return duration
  }

  /// Returns the value as a template with no names other than `known`.
  func template(naming known: Set<String>) throws -> Template {
    let template = Template(try text())
    try check(template.names, among: known)
    return template
  }

  func check(_ names: [String], among known: Set<String>) throws {
    guard let stranger = names.first(where: { !known.contains($0) }) else { return }
    guard !keys.contains(stranger) else { throw error("{\(stranger)} is a key, which is sent only where \"keys\" says") }
    let list = known.sorted()
    let nearest = Closest.closest(to: stranger, among: list).map { "; did you mean {\($0)}?" }
    let others = list.isEmpty ? "; no name is known here" : "; known here: \(list.map { "{\($0)}" }.joined(separator: ", "))"
    throw error("unknown name {\(stranger)}" + (nearest ?? others))
  }
}

extension String {
  /// True when it can be sent as the name of a header.
  package var isHeaderName: Bool {
    !isEmpty && utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || "-_".utf8.contains($0) }
  }

  /// True for a header about the end of a request, its receiver, or the transfer. Only the transport sends these.
  package var isHeaderOfTransport: Bool {
    [
      "accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization",
      "proxy-connection", "te",
      "trailer", "transfer-encoding", "upgrade",
    ].contains(lowercased())
  }
}

extension SourceError {
  /// Returns this error about a manifest with the line that it is about: `FILE:12: sources.boats.pagin: …`. The line is found by the path in the
  /// message, and left out where the text has no such path.
  package func placed(in bytes: [UInt8], of file: String) -> SourceError {
    guard message.hasPrefix("\(file): "), let json = try? JSON(bytes) else { return self }
    let rest = message.dropFirst(file.count + 2)
    var (waiting, found) = ([json], JSON?.none)
    while let next = waiting.popLast() {
      let path = next.path
      // Of two paths that the message begins with, the longer one is meant.
      if !path.isEmpty, rest.hasPrefix("\(path): "), path.count > found?.path.count ?? 0 { found = next }
      waiting += next.kind == .array ? Array(next.elements) : next.members.map { $0.value }
    }
    guard let place = found?.raw.startIndex else { return self }
    let line = bytes.prefix(place).reduce(1) { $0 + ($1 == Byte.newline ? 1 : 0) }
    return copy(of: self) { $0.message = "\(file):\(line): \(rest)" }
  }
}
