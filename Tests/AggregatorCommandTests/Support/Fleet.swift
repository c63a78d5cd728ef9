import AggregatorCore
import SourceTesting
import Testing

/// Four lists of 250 rows; `answer` may answer a request itself.
struct Fleet {
  let server: StandInServer
  let folder: String
  static let names = ["ada", "bob", "cleo", "dora"]

  init(_ answer: @escaping @Sendable (_ path: String, ServerConnection) -> Bool = { _, _ in false }) async throws {
    server = try StandInServer { connection in
      while let request = connection.request() {
        if !answer(request.target, connection) { connection.answer(Harbour.answer(request.target)) }
      }
    }
    folder = try Folder.fresh()
    for name in Self.names {
      let manifest = Harbour.manifest(name, at: "\(try server.address("/\(name)/"))").replacingEach(
        "POKEMON_URL", with: "\(name.uppercased())_URL")
      try Folder.write(manifest, to: "\(folder)/\(name).json")
      try await expect(run("add \(name).json"), 0)
    }
  }

  var environment: [String: String] { Folder.homes(folder) + ["HOME": folder] }

  func run(_ line: String) async throws -> Binary.Outcome {
    try #require(await InProcess.run(typed: "aggregator \(line)", environment: environment, in: folder))
  }

  /// The same service, in which `name` never gives its second page; `reached` is sent when that page is asked for.
  static func stopping(_ name: String, reached: Signal) async throws -> Fleet {
    try await Fleet { path, connection in
      guard path.hasPrefix("/\(name)"), !path.contains("offset=0") else { return false }
      reached.send()
      connection.untilClosed()
      return true
    }
  }

  /// The same service, with one list in numbered pages of one size without a total, which prove nothing.
  static func numbered(_ name: String) async throws -> Fleet {
    let fleet = try await Fleet { path, connection in
      guard let page = path.firstMatch(of: /page=(\d+)/).flatMap({ Int($0.1) }) else { return false }
      connection.answer(Harbour.answer("/?limit=100&offset=\(page * 100)"))
      return true
    }
    let text = try Folder.read("\(fleet.folder)/\(name).json")
      .replacingEach(#""limit": "{size}", "offset": "{offset}""#, with: #""page": "{page}""#)
      .replacingEach(
        #""by": "offset", "size": 100, "total": "count", "end": "total""#,
        with: #""by": "page", "first": 0, "size": 100, "end": "empty""#)
    try await expect(fleet.run("remove \(name)"), 0)
    try Folder.write(text, to: "\(fleet.folder)/\(name).json")
    try await expect(fleet.run("add \(name).json"), 0)
    return fleet
  }
}

/// A service of 250 records in pages by offset, and its manifest.
enum Harbour {
  /// The manifest; `names` are its sources, all of the same list.
  static func manifest(_ names: String..., at address: String, more: String = "") -> String {
    let sources = (names.isEmpty ? ["pokemon"] : names).map { name in
      """
      "\(name)": {"summary": "Pokémon by name",
          "list": {"path": "pokemon", "query": {"limit": "{size}", "offset": "{offset}"}},
          "rows": "results", "key": "name", "paging": {"by": "offset", "size": 100, "total": "count", "end": "total"},
          "fields": [{"name": "name", "role": "title", "searchable": true}, {"name": "level", "type": "integer", "role": "badge"}]}
      """
    }
    return """
      {"aggregator": 1, "address": {"setting": "POKEMON_URL", "default": "\(address)"}, \(more)"budget": "unlimited",
        "sources": {\(sources.joined(separator: ",\n    "))}}

      """
  }

  /// The service's OpenAPI document. It names a key and lists at these paths, of which `/search` needs a text.
  static func openAPI(_ paths: [String], server: String = "/") -> String {
    let answer = #"{"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}}}}"#
    let paths = paths.map { path in
      let needed = path == "/search" ? #""parameters": [{"name": "q", "in": "query", "required": true}],"# : ""
      return #""\#(path)": {"get": {\#(needed) "summary": "All of \#(path.dropFirst())", "responses": \#(answer)}}"#
    }
    let key = #""components": {"securitySchemes": {"a": {"type": "http", "scheme": "bearer"}}}, "security": [{"a": []}]"#
    return #"{"openapi": "3.1.0", "servers": [{"url": "\#(server)"}], \#(key), "paths": {\#(paths.joined(separator: ","))}}"#
  }

  static let token = #""keys": [{"setting": "POKEMON_TOKEN", "header": "Authorization", "scheme": "Bearer"}], "#

  /// The answer to a request for some of the records; for 20 of them where it does not say how many.
  static func answer(_ target: String) -> String {
    func number(_ name: String) -> Int {
      target.split { "?&".contains($0) }.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
    }
    let limit = target.contains("limit=") ? number("limit") : 20
    let rows = (0..<250).dropFirst(number("offset")).prefix(limit).map {
      #"{"name":"p\#($0)","level":\#($0 % 2 == 0 ? "\($0)" : "null")}"#
    }
    return #"{"count":250,"results":[\#(rows.joined(separator: ","))]}"#
  }
}
