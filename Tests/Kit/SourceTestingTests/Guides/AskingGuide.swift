import AggregatorCore
import Asking
import SourceTesting
import Testing

// The snippets of Docs/guides/ask.md, compiled and run. `GuideTests` checks that this file contains each of them, word for word.

private struct Port: Record {
  var id = ""
  var name = ""
  var depth = 0

  static let fields: [Field<Port>] = [
    Field("id", \.id), Field("name", \.name, .title, searchable: true), Field("depth", \.depth),
  ]
}

private struct PortsService: DataSource {
  let profile = Profile("ports", paging: .whole)
  let client: Client

  func page(_ request: PageRequest) async throws -> Page<Port> {
    _ = try request.place(in: self)
    return try Page(of: self, rows: await client.json("ports").array("items"))
  }
}

extension Source<Port> {
  fileprivate static var ports: Source {
    Source(
      "ports", "Ports of the world", settings: [.portsURL], searches: "name", live: { PortsService(client: try $0.client(.portsURL)) })
  }
}

private func words(for remedy: Remedy) -> String {
  switch remedy {
  case .set(let names, _): "Open the settings and fill in \(names.joined(separator: " and "))"
  case .lengthen: "Try again with more time"
  default: "\(remedy)"
  }
}

@Suite struct AskingGuide {
  @Test("an ask is answered, the rest is done, and a plan sends nothing")
  func everything() async throws {
    let rows = (0..<4).map { #"{"id":"p\#($0)","name":"\#($0 == 3 ? "New Haven" : "Port \($0)")","depth":\#($0)}"# }
    let list = rows.joined(separator: ",")
    let body = Array("{\"items\":[\(list)]}".utf8)
    let transport = StubTransport { _, _ in HTTPResponse(status: 200, body: body) }
    let settings = Settings(declared: [.portsURL])
    let world = World(settings: settings, transport: transport, keepingIn: StoreInMemory())
    let catalogue = try Catalogue([Source<Port>.ports.descriptor])

    var ask = Ask(.matching("haven"), of: "ports")
    ask.limit = 5
    ask.conditions = [try RecordCondition("depth=3", on: Port.schema.outline.leaves, at: world.clock.now)]
    ask.requirements = [.complete]
    let source = try Source<Port>.ports.open(ask, in: world)

    var answer = source.answer(to: ask)
    while let ports = try await answer.nextPage() {
      for port in ports { print(port.name) }
    }
    print(answer.summary.verdict ?? .unverifiable)
    print(answer.summary.origin ?? .live)
    for notice in answer.notices { print(notice.text(of: source.name, at: world.clock.now)) }
    for shortfall in answer.unmet { print("not as required: \(shortfall)") }
    #expect(answer.summary.given == 1 && answer.unmet.isEmpty)

    var all = try catalogue.open(Ask(of: "ports"), in: world).records(for: Ask(of: "ports"))
    while let records = try await all.nextRecords() {
      for record in records { print(record.id, record.value) }
    }
    #expect(all.summary.given == 4)

    let descriptor = Source<Port>.ports.descriptor
    let search = try #require(descriptor.verbs.first { $0.name == "search" })
    let said = AskWords(query: "text=haven&where=depth%3D3&limit=5")
    let typed = try Ask(search, of: descriptor, reading: said, mostRecords: 100, at: world.clock.now)
    #expect(typed.query == ask.query && typed.conditions == ask.conditions && typed.limit == ask.limit)

    let shown = try await source.show("p3", ask)
    let taken = try await source.next(ask)
    let synced = try await source.sync(ask)
    #expect(shown.record.title == "New Haven" && taken.records.count == 4 && synced.verdict == .complete)
    #expect(words(for: .set(["PORTS_KEY"])) == "Open the settings and fill in PORTS_KEY")

    let sent = transport.requests.count
    let (plan, _) = try await Source<Port>.ports.descriptor.plan(ask, in: world) { source in try await source.sync(ask) }
    for request in plan.requests { print(request) }
    #expect(plan.requests.count == 1 && transport.requests.count == sent)
  }
}
