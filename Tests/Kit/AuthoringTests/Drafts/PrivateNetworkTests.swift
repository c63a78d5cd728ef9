import AggregatorCore
import Recordings
import Services
import SourceTesting
import Testing

@testable import Authoring

/// Services in a private network without https.
@Suite struct PrivateNetworkTests {
  @Test(
    "an http address in a private network can be asked",
    arguments: [
      "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.5:8080", "[fd00::1]", "[fd12:3456::1]", "nas", "lan", "my-nas:5000",
      "nas.local",
      "a.b.lan", "db.internal", "tv.home.arpa",
    ])
  func own(host: String) throws {
    #expect(try "\(NamedRequest(address: "http://\(host)/boats").address)" == "http://\(host)/boats")
  }

  @Test(
    "an http address that a resolver may read as a public one is refused",
    arguments: [
      "8.8.8.8", "172.15.0.1", "172.32.0.1", "192.169.0.1", "11.0.0.1", "010.1.1.1", "10.1.1", "0x0a000001", "167772161", "+10.0.0.1",
      "192.168.1.5.example.com", "192.168.1.5.", "nas.", "nas%2eexample%2ecom", "[fd::1]", "[2001:db8::1]", "[::ffff:192.168.1.5]",
      "local.example", "nas.locals", "x.lan.example", "größe", "169.254.169.254",
    ])
  func foreign(host: String) {
    #expect((try? NamedRequest(address: "http://\(host)/boats")) == nil)
  }

  private func probe(_ transport: StubTransport) throws -> Probe {
    let request = try NamedRequest(address: "http://nas.lan/boats")
    return try Probe("boats", asking: request, in: World(settings: Settings(declared: []), transport: transport)) { _ in }
  }

  @Test("the manifest names the missing encryption, and is invalid without that member")
  func manifest() async throws {
    let rows = #"[{"id":1,"name":"Dover"},{"id":2,"name":"Lyme"},{"id":3,"name":"Poole"}]"#
    let (probe, first) = try await probe(StubTransport { _, _ in HTTPResponse(status: 200, body: Array(rows.utf8)) }).begin()
    let draft = try await probe.draft(from: first)
    let text = String(decoding: draft.bytes, as: UTF8.self)
    #expect(text.contains(#""insecure": true"#))
    #expect(throws: Never.self) { try draft.contents }
    let quiet = text.replacingEach(#", "insecure": true"#, with: "")
    let error = #expect(throws: SourceError.self) { try Manifest(Array(quiet.utf8), file: "a.json") }
    #expect(
      error?.message
        == #"a.json: address.default: an address on another machine begins with https://; in a private network "insecure": true beside it allows http"#
    )
  }

  @Test(
    "a redirect to another address without encryption is refused",
    arguments: ["http://tv.lan/", "http://nas.lan:81/", "http://a.example/"])
  func redirect(address: String) async throws {
    let transport = StubTransport { _, _ in HTTPResponse(status: 302, headers: [.init("Location", address)]) }
    await #expect { try await probe(transport).begin() } throws: { "\($0)".contains("is not encrypted") }
    #expect(transport.requests.count == 1)
  }
}
