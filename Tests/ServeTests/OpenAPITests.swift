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
