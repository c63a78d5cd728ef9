package import AggregatorCore
import Inference
import Manifests

/// What a service says of itself, by OpenAPI 3.0 or 3.1.
package struct OpenAPIDocument: Sendable {
  /// What the file is called in messages.
  let name: String
  let root: JSON

  package init(_ root: JSON, called name: String) throws(SourceError) {
    (self.root, self.name) = (root, name)
    guard let version = try? root.string("openapi"), version.hasPrefix("3.") else {
      throw SourceError(.malformed, "\(name) is not of OpenAPI 3.0 or 3.1")
    }
  }

  /// What a manifest of it may be called.
  package var word: String {
    let title = root["info"]?.text("title").flatMap(Self.line) ?? ""
    let words = NameWords.words(in: title).map { $0.lowercased() }
    let own = words.filter { $0 != "api" && $0.first?.isLetter ?? false }.prefix(3)
    return own.isEmpty ? "service" : own.joined(separator: "-")
  }

  /// The lists of a service, as it describes them itself.
  package struct Lists: Sendable {
    /// In the order of the description.
    package fileprivate(set) var drafts: [SourceDraft] = []
    /// What was left out, and why; a clause each.
    package fileprivate(set) var notices: [String] = []
  }

  /// More of them nobody chooses from.
  private static let most = 500

  /// The lists that can be asked for without knowing anything else. `origin` is where the description came from: it may name its service by a
  /// path there. Nothing was asked: who can, holds each against the service.
  package func lists(from origin: WebAddress? = nil) throws(SourceError) -> Lists {
    let base = try base(from: origin)
    var reader = OpenAPIOperations(root, below: base)
    var lists = Lists()
    var names: Set<String> = []
    for (path, item) in root.parts("paths", most: .max)
    where lists.drafts.count < Self.most && !path.split(separator: "/").contains("..") {
      for var draft in reader.drafts(at: path, item) {
        draft.name = Self.free(draft.name, at: path, &names)
        lists.drafts.append(draft)
      }
    }
    lists.notices = reader.notices
    if lists.drafts.count >= Self.most { lists.notices.append("only the first \(Self.most) lists are offered") }
    guard !lists.drafts.isEmpty else {
      let reasons = lists.notices.isEmpty ? "" : ": \(lists.notices.joined(separator: "; "))"
      throw SourceError(.malformed, "\(name) describes no list that can be asked for by itself\(reasons)")
    }
    return lists
  }

  /// Where the service is: the first of its servers that is safe, with the defaults of its variables.
  private func base(from origin: WebAddress?) throws(SourceError) -> WebAddress {
    let servers = root.list("servers").compactMap { server -> WebAddress? in
      guard var text = server.text("url") else { return nil }
      for (name, variable) in server.parts("variables") {
        if let value = variable.text("default") { text = text.replacingEach("{\(name)}", with: value) }
      }
      return text.contains("{") ? nil : origin?.resolving(text) ?? WebAddress(text)
    }
    if let server = servers.first(where: \.isSafe) ?? servers.first(where: \.isPrivate) { return server }
    if !servers.isEmpty { throw SourceError(.settings, "an address on another machine begins with https://") }
    if root["servers"] == nil, let origin { return origin.resolving("/") ?? origin }
    throw SourceError(
      .malformed, "\(name) does not say where the service is",
      remedy: "write its address into \"servers\": [{\"url\": \"https://…\"}]")
  }

  /// A name that no other list has: with the part of the path before it, or else with a number.
  private static func free(_ name: String, at path: String, _ names: inout Set<String>) -> String {
    let parts = path.split(separator: "/").filter { !$0.hasPrefix("{") }
    let longer = parts.dropLast().last.map { "\(NameWords.words(in: String($0)).joined(separator: "-").lowercased())-\(name)" }
    let words = [name, longer].compactMap(\.self)
    let free = words.first { !names.contains($0) } ?? (2...).lazy.map { "\(name)-\($0)" }.first { !names.contains($0) } ?? name
    names.insert(free)
    return free
  }

  /// The first sentence of a text, on one line and without tags; nil where it says nothing.
  static func line(_ text: String) -> String? {
    let untagged = text.prefix(1000).split(separator: "<", omittingEmptySubsequences: false).enumerated().map { index, part in
      index > 0 && part.contains(">") ? part.drop { $0 != ">" }.dropFirst() : part
    }
    let plain = Printable.clean(untagged.joined(separator: " ")).split(separator: " ").joined(separator: " ")
    let end = plain.indices.first { plain[$0] == "." && (plain[$0...].count == 1 || plain[$0...].dropFirst().first == " ") }
    let line = plain[..<(end ?? plain.endIndex)]
    return line.isEmpty ? nil : line.count > 100 ? line.prefix(99) + "…" : String(line)
  }
}
