import AggregatorCore
import Synchronization

/// A place to open one source again and again, each time in a new world in which nothing is real.
struct TestBed: Sendable {
  let descriptor: SourceDescriptor
  let fixture: Fixture
  let model: ServiceModel
  let settings: Settings
  /// The texts that no output may hold.
  let canaries: [String]

  init(_ descriptor: SourceDescriptor, _ fixture: Fixture, settings flags: [String: String], model given: ServiceModel? = nil) throws {
    self.descriptor = descriptor
    self.fixture = fixture
    model = try given ?? ServiceModel(of: fixture)
    var flags = flags
    for secret in descriptor.settings where secret.isSecret && flags[secret.name] == nil {
      flags[secret.name] = "canary-5f1c-\(secret.name)"
    }
    for address in descriptor.settings where address.kind == .address && address.defaultValue == nil && flags[address.name] == nil {
      flags[address.name] = model.list.endpoint.address.origin.description
    }
    settings = Settings(declared: descriptor.settings, flags: flags)
    canaries = descriptor.settings.filter(\.isSecret).compactMap { flags[$0.name] }
  }

  /// One opened source and all that can be seen of it.
  struct Opened: Sendable {
    let parts: any SourceSession
    let server: ModelServer
    let clock: TestClock
    let answers: AnswerSpy

    var source: any DataSource { answering(parts) }

    private func answering(_ parts: some SourceSession) -> any DataSource { parts.answering }
  }

  func open(
    _ rows: [Value]? = nil, spare: Value? = nil, hazard: Hazard = .calm, reach: World.Reach = .anywhere, gate: Gate? = nil,
    clock: TestClock = .leaping, store: (any RecordStore)? = nil, echo: EchoTransport.EchoPlace? = nil
  ) throws -> Opened {
    let server = ModelServer(model, fixture: fixture, rows: rows, spare: spare, hazard: hazard, clock: clock, gate: gate)
    let answers = AnswerSpy()
    let echoing = echo.map { EchoTransport(place: $0, key: canaries.first ?? "", service: server) }
    var world = World(settings: settings, transport: echoing ?? server)
    world.reach = reach
    world.clock = clock
    world.dice = SeededDice(seed: 7)
    world.answers = answers
    world.store = store
    return Opened(parts: try descriptor.open(in: world), server: server, clock: clock, answers: answers)
  }

  /// The ids that one page over `rows` yields; nil when the source fails or finds a row broken.
  func ids(of rows: [Value]) async throws -> [String]? {
    func ids(_ source: some DataSource) async throws -> [String]? {
      do {
        let page = try await source.page(PageRequest())
        return page.faults.isEmpty ? page.items.map(\.id) : nil
      } catch is SourceError {
        return nil
      }
    }
    return try await ids(open(rows, reach: .live).source)
  }
}

/// Keeps answers in memory, and shows what was kept.
final class AnswerSpy: AnswerStore {
  private let memory = StoreInMemory()
  private let log = Mutex<[String]>([])

  /// Everything that was kept, and under what.
  var texts: [String] { log.withLock { $0 } }

  func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? { try await memory.answer(key, step: step) }

  func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
    log.withLock { $0 += ["\(key)", String(decoding: answer.rows, as: UTF8.self), "\(answer.next)"] }
    return try await memory.keep(answer, under: key, step: step)
  }
}
