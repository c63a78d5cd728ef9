import AggregatorCore
import Asking
import RecordFormats

/// One of the things that a model can ask for: its name, its arguments, and how it answers.
struct Tool: Sendable {
  typealias P = Ask.Parameter

  let name, summary: String
  let parameters: [P]
  /// The parameters that have to be given.
  var required: [P] = []
  /// True when it fills the store.
  var changesStore = false
  let answer: @Sendable (ToolCall) async throws -> ToolResult

  /// The greatest number of rows in a result.
  static let mostRows = 100

  /// The tool as a client lists it. Parameters that tools before it have are described there.
  func description(after others: ArraySlice<Tool>) -> Value {
    let properties = parameters.map { parameter in
      let isKnown = others.contains { $0.parameters.contains(parameter) }
      let schema = Self.schema(of: parameter).described(isKnown ? nil : parameter.summary)
      return JSONSchema.Property(parameter.name, schema, isRequired: required.contains(parameter))
    }
    return [
      "name": .text(name), "description": .text(summary), "inputSchema": JSONSchema.object(properties).value,
      "outputSchema": ToolResult.schema.value,
      "annotations": changesStore
        ? ["readOnlyHint": false, "destructiveHint": false, "idempotentHint": true] : ["readOnlyHint": true],
    ]
  }

  private static func schema(of parameter: P) -> JSONSchema {
    let one: JSONSchema =
      switch parameter.kind {
      case .flag: .bool
      case .number(let least): .integer(from: least, to: parameter == .rows ? mostRows : nil)
      default: .text
      }
    return parameter.isRepeatable && ![.text, .id].contains(parameter) ? .list(of: one) : one
  }
}

extension Ask.Parameter {
  fileprivate static let ofSource = Self("source", .text, "")
  fileprivate static let rows = Self("limit", .number(from: 1), "")
  fileprivate static let chosenFields = Self("fields", .text, "only these, with commas")
  fileprivate static let place = Self("cursor", .text, "as \"more\" has it")
  fileprivate static let number = Self("offset", .number(from: 0), "as \"more\" has it")
  fileprivate static let after = Self("since", .moment, "only what changed since then: 1d, yesterday, 2026-11-01 or a time")
  fileprivate static let before = Self("until", .moment, "only what changed before then")
}

extension MCPServer {
  /// The tools, always in this order.
  var tools: [Tool] {
    Tool.reading.filter { $0.name != Tool.sql || engine != nil } + (jobs == nil ? [] : [.sync])
  }
}

extension Tool {
  static let sql = "sql"

  private static let chosen: [P] = [
    .where, .sort, .chosenFields, .rows, .place, .asOf, .live,
  ]

  static let reading: [Tool] = [
    Tool(
      name: "sources", summary: "The sources, or one with its fields", parameters: [.ofSource, .number]
    ) { try $0.sources() },
    Tool(
      name: "status", summary: "What is stored of each source, whether it is whole, and what is missing; the worst first",
      parameters: [.ofSource, .number]
    ) { try await $0.status() },
    Tool(name: "list", summary: "Records of a source", parameters: [.ofSource] + chosen, required: [.ofSource]) {
      try await $0.records(.list)
    },
    Tool(
      name: "search", summary: "Records that a text finds, in one source or in all", parameters: [.text, .ofSource] + chosen,
      required: [.text]
    ) { try await $0.words.given["source"] == nil ? $0.everywhere() : $0.records(.search) },
    Tool(
      name: "show", summary: "One record in full, by its id or name",
      parameters: [.ofSource, .id, .chosenFields, .asOf, .live], required: [.ofSource, .id]
    ) { try await $0.show() },
    Tool(
      name: "changes", summary: "What syncs found new, changed or gone; the latest first",
      parameters: [.ofSource, .after, .before, .onlyNew, .onlyChanged, .onlyGone, .whereChange, .rows, .number]
    ) { try await $0.changes() },
    Tool(
      name: sql, summary: "One SELECT over stored lists; each table is called as its source",
      parameters: [.statement, .rows, .place, .asOf], required: [.statement]
    ) { try await $0.sql() },
  ]

  static let sync = Tool(
    name: "sync", summary: "Store every record of a source, and what changed", parameters: [.ofSource, .maxRequests, .full],
    required: [.ofSource], changesStore: true
  ) { try await $0.sync() }
}
