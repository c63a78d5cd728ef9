import AggregatorCore
import Synchronization
import Testing

@Suite("A source with a mirror") struct MirrorTests {
  private struct Quake: Record {
    var id = ""
    var place = ""
    var depth: Int?

    static let fields: [Field<Quake>] = [
      Field("id", \.id, .badge), Field("place", \.place, .title, searchable: true), Field("depth", \.depth),
    ]

    init() {}
    init(id: String, place: String, depth: Int? = nil) { (self.id, self.place, self.depth) = (id, place, depth) }
  }

  /// The survey, which searches and looks up by itself, and a mirror of it, which only lists and does not know the depth.
  private final class Services: Sendable {
    let isDown = Mutex(false)

    static let places = ["Atacama", "Bering Sea", "Crete", "Denali", "Etna"]

    var source: SourceDescriptor {
      Source("quakes", "Earthquakes", searches: "place") { _ in
        Survey(services: self).fallback(to: Mirror())
      }.descriptor
    }
  }

  private struct Survey: DataSource {
    let profile = Profile("quakes", paging: .offset(size: 50, end: .total), search: .native, lookup: .native)
    let services: Services

    func page(_ request: PageRequest) async throws -> Page<Quake> {
      if services.isDown.withLock({ $0 }) { throw SourceError(.unavailable, "the service failed (HTTP 503)") }
      let all = Services.places.enumerated().map { Quake(id: "q\($0.offset)", place: $0.element, depth: $0.offset) }
      return try RecordList(all).page(of: self, request, origin: .live)
    }
  }

  private struct Mirror: DataSource {
    let profile = Profile("quakes.mirror", paging: .numbered(size: 2, end: .total))

    func page(_ request: PageRequest) async throws -> Page<Quake> {
      let start = (try request.place(in: self).number - 1) * 2
      let all = Services.places.enumerated().map { Quake(id: "q\($0.offset)", place: $0.element) }
      return Page(of: self, Array(all.dropFirst(start).prefix(2)), total: all.count)
    }
  }

  private let services = Services()

  private static let told = "aggregator: quakes: from quakes.mirror: the service failed (HTTP 503)\n"

  private func run(_ line: String, in folder: String) async throws -> Binary.Outcome {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), environment: Folder.homes(folder) + ["HOME": folder], in: folder, over: [services.source]
    )
  }

  @Test("a search and a look-up give what matches, and the mirror is named once")
  func asked() async throws {
    let folder = try Folder.fresh()
    services.isDown.withLock { $0 = true }
    try await expect(run("quakes search crete --format tsv --fields id", in: folder), 0, output: "q2\n", errors: .exactly(Self.told))
    let nothing = try await expect(run("quakes search nonsensexyz", in: folder), 0, output: "", errors: .has(Self.told))
    #expect(nothing.errors.contains("no quakes match"))
    try await expect(run("quakes show q2 --format tsv --fields id", in: folder), 0, output: "q2\n", errors: .exactly(Self.told))
    try await expect(run("quakes show q9", in: folder), 66, output: "")
    try await expect(run("quakes list --format tsv --fields id -n 3", in: folder), 0, output: "q0\nq1\nq2\n", errors: .exactly(Self.told))
    let json = try await run("quakes list --format json -q", in: folder)
    #expect(
      json.output.contains(
        #""origin":{"kind":"live","age":null,"reason":"from quakes.mirror; quakes: the service failed (HTTP 503)","maker":"quakes.mirror"}"#
      ))
    try await expect(run("quakes list --count --format json", in: folder), 0, output: .has("from quakes.mirror"), errors: .has(Self.told))
    try await expect(
      run("quakes list --offline --format tsv --fields id -n 1", in: folder), 0, output: "q0\n", errors: .has("from quakes.mirror"))
  }

  @Test("a sync from the mirror is told, and status, why and doctor say it")
  func synced() async throws {
    let folder = try Folder.fresh()
    try await expect(run("quakes sync", in: folder), 0, errors: "")
    services.isDown.withLock { $0 = true }
    let synced = try await expect(run("quakes sync", in: folder), 0, errors: .has(Self.told))
    #expect(synced.errors.contains("quakes: kept the stored depth where quakes.mirror has none\n"))
    try await expect(run("quakes show q2 --offline --format tsv --fields depth", in: folder), 0, output: "2\n")
    try await expect(run("status --format json", in: folder), 0, output: .has(#""maker":"quakes.mirror""#))
    try await expect(run("status", in: folder), 0, output: .has("the last sync was from quakes.mirror"))
    try await expect(run("quakes why q2", in: folder), 0, output: .has("(sync from quakes.mirror, page 2)"))
    try await expect(run("doctor", in: folder), 0, output: .has("5 records from quakes.mirror: the service failed (HTTP 503)"))
    try await expect(run("sync", in: folder), 0, errors: .has("from quakes.mirror: the service failed (HTTP 503)"))
    services.isDown.withLock { $0 = false }
    try await expect(run("quakes sync", in: folder), 0, errors: "")
    try await expect(run("status --format json", in: folder), 0, output: .has(#""maker":null"#))
  }
}
