import Asking
import Recordings
import Services

@testable import AggregatorCore
@testable import Serve

/// One request to `serve`, read from bytes: the method and the address, headers, an empty line and the body.
struct FuzzedRequest {
  private let request: Request

  init(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 10, omittingEmptySubsequences: false)
    let lines = parts.prefix { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    let first = (lines.first ?? "").split(separator: " ", maxSplits: 1).map(String.init)
    // The server below hands over nothing that begins otherwise.
    var request = Request(target: "/" + (first.count > 1 ? first[1] : ""))
    request.method = first.first ?? "GET"
    request.headers = [("host", "localhost:80")]
    for line in lines.dropFirst() {
      let sides = line.split(separator: ":", maxSplits: 1).map { String($0).trimmingSpaces }
      if sides.count == 2 { request.headers.append((sides[0].lowercased(), sides[1])) }
    }
    request.body = Array(parts.dropFirst(lines.count + 1).joined(separator: [10]))
    self.request = request
  }

  /// Answers it. Throws if the service fails, if the answer tells a secret, or if asking has changed what is stored.
  func run() async throws {
    let served = try await Self.served()
    let before = try await served.names()
    let interface = Interface(served.service, at: "127.0.0.1", calledAt: 80)
    let reply =
      switch interface.answer(request) {
      case .now(let reply): reply
      case .later(let work): await work()
      }
    if case .stream(let outlet) = reply.body { outlet.close() }
    guard (200..<600).contains(reply.status), reply.status != 500 else {
      throw FuzzTarget.Wrong(description: "the status is \(reply.status)")
    }
    if case .bytes(let bytes) = reply.body, String(decoding: bytes, as: UTF8.self).contains(Self.secret) {
      throw FuzzTarget.Wrong(description: "the answer tells the key")
    }
    if Guard.safe.contains(request.method), try await served.names() != before {
      throw FuzzTarget.Wrong(description: "a \(request.method) has changed what is stored")
    }
  }

  private static let secret = "s3cr3t-of-the-shop"

  private struct Served {
    let service: Service
    let archive: Archive<LooseRecord>

    func names() async throws -> [String] {
      try await archive.snapshot().rows(of: archive.kind, .everything, after: 0, count: 100).rows.map {
        String(decoding: $0.body, as: UTF8.self)
      }
    }
  }

  private static let manifest = Result {
    try Manifest(
      Array(
        #"""
        {"aggregator": 1, "address": {"setting": "SHOP_URL", "default": "https://shop.example/"}, "budget": "unlimited",
         "keys": [{"setting": "SHOP_KEY", "header": "X-Key"}], "sources": {"boats": {"summary": "Boats", "list": {"path": "boats"}, "rows": "rows",
          "search": {"request": {"path": "find", "query": {"q": "{text}"}}},
          "detail": {"request": {"path": "boats/{id}"}, "row": ""},
          "key": "id", "paging": {"by": "whole"}, "personal": false,
          "fields": [{"name": "id", "type": "integer"}, {"name": "name", "role": "title", "searchable": true}, {"name": "length", "type": "number"}]}}}
        """#.utf8), file: "shop.json")
  }

  /// A service with three stored records, whose own services cannot be reached.
  private static func served() async throws -> Served {
    let manifest = try manifest.get()
    let (source, clock) = (try manifest.source("boats"), TestClock(at: Moment(secondsSinceEpoch: 1_790_000_000)))
    let settings = Settings(declared: manifest.settings, flags: ["SHOP_KEY": secret])
    var world = World(settings: settings, transport: FuzzTarget.Silence(), keepingIn: StoreInMemory())
    world.clock = clock
    let archive = try source.open(in: world).stored
    let rows = try (1...3).map { try archive.schema.read(JSON(Array(#"{"id":\#($0),"name":"Boat \#($0)","length":\#($0).5}"#.utf8))) }
    try await archive.land(rows, from: Fetch(at: clock.now, request: "sync", place: "start"), rule: .lastStays)
    let catalogue = try Catalogue([source.descriptor])
    return Served(service: Service(look: { (catalogue, settings) }, in: world), archive: archive)
  }
}
