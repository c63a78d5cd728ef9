import AggregatorCore
import SourceTesting
import Synchronization
import Testing

/// A service of 250 records in pages by offset, and its manifest.
enum FakePokemonService {
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
