import AggregatorCore
import Asking
import Bodies
import Foundation
import HTML
import MCP
import Platform
import Programs
import Recordings
import Services
import Terminal

/// The things that outsiders feed to the program. Each target takes any bytes, and traps or throws ``Wrong`` only if something is wrong.
package enum FuzzTarget: String, CaseIterable, Sendable {
  case json, manifest, har, xcconfig, html, xml, yaml, csv, tsv, ndjson, headers, address, keys, condition, mcp, lines, singer, requests

  /// A promise that was not kept.
  package struct Wrong: Error, CustomStringConvertible {
    package let description: String
  }

  package func run(_ bytes: [UInt8]) async throws {
    let text = String(decoding: bytes, as: UTF8.self)
    switch self {
    case .json: try Self.json(bytes)
    case .manifest: Self.manifest(bytes)
    case .har: if let fixture = try? Fixture(har: bytes, name: "fuzz") { _ = try Fixture(har: fixture.har, name: "fuzz") }
    case .xcconfig: _ = try? XCConfig(FileContents(bytes), at: "/home/ada/Keys.xcconfig", reader: Files(bytes))
    case .html: _ = HTMLText.plain(text, base: WebAddress("https://shop.example/"))
    case .xml: document(.xml, bytes)
    case .csv: document(.csv, bytes)
    case .tsv: document(.tsv, bytes)
    case .ndjson: document(.ndjson, bytes)
    case .yaml: _ = try? YAMLDocument.value(of: bytes)
    case .headers: Self.headers(text)
    case .address: try Self.address(text)
    case .keys: Self.keys(bytes)
    case .condition: try Self.condition(text)
    case .mcp: try await Self.message(bytes)
    case .lines: await Self.program(SourceProgram.Speech.lines, bytes)
    case .requests: try await FuzzedRequest(bytes).run()
    case .singer: await Self.program(.singer(SourceProgram.Tap(stream: "boats")), bytes)
    }
  }

  // MARK: JSON

  /// A document that is read is written so that it is read as the same, and Foundation reads it too.
  private static func json(_ bytes: [UInt8]) throws {
    guard let json = try? JSON(bytes) else { return }
    let value = json.value
    let written = value.bytes
    guard let again = try? JSON(written).value, again == value else {
      throw Wrong(description: "\(String(decoding: written, as: UTF8.self)) is not what was read")
    }
    // Foundation takes no exponent beyond that of a double, no half of a pair of surrogates, and fewer levels.
    let hasExponent = bytes.contains { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
    let hasSurrogate = zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: "u") && ($1 | 0x20) == UInt8(ascii: "d") }
    guard !hasExponent, !hasSurrogate, bytes.count < 300 else { return }
    do {
      _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    } catch { throw Wrong(description: "Foundation refuses it: \(error)") }
  }

  private static func manifest(_ bytes: [UInt8]) {
    guard let manifest = try? Manifest(bytes, file: "fuzz.json") else { return }
    let world = World(settings: Settings(declared: manifest.settings), transport: Silence(), keepingIn: StoreInMemory())
    for source in manifest.sources { _ = try? manifest.source(source.name).open(in: world) }
  }

  struct Silence: Transport {
    func send(_ request: HTTPRequest) async throws -> HTTPResponse { throw SourceError(.unreachable, "no network") }
  }

  private struct Files: FileReading {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(_ path: String, upTo limit: Int) throws(FileProblem) -> FileContents {
      // A file that includes another one finds the same text there, under any name but a few.
      guard path.utf8.count < 60 else { throw .failed("too long a name") }
      return FileContents(bytes)
    }
  }

  private func document(_ kind: BodyKind, _ bytes: [UInt8]) {
    guard let document = try? BodyFormat(kind).document(bytes) else { return }
    _ = document.json.value.bytes
  }

  private static func headers(_ text: String) {
    _ = HTTPDate.moment(text)
    _ = RetryAfter.wait(text, at: Moment(secondsSinceEpoch: 1_700_000_000))
    let response = HTTPResponse(
      status: 200, headers: [.init("Link", text), .init("Content-Range", text), .init("ETag", text), .init("Last-Modified", text)])
    var page = Page(of: Rows(), [], total: nil)
    page.noteMore(in: response, followingLink: true)
  }

  private struct Rows: DataSource {
    let profile = Profile("rows", paging: .whole)
    var schema: Schema<LooseRecord> { FuzzTarget.schema }
    func page(_ request: PageRequest) async throws -> Page<LooseRecord> { Page(of: self, [], total: nil) }
  }

  private static let schema = { () -> Schema<LooseRecord> in
    guard let schema = try? Schema<LooseRecord>([LooseField("id"), LooseField("name", role: .title)], id: "id") else {
      preconditionFailure("the schema is sound")
    }
    return schema
  }()

  /// An address is written so that it is read as the same.
  private static func address(_ text: String) throws {
    guard let address = WebAddress(text) else { return }
    let written = "\(address)"
    guard let again = WebAddress(written), "\(again)" == written else { throw Wrong(description: "\(written) is not read again") }
    _ = WebAddress("https://shop.example/a/b?c=d")?.resolving(text)
  }

  private static func keys(_ bytes: [UInt8]) {
    var whole = KeyParser()
    _ = whole.read(bytes)
    _ = whole.flush()
    // Byte by byte, as a slow line brings them.
    var slow = KeyParser()
    for byte in bytes { _ = slow.read([byte]) }
    _ = slow.flush()
  }

  private static let leaves: [Leaf] = [
    Leaf(FieldPath(["name"]), .text), Leaf(FieldPath(["count"]), .integer), Leaf(FieldPath(["placed"]), .time),
    Leaf(FieldPath(["isNew"]), .bool), Leaf(FieldPath(["free"])), Leaf(FieldPath(["deep", "name"]), .text),
  ]
  private static let record: Value = [
    "name": "Zoë", "count": 12, "placed": "2026-11-22T10:00:00Z", "isNew": true, "free": 3, "deep": ["name": .null],
  ]

  private static func condition(_ text: String) throws {
    let now = Moment(secondsSinceEpoch: 1_790_000_000)
    guard let condition = try? RecordCondition(text, on: leaves, at: now) else { return }
    _ = condition.isMet(by: record)
    guard (try? RecordCondition("\(condition)", on: leaves, at: now)) != nil else {
      throw Wrong(description: "\(condition) is not read again")
    }
  }

  // MARK: Messages and lines

  private static let server = MCPServer(
    look: { (Catalogue(), Settings(declared: [])) },
    in: World(settings: Settings(declared: []), transport: Silence(), keepingIn: StoreInMemory()))

  private static func message(_ bytes: [UInt8]) async throws {
    let message = HTTPMessage(bytes) { _ in nil }
    _ = message.source
    _ = message.wantsProgress(of: server)
    let (status, answer) = try await message.answer(by: server) { _ in }
    guard (200..<600).contains(status) else { throw Wrong(description: "the status is \(status)") }
    _ = answer?.bytes
  }

  private static func program(_ speech: SourceProgram.Speech, _ bytes: [UInt8]) async {
    let program = SourceProgram(["fuzz"], speaking: speech)
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
    let call = ProgramCall(program, in: "/", Settings(declared: []), naming: []).playing(lines)
    let schema = schema
    let records = ProgramRecords("fuzz", from: call, of: schema, neverEmpty: false, personal: false) { try schema.read($0) }
    var walk = Walk(records, bounds: Bounds(pages: 50))
    do { while try await walk.nextPage() != nil {} } catch {}
  }
}
