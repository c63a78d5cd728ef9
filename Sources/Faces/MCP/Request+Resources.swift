import AggregatorCore
import Asking
import Platform
import RecordFormats

// Records as resources, and the completion of what names them.

extension ToolRequest {
  private static let scheme = "aggregator://"
  private static let record = "aggregator://{source}/{id}", list = "aggregator://{source}{?where,sort,fields,limit}"

  static let templates: Value = [
    ["uriTemplate": .text(record), "name": "record", "description": "one record in full", "mimeType": "application/json"],
    ["uriTemplate": .text(list), "name": "list", "description": "records of a source", "mimeType": "application/json"],
  ]

  /// The number of resources in a page.
  private static let mostListed = 100

  /// A page of the resources: each source, and after it the records that are at hand. The cursor is the source and the number of its records
  /// that came before.
  func listedResources() async throws -> Value {
    var (index, offset) = (0, 0)
    if let cursor = message["cursor"], cursor != .null {
      let parts = (cursor.text ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let name = parts.count == 2 ? Base64.decode(parts[0]).map { String(decoding: $0, as: UTF8.self) } : nil
      guard let name, let place = Int(digits: parts[1]), let found = catalogue.sources.firstIndex(where: { $0.name == name })
      else { throw Fault(.parameters, "the cursor is not one of this list") }
      (index, offset) = (found, place)
    }
    guard catalogue.sources.indices.contains(index) else { return ["resources": []] }
    let source = catalogue.sources[index]
    var listed = offset > 0 ? [] : [Self.resource(PercentEncoding.query(source.name), source.name, source.summary)]
    var ask = Ask(of: source.name)
    (ask.terms.reach, ask.limit, ask.offset, ask.deadline) = (
      .offline, Self.mostListed, offset, world.clock.now + server.answerTime
    )
    var records: [ShownRecord] = []
    do {
      var answer = try source.open(ask, in: world).records(for: ask)
      while let page = try await answer.nextRecords() { records += page }
    } catch is SourceError {
      // A source without records at hand has none to list.
    }
    listed += records.filter { $0.id.unicodeScalars.count <= AskWords.mostLetters }.map { record in
      let path = "\(PercentEncoding.query(source.name))/\(PercentEncoding.query(record.id))"
      return Self.resource(path, Printable.clean(record.title ?? record.id), nil)
    }
    var page: Value = ["resources": .list(listed)]
    let next: (name: String, place: Int)? =
      records.count == Self.mostListed
      ? (source.name, offset + records.count) : catalogue.sources.dropFirst(index + 1).first.map { ($0.name, 0) }
    if let next { page["nextCursor"] = .text("\(Base64.encode(next.name.utf8, forAddresses: true)).\(next.place)") }
    return page
  }

  private static func resource(_ path: String, _ name: String, _ description: String?) -> Value {
    .object(leavingOutNil: [
      "uri": .text(scheme + path), "name": Value.text(name).cut(to: 300), "description": description.map { .text($0) },
      "mimeType": "application/json",
    ])
  }

  /// Reads a record, or a list, as the tool for it answers.
  func readResource() async throws -> Value {
    let uri = message["uri"]?.text ?? ""
    guard uri.hasPrefix(Self.scheme) else { throw missing(uri, "no such resource") }
    let sides = uri.dropFirst(Self.scheme.count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = sides[0].split(separator: "/", maxSplits: 1).map { PercentEncoding.decode(String($0)) }
    guard let name = path.first, path.count == 1 || sides.count == 1 else { throw missing(uri, "no such resource") }
    var arguments = [Member(name: "source", value: .text(name))]
    if path.count == 2 { arguments.append(Member(name: "id", value: .text(path[1]))) }
    for (name, values) in AskWords(query: sides.count == 2 ? String(sides[1]) : "").given.sorted(by: { $0.key < $1.key }) {
      arguments.append(Member(name: name, value: .list(values.map { .text($0) })))
    }
    guard let tool = server.tools.first(where: { $0.name == (path.count == 2 ? "show" : "list") }) else { return [:] }
    let call = ToolCall(tool, arguments, in: self)
    let result = try await call.result()
    if result.isError {
      let reason = result.beginning ?? ""
      // A service that cannot answer says nothing about the record.
      guard ["arguments", "not-found"].contains(result.more.first?.value.text) else { throw Fault(.unforeseen, reason) }
      throw missing(uri, reason)
    }
    let text = result.value(of: call)["content"]?.list?.first?["text"] ?? .null
    return ["contents": [["uri": .text(uri), "mimeType": "application/json", "text": text]]]
  }

  private func missing(_ uri: String, _ reason: String) -> Fault {
    Fault(isModern ? .parameters : .resource, server.bare(reason), data: ["uri": .text(uri)])
  }

  /// The names of sources, or of the fields of a source, that begin as what was typed.
  func completions() throws -> Value {
    let templates = [Self.record, Self.list]
    guard message["ref"]?["type"] == "ref/resource", templates.contains(message["ref"]?["uri"]?.text ?? ""),
      let name = message["argument"]?["name"]?.text, let typed = message["argument"]?["value"]?.text
    else { throw Fault(.parameters, "nothing is completed but the names in \(templates.joined(separator: " and "))") }
    var known: [String] = []
    if name == "source" { known = catalogue.sources.map(\.name) }
    // Of several names the last one is completed.
    let start = typed.lastIndex { $0 == "," || $0 == "-" }.map { typed.index(after: $0) } ?? typed.startIndex
    if ["fields", "sort", "where"].contains(name), let source = message["context"]?["arguments"]?["source"]?.text {
      known = (catalogue[source]?.fields.leaves ?? []).map { typed[..<start] + $0.path.text }
    }
    let fitting = known.filter { Fold.fold($0).hasPrefix(Fold.fold(typed)) }
    let values = Value.list(fitting.prefix(100).map { .text($0) })
    return ["completion": ["values": values, "total": .int(fitting.count), "hasMore": .bool(fitting.count > 100)]]
  }
}
