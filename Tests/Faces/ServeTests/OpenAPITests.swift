import AggregatorCore
import Platform
import TestServices
import Testing

@testable import Serve

/// The description of the interface for programs.
@Suite("The description of the interface", .timeLimit(.minutes(30))) struct OpenAPITests {
  private func document(_ change: (inout Service) -> Void = { _ in }) async throws -> Value {
    try await TestServer(endless: true, change).ask("/openapi.json").json
  }

  @Test("the description of three sources is that of the golden file")
  func golden() async throws {
    let path = (#filePath.split(separator: "/").dropLast().joined(separator: "/")).withSlash + "/Golden/openapi.json"
    let text = Self.lines(of: try await document()) + "\n"
    if getenv("AGGREGATOR_REWRITE") != nil {
      let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      defer { close(file) }
      _ = Array(text.utf8).withUnsafeBytes { Descriptor.write($0, to: file) }
    }
    let golden = String(decoding: try SystemFiles().read(path, upTo: 1 << 20).bytes, as: UTF8.self)
    #expect(text == golden, "AGGREGATOR_REWRITE=1 writes the file anew")
  }

  @Test("every operation has a name of its own, and every reference leads somewhere")
  func isSound() async throws {
    let document = try await document()
    let operations = (document["paths"]?.members ?? []).flatMap { $0.value.members ?? [] }
    let names = operations.compactMap { $0.value["operationId"]?.text }
    #expect(names.count == operations.count && Set(names).count == names.count)
    var references: Set<String> = []
    Self.collect(&references, in: document)
    #expect(references.count > 20)
    for reference in references {
      let path = reference.split(separator: "/").dropFirst().map(String.init)
      #expect(document.value(at: path[...]) != .null, "\(reference)")
    }
  }

  @Test("what a source lacks, and what the service was told to leave out, is not described")
  func leavesOut() async throws {
    let paths = try await document()["paths"]?.members?.map(\.name) ?? []
    #expect(paths.contains("/api/ports/sync") && !paths.contains("/api/buoys/sync") && !paths.contains("/api/ports/deal"))
    #expect(paths.contains("/api/buoys/records/{id}/restore") && !paths.contains("/api/sql"))
    let read = try await document { $0.isReadOnly = true }
    for path in read["paths"]?.members ?? [] { #expect(path.value.members?.map(\.name) == ["get"], "\(path.name)") }
    #expect(read["security"] == nil)
    let server = try await TestServer { $0.token = Secret("0123456789abcdef") }
    let guarded = try await server.ask("/openapi.json", ["Authorization: Bearer 0123456789abcdef"]).json
    #expect(guarded["security"] == [["bearer": []]] && !"\(guarded)".contains("0123456789abcdef"))
  }

  private struct Nothing: DataSource {
    let profile = Profile("nothing", paging: .offset(size: 4, end: .total))
    var schema: Schema<Port> { Port.schema }
    func page(_ request: PageRequest) async throws -> Page<Port> { throw SourceError(.unavailable, "away") }
  }

  @Test("a source that has the name of an address is reached all the same, or it cannot have that name")
  func namesOfSources() throws {
    let routes = Route.all(of: Service(look: { (Catalogue(), Settings(declared: [])) }, in: TestServices().world()))
    var words: Set<String> = []
    for route in routes {
      // The addresses of the interface begin with one word.
      for case .word(let word) in route.path.prefix(route.path.first == .word("api") ? 2 : 1) where Catalogue.isTypable(word) {
        words.insert(word)
      }
    }
    #expect(Catalogue.addresses.isSubset(of: words))
    // These are commands too, whose names no source can have.
    let commands: Set = ["changes", "mcp", "search", "sources", "sql", "status"]
    let names = words.subtracting(commands).subtracting(Catalogue.addresses)
    #expect(names == ["healthz", "metrics", "readyz"])
    for name in names {
      let source = Source<Port>(name, "figures", paging: .offset(size: 4, end: .total), live: { _ in Nothing() })
      let catalogue = try Catalogue([source.descriptor])
      for path in [["api", name], ["api", name, "walk"], ["-", "sources", name], [name, "changes"], [name, "records", "a"]] {
        let match = routes.lazy.compactMap { $0.match(path, in: catalogue) }.first
        #expect(match?.source?.name == name, "\(path)")
      }
    }
  }

  private static func collect(_ references: inout Set<String>, in value: Value) {
    for member in value.members ?? [] {
      if member.name == "$ref", let text = member.value.text { references.insert(text) }
      collect(&references, in: member.value)
    }
    for element in value.list ?? [] { collect(&references, in: element) }
  }

  /// JSON with a line for each member that is not small.
  private static func lines(of value: Value, _ indent: String = "") -> String {
    let whole = [UInt8].ofJSON(value).dropLast()
    if whole.count < 100 { return String(decoding: whole, as: UTF8.self) }
    let inner = indent + "  "
    if let members = value.members {
      let parts = members.map { "\(inner)\"\($0.name)\": \(lines(of: $0.value, inner))" }
      return "{\n\(parts.joined(separator: ",\n"))\n\(indent)}"
    }
    if let list = value.list { return "[\n\(list.map { inner + lines(of: $0, inner) }.joined(separator: ",\n"))\n\(indent)]" }
    return String(decoding: whole, as: UTF8.self)
  }
}

extension String {
  fileprivate var withSlash: String { "/" + self }
}
